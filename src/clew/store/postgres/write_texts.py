"""The texts of sessions → the index, in the transaction that writes their rows."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeAlias

from clew.store.index_query import TextGroup, group_of
from clew.store.postgres.connection import PostgresConnection
from clew.store.postgres.known_words import KnownWords, WordMemory
from clew.store.postgres.vectors import to_lexemes, to_parts
from clew.store.queries import statement
from clew.store.tokenizer import tokenize

# The number of a block within its session, its field, and its words.
BlockText: TypeAlias = tuple[int, str, str]


class SessionTexts(NamedTuple):
    """The texts of a session, its number, its scope, and the number of its first block."""

    key: int
    scope: int
    first_block: int
    texts: list[BlockText]


class TextWriter:
    """Writes the texts of sessions on one connection, in transactions."""

    def __init__(self, connection: PostgresConnection, memory: WordMemory | None = None) -> None:
        self._connection = connection
        self.known = KnownWords(connection, memory)

    def write(self, sessions: Iterable[SessionTexts]) -> None:
        """Write the texts of sessions that have none yet."""
        used: dict[TextGroup, set[str]] = defaultdict(set)
        copying = statement("copy_search_text", "postgres").encode()
        with self._connection.cursor() as cursor, cursor.copy(copying) as copy:
            for key, scope, first, texts in sessions:
                for number, field, text in texts:
                    group, words = group_of(field), tokenize(text)
                    used[group].update(words)
                    for part in _parts(group, words):
                        copy.write(f"{first + number}\t{key}\t{scope}\t{part}\n")
        for group, found in used.items():
            self.known.add(group, found)


def part_kind(group: TextGroup) -> str:
    """Return the kind of text that parts of long ones are."""
    return f"{group}_part"


def _parts(group: TextGroup, words: list[str]) -> Iterator[str]:
    """Write the kind, the first word and the vector of each part as COPY reads them.

    Words have only letters, digits and signs: nothing needs to be escaped.
    """
    for part in to_parts(to_lexemes(words)):
        yield f"{group if part.is_whole else part_kind(group)}\t{part.first_word}\t{part.vector}"
