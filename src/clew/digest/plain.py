"""Text without markup: what is removed from a text, and which texts are refused."""

import re
import unicodedata
from typing import Final

from clew.storable import storable

_CODE: Final = re.compile(r"(?<!`)(`++)(.+?)(?<!`)\1(?!`)", re.DOTALL)
_LINK: Final = re.compile(r"!?\[([^\[\]]*)\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:\s[^()]*)?\)")
_STARS: Final = re.compile(r"(?<!\\)(\*{1,3})(?=\S)([^*]+)(?<=[^\s\\])\1")
_LOW_LINES: Final = re.compile(r"(?<!\w)(_{1,2})(?=[^\s_])([^_]*[^\s_])\1(?!\w)")
_DUNDER: Final = re.compile(r"__\w+__")
_ESCAPED: Final = re.compile(r"\\([\\`*_{}\[\]()#+.!|~>-])")
_LEAD: Final = re.compile(r"^(?:\s*(?:#{1,6}\s|>|[-*+•]\s(?:\[[ xX]\]\s)?|\d{1,3}[.)]\s))+")
# Links, HTML and entities, whatever Markdown would make of the rest; struck out words are negated.
_MARKUP: Final = re.compile(
    r"[a-z][a-z0-9+.-]{0,30}://|\bwww\.|\b(?:javascript|vbscript|mailto):\S|\bdata:\w+[/;,]"
    r"|<[a-z/!?]|&(?:#\d+|#x[0-9a-f]+|[a-z][a-z0-9]{1,30});|\]\(|!\[|^\[[^\]]+\]:\s|\*\*|`|~~",
    re.IGNORECASE,
)
_BIDI: Final = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_ADDRESS: Final = re.compile(
    r"\b[A-Za-z][A-Za-z0-9+.-]{0,30}://[^\s<>\"'`)\]]*|\bwww\.[^\s<>\"'`)\]]*"
    r"|\b(?:javascript|vbscript|mailto|data):[^\s<>\"'`)\]]+",
    re.IGNORECASE,
)
_TAG: Final = re.compile(r"<[A-Za-z/!?][^<>]{0,400}>?|&(?:#?\w{1,30});")
_LEFT_OVERS: Final = re.compile(r"\]\(|!\[|\*\*|`|~~")
_CONTROLS: Final = re.compile(r"[\x00-\x1f\x7f-\x9f]+")
_DEFINITION: Final = re.compile(r"^\[([^\]]+)\]:\s")
_GAP: Final = "…"
_WITHOUT_BIDI: Final = dict.fromkeys(map(ord, _BIDI))
_MOST_MARKS: Final = 4
_UNSEEN: Final = ("Cf", "Cn", "Co", "Cs")


def is_plain(text: str) -> bool:
    """Return whether a text is free of links, markup, control and direction characters."""
    return not _MARKUP.search(text) and not _is_odd(text)


def plain_words(text: str) -> str:
    """Return a text on one line, as plain text; … replaces links and tags."""
    line = strip_markdown(_CONTROLS.sub(" ", text).translate(_WITHOUT_BIDI))
    if is_plain(line):
        return line
    for pattern in (_ADDRESS, _TAG):
        line = pattern.sub(_GAP, line)
    line = flatten(_LEFT_OVERS.sub(" ", _DEFINITION.sub(r"\1 ", line)))
    return line if is_plain(line) else ""


def strip_markdown(text: str) -> str:
    """Remove the signs of Markdown from a line of talk; links become their words."""
    pieces = []
    done = 0
    for code in _CODE.finditer(text):
        pieces += [_strip_outside_code(text[done : code.start()]), code[2].strip()]
        done = code.end()
    pieces.append(_strip_outside_code(text[done:]))
    return flatten("".join(pieces).replace("`", ""))


def strip_lead(text: str) -> str:
    """Remove what marks a line as a heading, a quotation or an item of a list."""
    return _LEAD.sub("", text)


def flatten(text: str) -> str:
    """Put a text on one line, without characters that nobody sees."""
    text = storable(text)
    if not text.isascii():
        if not text.isprintable():
            signs = (sign for sign in text if not _is_unseen(sign))
            text = "".join(" " if sign in "\u2028\u2029\x85" else sign for sign in signs)
        text = unicodedata.normalize("NFC", text)
    return " ".join(text.split())


def cut(text: str, length: int) -> str:
    """Shorten a text at a word, so that it has at most so many characters."""
    if len(text) <= length:
        return text
    head = text[:length].rpartition(" ")[0]
    return f"{(head or text)[: length - 1].rstrip(' ,;:-')}…"


def _strip_outside_code(text: str) -> str:
    text = _LINK.sub(r"\1", text)
    text = _STARS.sub(r"\2", _STARS.sub(r"\2", text))
    text = _LOW_LINES.sub(lambda found: found[0] if _DUNDER.fullmatch(found[0]) else found[2], text)
    return _ESCAPED.sub(r"\1", text)


def _is_unseen(sign: str) -> bool:
    return sign not in _BIDI and unicodedata.category(sign) in _UNSEEN


def _is_odd(text: str) -> bool:
    """Return whether a text has control or direction characters, or heaps of accents."""
    if text.isascii():
        return not text.isprintable()
    marks = 0
    for sign in text:
        kind = unicodedata.category(sign)
        marks = marks + 1 if kind in {"Mn", "Me"} else 0
        if kind == "Cc" or kind in _UNSEEN or sign in _BIDI or marks > _MOST_MARKS:
            return True
    return False
