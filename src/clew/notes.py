"""Notes: what a reader adds to a session, and how it is changed; the transcript stays as it is."""

import re
import unicodedata
from collections.abc import Callable
from typing import Final

import msgspec

from clew.errors import UsageError
from clew.storable import storable

LONGEST_TITLE: Final = 200
LONGEST_TEXT: Final = 20_000
LONGEST_TAG: Final = 50
LONGEST_COMMENT: Final = 2_000
MOST_TAGS: Final = 50
MOST_BOOKMARKS: Final = 500
_LONGEST_ID: Final = 200
# Filters read the first ones as patterns, and lists are written with the last one.
_NOT_IN_TAGS: Final = "*?[],"
# Controls, among them those that turn the direction of text, and halves of pairs.
_UNPRINTABLE: Final = ("Cc", "Cs", "Co", "Cn")
_ESCAPES: Final = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|.?)", re.DOTALL
)
_TURNS: Final = frozenset("\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


class Bookmark(msgspec.Struct, frozen=True):
    """A message that a reader wants to find again, and why."""

    message_id: str
    comment: str = ""
    made_at: str = ""


class SessionNote(msgspec.Struct, frozen=True, kw_only=True):
    """What a reader added to one session."""

    session_id: str
    is_starred: bool = False
    is_hidden: bool = False
    title: str = ""
    tags: tuple[str, ...] = ()
    text: str = ""
    bookmarks: tuple[Bookmark, ...] = ()
    changed_at: str = ""

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing in it."""
        words = self.title or self.text or self.tags or self.bookmarks
        return not (self.is_starred or self.is_hidden or words)


class NoteChange(msgspec.Struct, frozen=True, kw_only=True):
    """A change of a note; what is None or empty stays as it is.

    `clear` takes everything away before the rest is set.
    """

    clear: bool = False
    star: bool | None = None
    hidden: bool | None = None
    title: str | None = None
    text: str | None = None
    add_tags: tuple[str, ...] = ()
    remove_tags: tuple[str, ...] = ()
    add_bookmarks: tuple[Bookmark, ...] = ()
    remove_bookmarks: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether it changes nothing."""
        return self == NoteChange()


def change_note(note: SessionNote, change: NoteChange, at: str) -> SessionNote:
    """Return a note as it is after a change at a time.

    Raises:
        UsageError: Something is too long, or a tag cannot be one.
    """
    old = SessionNote(session_id=note.session_id) if change.clear else note
    return msgspec.structs.replace(
        old,
        is_starred=old.is_starred if change.star is None else change.star,
        is_hidden=old.is_hidden if change.hidden is None else change.hidden,
        title=old.title if change.title is None else clean_title(change.title),
        text=old.text if change.text is None else clean_text(change.text),
        tags=_change_tags(old.tags, change),
        bookmarks=_change_bookmarks(old.bookmarks, change, at),
        changed_at=at,
    )


def clean_note(note: SessionNote) -> SessionNote:
    """Return a note that came from a file, cleaned and within the limits.

    Raises:
        UsageError: Something is too long, or a tag cannot be one.
    """
    change = NoteChange(
        star=note.is_starred,
        hidden=note.is_hidden,
        title=note.title,
        text=note.text,
        add_tags=note.tags,
        add_bookmarks=note.bookmarks,
    )
    return change_note(SessionNote(session_id=storable(note.session_id)), change, note.changed_at)


def clean_title(text: str) -> str:
    """Return a title in one line.

    Raises:
        UsageError: It is too long.
    """
    return _limited("the title", _one_line(text), LONGEST_TITLE)


def clean_text(text: str) -> str:
    """Return the text of a note, in as many lines as it has, without control characters.

    Raises:
        UsageError: It is too long.
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    clean = _printable(lines, lambda sign: sign in "\n\t")
    return _limited("the note", clean.strip(), LONGEST_TEXT)


def clean_tag(text: str) -> str:
    """Return a tag.

    Raises:
        UsageError: It is empty, too long, or has characters that no tag has.
    """
    tag = _one_line(text).removeprefix("#").strip()
    if not tag:
        raise UsageError("a tag cannot be empty; write a word, such as bug")
    if any(sign in tag for sign in _NOT_IN_TAGS):
        raise UsageError(
            f"the tag {tag[:LONGEST_TAG]!r} contains one of * ? [ ] , which no tag may"
        )
    return _limited("the tag", tag, LONGEST_TAG)


def _change_tags(tags: tuple[str, ...], change: NoteChange) -> tuple[str, ...]:
    """Add and remove tags; upper and lower case make no difference."""
    removed = {clean_tag(tag).casefold() for tag in change.remove_tags}
    found = {tag.casefold(): tag for tag in tags if tag.casefold() not in removed}
    for tag in map(clean_tag, change.add_tags):
        found.setdefault(tag.casefold(), tag)
    if len(found) > MOST_TAGS:
        raise UsageError(f"a session can have {MOST_TAGS} tags at most; remove some")
    return tuple(sorted(found.values(), key=str.casefold))


def _change_bookmarks(
    bookmarks: tuple[Bookmark, ...], change: NoteChange, at: str
) -> tuple[Bookmark, ...]:
    """Add bookmarks, each in place of an earlier one of its message, and remove others."""
    found = {one.message_id: one for one in bookmarks}
    for name in change.remove_bookmarks:
        found.pop(name, None)
    for one in change.add_bookmarks:
        name = _limited("the message's id", storable(one.message_id), _LONGEST_ID)
        comment = _limited("the comment", _one_line(one.comment), LONGEST_COMMENT)
        made_at = one.made_at or (found[name].made_at if name in found else at)
        found[name] = Bookmark(name, comment, made_at)
    if len(found) > MOST_BOOKMARKS:
        raise UsageError(f"a session can have {MOST_BOOKMARKS} bookmarks at most; remove some")
    return tuple(found.values())


def _one_line(text: str) -> str:
    return " ".join(_printable(text, str.isspace).split())


def _printable(text: str, is_kept: Callable[[str], bool]) -> str:
    """Leave out what terminals and pages would obey, and what cannot be stored."""
    plain = _ESCAPES.sub("", text)
    return "".join(sign for sign in plain if is_kept(sign) or not _is_control(sign))


def _is_control(sign: str) -> bool:
    return sign in _TURNS or unicodedata.category(sign) in _UNPRINTABLE


def _limited(what: str, text: str, most: int) -> str:
    if len(text) > most:
        raise UsageError(f"{what} has {len(text):,} characters; use {most:,} at most")
    return text
