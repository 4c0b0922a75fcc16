"""The words that texts have, each once or a few times, so that a search can look for parts of them.

Whoever writes a text adds the words of it that are new. A writer remembers which it knows to be
there, so that only few are compared with those of the database.
"""

from typing import Final, TypeAlias

from clew.store.index_query import TextGroup
from clew.store.postgres.connection import PostgresConnection
from clew.store.postgres.vectors import cut_word
from clew.store.queries import statement
from clew.store.tokenizer import searched_within

_MOST_REMEMBERED: Final = 300_000

WordMemory: TypeAlias = dict[TextGroup, set[str]]
"""Words that are known to be in a database; several writers of one thread may share it."""


class KnownWords:
    """The words of each group of texts, as far as one writer knows them."""

    def __init__(self, connection: PostgresConnection, memory: WordMemory | None = None) -> None:
        self._connection = connection
        self._known = {} if memory is None else memory
        self._added: list[tuple[TextGroup, set[str]]] = []

    def add(self, group: TextGroup, words: set[str]) -> None:
        """Add those words that are new."""
        new = words.difference(self._known.get(group, ()))
        if not new:
            return
        stored = sorted({cut_word(word) for word in searched_within(new)})
        values = {"group": group, "words": stored}
        self._connection.execute(statement("add_words", "postgres").encode(), values)
        self._added.append((group, new))

    def remember(self) -> None:
        """Take as known what was added: the transaction is at its end."""
        if sum(map(len, self._known.values())) > _MOST_REMEMBERED:
            self._known.clear()
        for group, words in self._added:
            self._known.setdefault(group, set()).update(words)
        self._added.clear()

    def forget(self) -> None:
        """Take nothing as known that was added: the transaction failed."""
        self._added.clear()
