"""Markdown of people and models, made safe to embed in a page.

Headings go below those of the page, tags are written out, fences are closed, pictures from
elsewhere become links. The parser that finds code also checks the result; a text that is still not
safe after several rounds is shown as code.
"""

import re
from typing import Final

import msgspec
from comrak import ExtensionOptions, ParseOptions, RenderOptions, render_markdown

from clew.render.markdown.inline import fence
from clew.render.markdown.options import DEEPEST
from clew.render.safe import printable

_RISKY: Final = re.compile(
    r"""
    ^[\s>*+\d.)-]*\#{1,6}(?:\s|$) | ^[\s>]*[=-]+\s*$ | ``` | ~~~
  | <[A-Za-z/!?] | !\[ | \]\( | \]: | %% | \$\$ | ^[ >*+\d.)-]*\t
    """,
    re.VERBOSE | re.MULTILINE,
)
_FOUND: Final = re.compile(
    r"<(h[1-6]|pre|code|a|img)\b[^>]*?data-sourcepos=\"(\d+):(\d+)-(\d+):(\d+)\""
    r"(?: href=\"([^\"]*)\")?(?=(><code[^>]*>(?:```|~~~))?)"
)
_OMITTED: Final = "<!-- raw HTML omitted -->"
_FOLLOWED: Final = re.compile(r"https?:|mailto:|(?![a-z][a-z\d+.-]*:).", re.IGNORECASE | re.DOTALL)
_AUTOLINK: Final = r"<(?:https?://|mailto:)[^\s<>]*>"
_ESCAPED: Final = re.compile(rf"{_AUTOLINK}|<(?=[A-Za-z/!?])|(\\?)!(?=\[)|%(?=%)", re.IGNORECASE)
_FORMULA: Final = re.compile(r"(?<!\\)\$(?=\$)|(?<=(?<!\\)\$)\$")
_FENCE: Final = re.compile(r"`{3,}|~{3,}")
_UNDERLINE: Final = re.compile(r"(?:=+|-+)\s*$")
_LEAD: Final = re.compile(r"^[ \t>*+\d.)-]*\t")
_TAB: Final = 4
_LAST: Final = "# end"
_TRIES: Final = 6


class _Span(msgspec.Struct, frozen=True):
    """Something that the parser found: its tag, and its first and last line and column.

    `shows_fence` when a block of code begins with a fence that is no fence but code.
    """

    tag: str
    line: int
    column: int
    last_line: int
    last_column: int
    url: str = ""
    shows_fence: bool = False


class _Reading(msgspec.Struct, frozen=True):
    """What a parser makes of a text; `is_closed` when what comes after it is read for itself."""

    spans: list[_Span]
    is_closed: bool
    has_tags: bool

    @property
    def has_pictures(self) -> bool:
        return any(span.tag == "img" for span in self.spans)

    @property
    def is_safe(self) -> bool:
        return self.is_closed and not (self.has_tags or self.has_pictures or self.bad_links)

    @property
    def bad_links(self) -> list[_Span]:
        return [s for s in self.spans if s.tag == "a" and _FOLLOWED.match(s.url) is None]


def contain(text: str, level: int) -> str:
    """Return Markdown whose headings are below `level`, and which ends where it ends."""
    text = printable(text).strip("\n")
    if _RISKY.search(text) is None:
        return text
    for _ in range(_TRIES):
        reading = _read(text)
        mended = _mend(text, reading, level)
        if mended == text:
            return text if reading.is_safe else fence(text, "markdown")
        text = mended
    return fence(text, "markdown")


def _read(text: str) -> _Reading:
    extensions, parsing, rendering = ExtensionOptions(), ParseOptions(), RenderOptions()
    extensions.table = extensions.tasklist = extensions.strikethrough = True
    parsing.sourcepos_chars = rendering.sourcepos = True
    line = text.count("\n") + 3
    html = render_markdown(f"{text}\n\n{_LAST}", extensions, parsing, rendering)
    spans = [_span(found) for found in _FOUND.finditer(html)]
    is_closed = html.endswith(f'<h1 data-sourcepos="{line}:1-{line}:{len(_LAST)}">end</h1>\n')
    return _Reading(spans[:-1] if is_closed else spans, is_closed, _OMITTED in html)


def _span(found: re.Match[str]) -> _Span:
    line, column, last_line, last_column = map(int, found.group(2, 3, 4, 5))
    return _Span(found[1], line, column, last_line, last_column, found[6] or "", bool(found[7]))


def _mend(text: str, reading: _Reading, level: int) -> str:
    lines = text.split("\n")
    untabbed = _untab(lines, reading)
    if untabbed != lines:
        return "\n".join(untabbed)
    code = _code_of(reading, lines)
    escaped = [_escape(line, code.get(number, [])) for number, line in enumerate(lines, 1)]
    if sum(len(_FORMULA.findall(line)) for line in escaped) // 2 % 2:
        escaped = [_FORMULA.sub(r"\\$", line) for line in escaped]
    if escaped != lines:
        return "\n".join(escaped)
    for span in reversed(reading.bad_links):
        _insert(lines, span.line, span.column, "\\")
    _demote(lines, [span for span in reading.spans if span.tag[1:].isdigit()], level)
    if not reading.is_closed:
        lines.extend(_closing(lines, reading))
    return "\n".join(lines)


def _untab(lines: list[str], reading: _Reading) -> list[str]:
    """Write blanks for tabs before words: how much a tab indents depends on what is before it."""
    fenced = {
        number
        for span in reading.spans
        if span.tag == "pre" and not span.shows_fence
        if _FENCE.match(lines[span.line - 1][span.column - 1 :])
        for number in range(span.line, span.last_line + 1)
    }
    return [
        line if number in fenced else _LEAD.sub(lambda lead: lead[0].expandtabs(_TAB), line)
        for number, line in enumerate(lines, 1)
    ]


def _code_of(reading: _Reading, lines: list[str]) -> dict[int, list[tuple[int, int]]]:
    """Return the columns of each line that are code, first and last."""
    found: dict[int, list[tuple[int, int]]] = {}
    for span in reading.spans:
        if span.tag not in ("pre", "code"):
            continue
        last = span.last_line if span.last_column else span.last_line - 1
        for number in range(span.line, min(last, len(lines)) + 1):
            is_first, is_last = number == span.line, number == last
            start = span.column if is_first and span.tag == "code" else 1
            end = span.last_column if is_last and span.tag == "code" else len(lines[number - 1])
            found.setdefault(number, []).append((start, end))
    return found


def _escape(line: str, code: list[tuple[int, int]]) -> str:
    """Write out tags and other marks of power, but not in code."""
    pieces, position = [], 0
    for start, end in sorted(code):
        pieces.append(_ESCAPED.sub(_written_out, line[position : start - 1]))
        pieces.append(line[max(start - 1, position) : end])
        position = max(end, position)
    pieces.append(_ESCAPED.sub(_written_out, line[position:]))
    return "".join(pieces)


def _written_out(found: re.Match[str]) -> str:
    match found[0]:
        case "<":
            return "&lt;"
        case "!":
            return r"\!"
        case "%":
            return "%\\"
        case _:
            return found[0]


def _insert(lines: list[str], number: int, column: int, text: str) -> None:
    if number <= len(lines):
        line = lines[number - 1]
        lines[number - 1] = line[: column - 1] + text + line[column - 1 :]


def _demote(lines: list[str], headings: list[_Span], level: int) -> None:
    """Move headings below a level, all by as much."""
    highest = min((int(span.tag[1]) for span in headings), default=DEEPEST)
    shift = max(min(level + 1, DEEPEST) - highest, 0)
    for span in headings:
        depth = min(int(span.tag[1]) + shift, DEEPEST)
        if lines[span.line - 1][span.column - 1 :].startswith("#"):
            _insert(lines, span.line, span.column, "#" * (depth - int(span.tag[1])))
        elif shift:
            _unline(lines, span, depth)


def _unline(lines: list[str], span: _Span, depth: int) -> None:
    """Write an underlined heading with a mark before it; one of several lines loses its rank."""
    is_short = span.last_line == span.line + 1
    if is_short:
        _insert(lines, span.line, span.column, "#" * depth + " ")
    under = _UNDERLINE.sub("" if is_short else "***", lines[span.last_line - 1])
    lines[span.last_line - 1] = under.rstrip()


def _closing(lines: list[str], reading: _Reading) -> list[str]:
    """Return the fence that closes the last block of code."""
    for span in reversed(reading.spans):
        if span.tag == "pre" and span.line <= len(lines):
            found = _FENCE.match(lines[span.line - 1][span.column - 1 :])
            return [found[0]] if found else []
    return []
