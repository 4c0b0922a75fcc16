"""Hunks of a diff."""

from clew.tools.diffs.recorded import Hunk


def test_added_and_removed_lines_are_counted() -> None:
    lines = (" a", "-b", "-c", "+B", "+C", "+D", "\\ No newline at end of file")

    hunk = Hunk(1, 3, 1, 4, lines)

    assert (hunk.added, hunk.removed) == (3, 2)
