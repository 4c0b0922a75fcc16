"""SearchIndex, implemented with FTS5."""

from collections.abc import Sequence
from typing import Final, assert_never

import msgspec

from clew.store.index_query import IndexAll, IndexAny, IndexPhrase, IndexQuery, TextGroup
from clew.store.queries import statement
from clew.store.sqlite.database import SqliteDatabase
from clew.store.sqlite.vocabulary import update_words, words_with
from clew.store.tokenizer import tokenize

_numbers: Final = msgspec.json.Decoder(list[int])


class FullTextIndex:
    """The full-text tables of a SQLite database."""

    def __init__(self, database: SqliteDatabase) -> None:
        self.database = database
        self._connection = database.connection

    def find(self, group: TextGroup, query: IndexQuery, after: int = 0) -> list[int]:
        """Return the numbers of the blocks that match, of those after a number."""
        values = {"match": write_match(query), "bound": after}
        name = f"search_{group}_newer" if after else f"search_{group}"
        return _numbers.decode(next(self._connection.execute(statement(name), values))[0])

    def scores(
        self, group: TextGroup, query: IndexQuery, blocks: Sequence[int]
    ) -> dict[int, float]:
        """Return how well some blocks match, by their numbers: BM25, negated by FTS5."""
        values = {"match": write_match(query), "ids": blocks}
        found = self.database.rows(f"search_{group}_scores", values)
        return {block: -score for block, score in found}

    def split(self, text: str) -> list[str]:
        """Split a text into words exactly as the full-text tables do."""
        return tokenize(text)

    def words_with(self, group: TextGroup, letters: str) -> tuple[list[str], int | None]:
        """Return the indexed words that contain some letters, and up to which block."""
        return words_with(self.database, group, letters)

    def update_words(self) -> None:
        """Bring the list of indexed words up to date if many blocks are new."""
        update_words(self.database)

    @property
    def in_steps(self) -> None:
        """One person's matches are found at once."""
        return


def write_match(query: IndexQuery) -> str:
    """Write a query as FTS5 reads it; every word is in quotes, so that none is an operator."""
    match query:
        case IndexPhrase(words, is_prefix):
            quoted = '"' + words.replace('"', " ") + '"'
            return f"{quoted} *" if is_prefix else quoted
        case IndexAny(terms):
            return "(" + " OR ".join(map(write_match, terms)) + ")"
        case IndexAll(terms, without):
            found = "(" + " AND ".join(map(write_match, terms)) + ")"
            left_out = " OR ".join(map(write_match, without))
            return f"({found} NOT ({left_out}))" if without else found
        case _:
            assert_never(query)
