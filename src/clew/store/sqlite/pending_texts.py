"""Texts → the index, at the end of a transaction and one full-text table at a time.

FTS5 gathers words in memory, and writes them out early when other statements come between.
"""

from collections.abc import Iterator
from typing import TypeAlias

import apsw

from clew.store.index_query import TextGroup, group_of
from clew.store.queries import statement

# The number of a block within its session, its field, and its words.
_BlockText: TypeAlias = tuple[int, str, str]


class PendingTexts:
    """The texts of the sessions that a transaction has written so far, in the order of blocks."""

    def __init__(self) -> None:
        self._sessions: dict[int, tuple[int, list[_BlockText]]] = {}

    def add(self, session_key: int, first_block: int, texts: list[_BlockText]) -> None:
        """Keep the texts of a session whose blocks are numbered from `first_block` on."""
        self._sessions[session_key] = first_block, texts

    def remove(self, session_key: int) -> None:
        """Forget the texts of a session that is deleted, or written once more."""
        self._sessions.pop(session_key, None)

    def write(self, connection: apsw.Connection) -> None:
        """Write all of them to the index, in ascending order of blocks, which is fastest."""
        connection.executemany(statement("add_prose_text"), self._texts("prose"))
        connection.executemany(statement("add_result_text"), self._texts("result"))

    def _texts(self, group: TextGroup) -> Iterator[tuple[int, str]]:
        for first, texts in self._sessions.values():
            for number, field, words in texts:
                if group_of(field) == group:
                    yield first + number, words
