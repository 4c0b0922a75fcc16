"""The words of the full text, noted down so that a search can look for parts of them at once.

The index knows each word with all its places, and to gather the words it goes through all of them.
So a sync notes them down when much is new. What was written since is known by its numbers: all
blocks behind the `bound` are newer than the note.
"""

import re
from typing import Final

import apsw

from clew.store.queries import statement
from clew.store.sqlite import FULL_TEXT_TABLES, make_word_tables, transaction

# Only words that a search may look for within: those with a run of small letters, or with letters
# of another script.
_LETTERS: Final = re.compile(r"[a-z]{3}|[^\x00-\x7f].|.[^\x00-\x7f]")
_MANY_NEW: Final = 5_000


def note_words(connection: apsw.Connection) -> None:
    """Note down the words of the full text, if there are many blocks that were not there before."""
    newest = int(next(connection.execute("SELECT coalesce(max(id), 0) FROM block"))[0])
    bound = next(connection.execute("SELECT coalesce(min(bound), 0) FROM vocabulary"))[0]
    if newest - bound < _MANY_NEW:
        return
    make_word_tables(connection)
    with transaction(connection):
        for name in FULL_TEXT_TABLES:
            found = connection.execute(statement(f"{name}_words"))
            words = "\n".join(word for (word,) in found if _LETTERS.search(word))
            values = {"name": name, "bound": newest, "words": words}
            connection.execute(statement("note_words"), values)


def outdate_words(connection: apsw.Connection, first: int) -> None:
    """Remember that blocks are written from this number on, which may have other words."""
    connection.execute(statement("outdate_words"), {"first": first})


def words_with(
    connection: apsw.Connection, name: str, letters: str
) -> tuple[list[str], int | None]:
    """Give the words of a full-text table that contain some letters, as the index has them.

    Give also the last block for which that holds; None when it does for all.
    """
    noted = connection.execute(statement("noted_words"), {"name": name}).fetchone()
    if noted is None:
        found = connection.execute(statement(f"{name}_words"))
        return [word for (word,) in found if letters in word], None
    words, bound = noted
    return re.findall(f"^.*{re.escape(letters)}.*$", words, re.MULTILINE), bound
