"""Pages read back: what a reader can find on them of what was said."""

import re
from collections.abc import Iterable, Iterator
from typing import Final
from xml.etree.ElementTree import Element

import msgspec

from clew.conversation import Conversation
from tests.unit.render.html.parsing import find, parse

_WORD: Final = re.compile(r"[^\W_]+")
# The client's own tags tell what a text is, which pages show by other means. Controls and
# invisible characters are written out or dropped.
_UNSHOWN: Final = re.compile(
    r"</?[a-z][a-z_-]*(?: [^<>]*)?>"
    r"|[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u2028-\u202e\u2060-\u206f\ufeff]"
)
# Whoever shows a list draws its markers.
_MARKERS: Final = re.compile(r"\s*(?:(?:[-*+>]|\d+[.)]|\[[ xX]\])\s+)+")
# The client's own words around the preview of an output that it wrote to a file.
_PREVIEW: Final = re.compile(r"^Preview \(first .*\):$", re.MULTILINE)
# Escape sequences are played or dropped, never shown.
_ESCAPE: Final = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]*(?:\x07|\x1b\\)?|.)")
# Where lines of a file stand behind their numbers, formats count by themselves.
_NUMBER: Final = re.compile(r"^ *\d+(?:→|\t)", re.MULTILINE)
_ATTRIBUTES: Final = ("href", "title", "alt", "data-language", "aria-label")
_INLINE: Final = ("a", "b", "bdi", "code", "del", "em", "mark", "small", "span", "strong")
_UNSEEN: Final = ("style", "script", "head")


class Words(msgspec.Struct):
    """What stands on a page: its letters in order, and all its words."""

    letters: str
    lines: set[str]
    words: set[str]

    def holds(self, line: str) -> bool:
        """Tell whether a line stands on the page, or all its words do.

        Markdown takes its own signs away: addresses of links and the language of a fence are in
        the markup.
        """
        bare = _MARKERS.sub("", line, count=1) if _MARKERS.match(line) else line
        letters = squeeze(bare)
        if letters in self.lines or letters in self.letters:
            return True
        return self.words.issuperset(_WORD.findall(bare.casefold()))

    def holds_words(self, line: str) -> bool:
        """Tell whether all words of a line stand on the page, be it within others."""
        return self.holds(line) or all(
            word in self.letters for word in _WORD.findall(line.casefold())
        )


def read_html(html: str) -> Words:
    """Read a page; anything that is not valid HTML5 is an error."""
    body = next(find(parse(html), "body"))
    text = "".join(_texts(body))
    named = (element.get(name, "") for element in body.iter() for name in _ATTRIBUTES)
    return read_words(text, named)


def read_words(text: str, more: Iterable[str] = ()) -> Words:
    """Take the words of a text, and some that stand in none of its lines."""
    words = set(_WORD.findall(text.casefold()))
    words.update(word for each in more for word in _WORD.findall(each.casefold()))
    return Words(squeeze(text), {squeeze(line) for line in text.split("\n")}, words)


def squeeze(text: str) -> str:
    """Keep letters and digits alone."""
    return "".join(_WORD.findall(text)).casefold()


def missing(conversation: Conversation, shown: Words) -> list[tuple[str, str]]:
    """Give what was said, thought or answered by a tool and is not shown, with its id."""
    lost = [(name, line) for name, line in _said(conversation) if not shown.holds(line)]
    # The client cuts words off when it tells of an edit.
    results = ((name, line) for name, line in _answered(conversation))
    return lost + [(name, line) for name, line in results if not shown.holds_words(line)]


def _said(conversation: Conversation) -> Iterator[tuple[str, str]]:
    for message in conversation.messages:
        for block in message.blocks:
            if block.kind in ("text", "thinking"):
                yield from ((message.id, line) for line in _lines(block.text))


def _answered(conversation: Conversation) -> Iterator[tuple[str, str]]:
    for call in conversation.tool_calls:
        text = _PREVIEW.sub("", _NUMBER.sub("", call.result_text))
        yield from ((call.id, line) for line in _lines(text))


def _lines(text: str) -> Iterator[str]:
    """Give what is to be shown of lines: of one that was written over, the last writing."""
    for line in _ESCAPE.sub("", text.replace("\r\n", "\n")).split("\n"):
        writings = [writing for writing in line.split("\r") if writing]
        yield from (piece for piece in _UNSHOWN.split("".join(writings[-1:])) if piece.strip())


def _texts(element: Element) -> Iterator[str]:
    name = str(element.tag).rpartition("}")[2]
    if name in _UNSEEN:
        return
    yield element.text or ""
    for child in element:
        yield from _texts(child)
        yield child.tail or ""
    if name not in _INLINE:
        yield "\n"
