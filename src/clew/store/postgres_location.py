"""The archive of a team: a PostgreSQL database, and blobs in a bucket or a folder."""

from typing import Final

import msgspec

from clew.settings import hide_password
from clew.store.inline_limits import SERVER_LIMITS, InlineLimits

ANY_OWNER: Final = -1
"""In place of an owner: the rows of all of them."""
NOBODY: Final = -1
"""In place of a viewer: one who has no notes, such as whoever follows a link."""


class PostgresLocation(msgspec.Struct, frozen=True):
    """Where the database and the blobs are, and whose sessions are read and written.

    With `scopes`, it is opened for a viewer, who sees the sessions of these scopes and only reads,
    but for their own notes.
    A viewer may read the rows of all owners at once (`ANY_OWNER`), but the files of a session only
    as those of its owner: the blobs of each have a folder of their own.
    """

    database_url: str
    blobs: str
    owner: int = 0
    scopes: tuple[int, ...] | None = None
    viewer: int = NOBODY

    @property
    def limits(self) -> InlineLimits:
        """How much of a text its row has."""
        return SERVER_LIMITS

    @property
    def name(self) -> str:
        """What messages call it: its address without the password."""
        return hide_password(self.database_url)

    @property
    def has_lost_database(self) -> bool:
        """Whether a sync shall rebuild the database from blobs, which many people share."""
        return False
