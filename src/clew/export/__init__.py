"""archive → files for reading elsewhere: a site of pages, Markdown, JSON.

Whatever is written is written beside its place and renamed, and only what changed since the last
export to the same folder is written again.
"""

from typing import TYPE_CHECKING

from clew.lazy import import_lazily

if TYPE_CHECKING:
    from clew.export.options import ExportOptions, ExportReport, Form
    from clew.export.run import Advance, export
    from clew.export.session_file import MaskedJson, MaskedPage, mask_json, mask_page, write_page

__all__ = [
    "Advance",
    "ExportOptions",
    "ExportReport",
    "Form",
    "MaskedJson",
    "MaskedPage",
    "export",
    "mask_json",
    "mask_page",
    "write_page",
]

import_lazily(__name__)
