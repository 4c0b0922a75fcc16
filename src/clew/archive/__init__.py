"""Archive: open, sync, list, load, search, count; the one object that surfaces share.

Methods import what only they use: lists and counts start without the code of conversations.
"""

from clew.analytics import FilterSet
from clew.archive.open import Archive, open_archive
from clew.archive.opened import EVERYTHING, LATEST_FIRST, NoArchiveError
from clew.archive.roots import default_roots, search_paths
from clew.store import Order

__all__ = [
    "EVERYTHING",
    "LATEST_FIRST",
    "Archive",
    "FilterSet",
    "NoArchiveError",
    "Order",
    "default_roots",
    "open_archive",
    "search_paths",
]
