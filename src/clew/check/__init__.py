"""files → report: what is broken, missing or unknown in transcripts.

A report contains structure only: kinds, counts, positions and names, never messages. All
files are read to their end; a link that leads into another file is followed there.
"""

from typing import TYPE_CHECKING

from clew.lazy import import_lazily

if TYPE_CHECKING:
    from clew.check.input_files import CheckInput, find_files
    from clew.check.report import Example, FileTotals, ProblemGroup, Report, RoundTrip
    from clew.check.run import check_files

__all__ = [
    "CheckInput",
    "Example",
    "FileTotals",
    "ProblemGroup",
    "Report",
    "RoundTrip",
    "check_files",
    "find_files",
]

import_lazily(__name__)
