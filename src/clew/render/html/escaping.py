"""Text from transcripts, escaped for a page.

Everything that reaches a page has passed `escape` or `escape_value`, or a template, whose whole
text passes `clean`: no template contains such characters, so any found came from outside.
"""

import hashlib
import re
from functools import lru_cache
from typing import Final
from urllib.parse import quote

import minijinja

# Turners of direction, invisible marks and tags. Joiners, and the marks that Arabic and Hebrew
# are written with, stay: they cannot make a line read differently than it is.
_INVISIBLE: Final = "\u200b\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e0fff"
_CONTROLS: Final = "\x00-\x08\x0b-\x1f\x7f-\x9f"
_ODD: Final = re.compile(f"\r\n|[{_CONTROLS}{_INVISIBLE}\ud800-\udfff]")
_ASCII_CONTROLS: Final = bytes((*range(9), *range(11, 32), 127))
_PICTURES: Final = 0x2400
_DELETE: Final = "\x7f"
_SPACE: Final = " "
_PLAIN_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,128}")
_ODD_IN_ID: Final = re.compile(r"[^A-Za-z0-9_-]")
_LONGEST_ID: Final = 128
_SCHEME: Final = re.compile(r"(?:https?://|mailto:)[^\s\x00-\x20<>\"]+", re.IGNORECASE)
_TINTS: Final = frozenset(("red", "blue", "green", "yellow", "purple", "orange", "pink", "cyan"))
_WORD: Final = re.compile(r"[a-z][a-z0-9_-]{0,40}")


def escape(text: str) -> str:
    """Escape text between tags."""
    if not text.isprintable():
        text = clean(text)
    if "&" in text:
        text = text.replace("&", "&amp;")
    if "<" in text:
        text = text.replace("<", "&lt;")
    return text.replace(">", "&gt;") if ">" in text else text


def in_url(name: str) -> str:
    """Return an id as a piece of an address; a transcript may fill it with anything."""
    return quote(name, safe="", errors="replace")


def escape_value(text: str) -> str:
    """Escape text in an attribute, between double quotes."""
    text = escape(text)
    return text.replace('"', "&quot;") if '"' in text else text


def escape_fully(text: str) -> str:
    """Escape text as a template does: both kinds of quotes and slashes too."""
    text = escape_value(text)
    if "'" in text:
        text = text.replace("'", "&#x27;")
    return text.replace("/", "&#x2f;") if "/" in text else text


def tag(name: str, classes: str, inner: str) -> str:
    """Put markup in an element with classes of ours."""
    return f'<{name} class="{classes}">{inner}</{name}>'


def markup(text: str) -> str:
    """Mark text as markup that is already safe, for a template to take as it is."""
    return minijinja.safe(text)


def clean(text: str) -> str:
    """Put visible marks in place of controls, turners of direction and invisible characters."""
    return _ODD.sub(_visible, text) if _may_be_odd(text) else text


def replace_surrogates(text: str) -> str:
    """Put a mark in place of halves of characters, which no file can hold."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def anchor(prefix: str, name: str) -> str:
    """Return the id of an element; different names have different ids, whatever they contain."""
    if _PLAIN_ID.fullmatch(name):
        return f"{prefix}-{name}"
    written = _ODD_IN_ID.sub(_escape_in_id, name)
    if len(written) > _LONGEST_ID:
        digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
        written = f"{written[: _LONGEST_ID // 2]}..{digest[:32]}"
    return f"{prefix}-{written}"


def safe_url(url: str) -> str:
    """Return an address that may be followed, else nothing."""
    stripped = url.strip()
    return stripped if _SCHEME.fullmatch(stripped) else ""


@lru_cache(maxsize=256)
def class_names(names: tuple[str, ...]) -> str:
    """Join those names that can be classes."""
    return " ".join(name for name in names if _WORD.fullmatch(name))


def _may_be_odd(text: str) -> bool:
    """Return whether a search is needed: several times as fast as the search."""
    if text.isascii():
        raw = text.encode("ascii")
        return len(raw.translate(None, _ASCII_CONTROLS)) < len(raw)
    return not text.replace("\n", "").replace("\t", "").isprintable()


def tint(colour: str) -> str:
    """Return the class of a colour that someone chose, if it is one of ours."""
    return f"tint-{colour}" if colour in _TINTS else ""


def _visible(found: re.Match[str]) -> str:
    character = found[0]
    if character == "\r\n":
        return "\n"
    if character < _SPACE:
        return chr(_PICTURES + ord(character))
    if character == _DELETE:
        return "\u2421"
    if "\ud800" <= character <= "\udfff":
        return "\ufffd"
    return f"\u27e8U+{ord(character):04X}\u27e9"


def _escape_in_id(found: re.Match[str]) -> str:
    return f".{ord(found[0]):x}."
