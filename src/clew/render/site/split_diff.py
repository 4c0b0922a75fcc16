"""A hunk side by side: removed lines on the left, the lines that took their place on the right."""

from collections.abc import Iterator, Sequence

import msgspec


class SplitRow(msgspec.Struct, frozen=True, gc=False):
    """One row: a line before, a line after, or both; a line that stays is on both sides."""

    old_number: int | None = None
    old: str = ""
    old_kind: str = ""
    new_number: int | None = None
    new: str = ""
    new_kind: str = ""


def split_hunk(
    lines: Sequence[str], old_start: int | None, new_start: int | None
) -> list[SplitRow]:
    """Put the lines of a hunk, which begins at these numbers if they are known, side by side."""
    rows = _split(lines, old_start or 1, new_start or 1)
    if old_start is not None and new_start is not None:
        return rows
    return [msgspec.structs.replace(row, old_number=None, new_number=None) for row in rows]


def _split(lines: Sequence[str], old: int, new: int) -> list[SplitRow]:
    rows: list[SplitRow] = []
    gone: list[str] = []
    came: list[str] = []
    for line in (*lines, " "):
        if line.startswith("-"):
            gone.append(line[1:])
        elif line.startswith("+"):
            came.append(line[1:])
        elif line.startswith(" "):
            rows += _changed(gone, came, old, new)
            old, new = old + len(gone), new + len(came)
            gone, came = [], []
            rows.append(SplitRow(old, line[1:], "same", new, line[1:], "same"))
            old, new = old + 1, new + 1
    return rows[:-1]


def _changed(gone: Sequence[str], came: Sequence[str], old: int, new: int) -> Iterator[SplitRow]:
    for at in range(max(len(gone), len(came))):
        has_old, has_new = at < len(gone), at < len(came)
        yield SplitRow(
            old + at if has_old else None,
            gone[at] if has_old else "",
            "removed" if has_old else "none",
            new + at if has_new else None,
            came[at] if has_new else "",
            "added" if has_new else "none",
        )
