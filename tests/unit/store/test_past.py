"""Rows before a cut and behind it."""

import pytest

from clew.store.entry_rows import Rows
from clew.store.past import part


@pytest.mark.parametrize(
    ("rows", "tail", "before"),
    [
        ([(1,), (2,), (3,)], [(3,)], [(1,), (2,)]),
        ([(1,), (2,), (3,)], [(2,)], [(1,), (3,)]),
        ([(1,), (1,), (2,)], [(1,)], [(1,), (2,)]),
        ([(1,)], [], [(1,)]),
        ([(1,)], [(1,)], []),
        ([(1,)], [(2,)], None),
        ([(1,)], [(1,), (1,)], None),
    ],
)
def test_the_tail_must_be_among_the_rows(rows: Rows, tail: Rows, before: Rows | None) -> None:
    assert part(rows, tail) == before
