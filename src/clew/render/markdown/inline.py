"""Words, code and addresses as Markdown that means nothing but them."""

import html
import re
from collections.abc import Iterable, Iterator
from typing import Final

from clew.render.safe import printable, safe_line

_SPECIAL: Final = re.compile(
    r"""
    [\\`*\[\]]               # code, emphasis, links
  | <(?=[A-Za-z/!?])         # tags
  | &(?=\#?\w+;)             # entities
  | (?<![^\W_])_ | _(?![^\W_])   # emphasis again: not inside of a word
  | ~(?=~) | (?<=~)~ | %(?=%) | \$(?=\$) | (?<=\$)\$
  | ^[-+\#>=](?=[\s\#>=-]|$) # lists, headings, quotes
    """,
    re.VERBOSE,
)
_NUMBERED: Final = re.compile(r"^(\d{1,9})([.)])(?=\s|$)")
_BACKTICKS: Final = re.compile(r"`+")
_FENCES: Final = re.compile(r"`{3,}")
_FOLLOWED: Final = re.compile(r"(?:https?://|mailto:)[^\s<>\"\\^`{}|]+", re.IGNORECASE)
_PARENS: Final = str.maketrans({"(": "%28", ")": "%29", "[": "%5B", "]": "%5D"})
_CALL: Final = "- **"
_LANGUAGE: Final = re.compile(r"[\w+#.-]{1,40}")


def inline(text: str) -> str:
    """Return a text on one line, its special characters escaped."""
    line = safe_line(text)
    return _NUMBERED.sub(r"\1\\\2", _SPECIAL.sub(r"\\\g<0>", line))


def cell(text: str) -> str:
    """Return a text as a cell of a table."""
    lines = [inline(line) for line in printable(text).strip().split("\n")]
    return "<br>".join(lines).replace("|", r"\|")


def code_span(text: str) -> str:
    """Return a text as code in a line, between more backticks than any run of them inside."""
    line = safe_line(text)
    if not line:
        return ""
    runs = {len(run) for run in _BACKTICKS.findall(line)}
    ticks = "`" * next(length for length in range(1, len(runs) + 2) if length not in runs)
    gap = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{ticks}{gap}{line}{gap}{ticks}"


def fence(text: str, language: str = "") -> str:
    """Return a text as a block of code, fenced by more backticks than any run of them inside."""
    body = printable(text).strip("\n")
    longest = max(map(len, _FENCES.findall(body)), default=2)
    ticks = "`" * (longest + 1)
    name = language if _LANGUAGE.fullmatch(language) else ""
    return f"{ticks}{name}\n{body}\n{ticks}"


def link(url: str, title: str) -> str:
    """Return a link, or the address as code where it is not one that a reader should follow."""
    if _FOLLOWED.fullmatch(url) is None:
        return " ".join(filter(None, (inline(title), code_span(url))))
    return f"[{inline(title or url)}]({url.translate(_PARENS)})"


def as_html(text: str) -> str:
    """Return a text on one line for a place where HTML is read and not Markdown."""
    # A blank line would end the block, and with it the tag.
    return html.escape(safe_line(text), quote=False)


def set_apart(blocks: Iterable[str]) -> Iterator[str]:
    """Put empty lines between blocks; calls of one line each stay together as a list."""
    before = ""
    for block in filter(None, blocks):
        is_listed = before.startswith(_CALL) and block.startswith(_CALL)
        yield f"{block}\n" if is_listed or not before else f"\n{block}\n"
        before = block


def quoted(blocks: Iterable[str]) -> str:
    """Put a quote's mark before every line, so that blocks are one quote."""
    text = "".join(set_apart(blocks)).removesuffix("\n")
    return "\n".join(f"> {line}" if line else ">" for line in text.split("\n"))
