"""The words of the full text as a list, so that a search can look for parts of them.

FTS5 knows each word with all its positions, and reads all of them to list the words. So a sync
stores the list when many blocks are new. Blocks after the `bound` are newer than the list.
"""

import re
from typing import Final

from clew.store.index_query import TextGroup
from clew.store.sqlite.connection import FULL_TEXT_TABLES, make_word_tables
from clew.store.sqlite.database import SqliteDatabase
from clew.store.tokenizer import searched_within

_MANY_NEW: Final = 5_000


def update_words(database: SqliteDatabase) -> None:
    """Store the words of the full text, if there are many blocks that the list does not cover."""
    newest = int(next(database.rows("newest_block"))[0])
    bound = int(next(database.rows("vocabulary_bound"))[0])
    if newest - bound < _MANY_NEW:
        return
    make_word_tables(database.connection)
    with database.transaction():
        for name in FULL_TEXT_TABLES:
            found = database.rows(f"{name}_words")
            words = "\n".join(searched_within(word for (word,) in found))
            database.run("store_words", {"name": name, "bound": newest, "words": words})


def words_with(
    database: SqliteDatabase, group: TextGroup, letters: str
) -> tuple[list[str], int | None]:
    """Return the words of a full-text table that contain some letters, in lower case.

    Return also the last block for which that is true; None if it is for all.
    """
    name = f"{group}_text"
    stored = next(database.rows("stored_words", {"name": name}), None)
    if stored is None:
        found = database.rows(f"{name}_words")
        return [word for (word,) in found if letters in word], None
    words, bound = stored
    return re.findall(f"^.*{re.escape(letters)}.*$", words, re.MULTILINE), bound
