"""archive → files for reading elsewhere: a site of pages, Markdown, JSON.

Whatever is written is written beside its place and renamed, and only what changed since the last
export to the same folder is written again.
"""

from typing import TYPE_CHECKING

from clew.lazy import import_lazily

if TYPE_CHECKING:
    from clew.export.options import ExportOptions, ExportReport, Form
    from clew.export.run import Advance, export
    from clew.export.session_file import (
        MaskedJson,
        MaskedPage,
        learn_session,
        mask_json,
        mask_page,
        write_page,
    )
    from clew.export.share import LoadSession, Share
    from clew.export.share_hits import SharedHits, share_hits
    from clew.export.share_options import (
        MAX_HITS,
        MAX_SESSIONS,
        SHARE_FORMS,
        ShareForm,
        ShareOptions,
        TurnRange,
        read_turns,
        require_shareable,
    )
    from clew.export.share_report import MaskedKind, MaskedPlace, SharedItem, ShareReport

__all__ = [
    "MAX_HITS",
    "MAX_SESSIONS",
    "SHARE_FORMS",
    "Advance",
    "ExportOptions",
    "ExportReport",
    "Form",
    "LoadSession",
    "MaskedJson",
    "MaskedKind",
    "MaskedPage",
    "MaskedPlace",
    "Share",
    "ShareForm",
    "ShareOptions",
    "ShareReport",
    "SharedHits",
    "SharedItem",
    "TurnRange",
    "export",
    "learn_session",
    "mask_json",
    "mask_page",
    "read_turns",
    "require_shareable",
    "share_hits",
    "write_page",
]

import_lazily(__name__)
