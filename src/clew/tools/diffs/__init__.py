"""Diffs of a file: computed from its text, or as a client recorded them."""

from clew.tools.diffs.compare import (
    diff_of,
    diff_of_files,
    diff_of_fragments,
    diff_of_spans,
    find_spans,
    fragment_hunks,
    replace_spans,
)
from clew.tools.diffs.lcs import changed_blocks
from clew.tools.diffs.line_counts import LineCounts, count_fragments
from clew.tools.diffs.recorded import GitDiff, Hunk, diff_of_hunks

__all__ = [
    "GitDiff",
    "Hunk",
    "LineCounts",
    "changed_blocks",
    "count_fragments",
    "diff_of",
    "diff_of_files",
    "diff_of_fragments",
    "diff_of_hunks",
    "diff_of_spans",
    "find_spans",
    "fragment_hunks",
    "replace_spans",
]
