"""SearchIndex, implemented with the full-text search of PostgreSQL."""

from collections.abc import Sequence

from clew.store.index_query import IndexQuery, TextGroup
from clew.store.postgres.phrases import blocks_with_phrase
from clew.store.postgres.tsquery import FindParts, find_in_parts, write_tsquery
from clew.store.postgres.write_session import ROWS_OF_SESSION
from clew.store.postgres.write_texts import part_kind
from clew.store.protocols import Database, Parameters
from clew.store.tokenizer import tokenize


class PostgresIndex:
    """The vectors of a PostgreSQL database; it is its own index in steps."""

    def __init__(self, database: Database) -> None:
        self.database = database

    @property
    def in_steps(self) -> "PostgresIndex":
        """There may be too many blocks to find all that match."""
        return self

    def find(self, group: TextGroup, query: IndexQuery, after: int = 0) -> list[int]:
        """Return the numbers of the blocks that match, of those after a number."""
        return self._find("find_texts", group, query, {"bound": after})

    def find_few(self, group: TextGroup, query: IndexQuery, most: int) -> list[int] | None:
        """Return the numbers of the blocks that match, or None if there are more than `most`."""
        text = write_tsquery(query)
        if text is None:
            return []
        whole = self._finder("find_few_texts", group, {"most": most + 1})(text)
        if len(whole) > most:
            return None
        found = whole | self._find_parts("find_texts", group, query, {"bound": 0})
        return sorted(found) if len(found) <= most else None

    def find_in_sessions(
        self, group: TextGroup, query: IndexQuery, keys: Sequence[int]
    ) -> list[int]:
        """Return the numbers of those blocks of some sessions that match."""
        return self._find("find_texts_of_sessions", group, query, {"keys": keys})

    def find_in_blocks(
        self, group: TextGroup, query: IndexQuery, blocks: Sequence[int]
    ) -> list[int]:
        """Return the numbers of those of some blocks that match."""
        return self._find("find_texts_of_blocks", group, query, {"ids": blocks})

    def session_key(self, block: int) -> int:
        """Return the key of the session that a block belongs to, which is in its number."""
        return block // ROWS_OF_SESSION

    def scores(
        self, group: TextGroup, query: IndexQuery, blocks: Sequence[int]
    ) -> dict[int, float]:
        """Return how well some blocks match, by their numbers."""
        text = write_tsquery(query)
        if text is None:
            return {}
        values = {"kinds": [group, part_kind(group)], "query": text, "ids": blocks}
        return dict(self.database.rows("text_scores", values))

    def split(self, text: str) -> list[str]:
        """Split a text into words exactly as the vectors have them."""
        return tokenize(text)

    def words_with(self, group: TextGroup, letters: str) -> tuple[list[str], None]:
        """Return the indexed words that contain some letters; writers add them at once."""
        values = {"group": group, "pattern": f"%{letters}%"}
        return [word for (word,) in self.database.rows("words_like", values)], None

    def update_words(self) -> None:
        """Do nothing: the list of words is always up to date."""

    def _find(
        self, name: str, group: TextGroup, query: IndexQuery, values: Parameters
    ) -> list[int]:
        text = write_tsquery(query)
        if text is None:
            return []
        whole = self._finder(name, group, values)(text)
        return sorted(whole | self._find_parts(name, group, query, values))

    def _find_parts(
        self, name: str, group: TextGroup, query: IndexQuery, values: Parameters
    ) -> set[int]:
        """Find texts that are in several parts."""
        kind = part_kind(group)

        def check(words: list[str], is_prefix: bool, blocks: set[int]) -> set[int]:  # noqa: FBT001
            beginning = words[-1] if is_prefix else None
            asked = {"kind": kind, "ids": blocks, "words": words, "beginning": beginning}
            rows = self.database.rows("word_positions", asked) if blocks else ()
            return blocks_with_phrase(words, rows, is_prefix=is_prefix)

        return find_in_parts(query, self._finder(name, kind, values), check)

    def _finder(self, name: str, kind: str, values: Parameters) -> FindParts:
        """Return a function that finds texts of a kind with a statement."""

        def find(text: str) -> set[int]:
            rows = self.database.rows(name, {**values, "kind": kind, "query": text})
            return {block for (block,) in rows}

        return find
