"""Parts → lines: what a call shows when it is opened, and what a message says."""

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final, assert_never

from clew.parts import (
    CheckItem,
    Checklist,
    Code,
    Diff,
    Document,
    Fields,
    Fold,
    Image,
    Link,
    Links,
    Listing,
    Note,
    Output,
    Part,
    Prose,
    Table,
    Words,
)
from clew.render.ansi import has_sequences
from clew.render.formatting import image_facts
from clew.render.safe import safe, safe_line, safe_lines
from clew.render.terminal.ansi import coloured_lines
from clew.render.terminal.context import TerminalContext
from clew.render.terminal.lines import Line, chop, chop_line, cut, indent, wrap
from clew.render.terminal.prose import fold, folded, prose, trimmed
from clew.render.terminal.tables import draw_fields, draw_table

_NUMBER: Final = 5
_BOXES: Final = {"open": "[ ]", "doing": "[>]", "done": "[x]", "dropped": "[-]"}
_BOX_STYLES: Final = {"open": "", "doing": "warn", "done": "good", "dropped": "quiet"}
_TONES: Final = {"": "", "good": "good", "warn": "warn", "bad": "bad", "quiet": "quiet"}
_MARKS: Final = {"+": "good", "-": "bad"}
_USUAL: Final = ("", "stdout")
_ALL: Final = 1_000_000_000
_MOST_PIECES: Final = 8


def draw_parts(parts: Iterable[Part], context: TerminalContext) -> Iterator[Line]:
    """Draw parts one below the other."""
    known = tuple(parts)
    named = sum(isinstance(part, Diff) for part in known) > 1
    for part in known:
        if named and isinstance(part, Diff):
            yield from ([(piece, "strong")] for piece in chop(safe_line(part.path), context.width))
        yield from draw_part(part, context)


def draw_part(part: Part, context: TerminalContext) -> Iterator[Line]:
    """Draw one part."""
    most = context.most_lines or _ALL
    match part:
        case Prose(text):
            yield from _most(([line] for line in prose(text, context.width)), context)
        case Words(text, is_typed=True):
            yield from _most(([line] for line in prose(text, context.width)), context)
        case Words(text):
            yield from folded(text, context.width, most)
        case Code():
            yield from _draw_code(part, context)
        case Output():
            yield from _draw_output(part, context)
        case Diff():
            yield from _most(_diff(part, context.width), context)
        case Table():
            yield from _most(([line] for line in draw_table(part, context.width)), context)
        case Fields(pairs):
            yield from draw_fields(pairs, context.width)
        case Listing(items, total):
            yield from _draw_listing(items, total, context)
        case Links(links):
            yield from chain.from_iterable(_draw_link(link, context.narrow) for link in links)
        case Checklist(items):
            yield from chain.from_iterable(_draw_check(item, context.narrow) for item in items)
        case Image() | Document():
            yield from _draw_picture(part, context)
        case Note(text, tone):
            yield from folded(text, context.narrow, most, _TONES[tone])
        case Fold():
            yield from _draw_fold(part, context)
        case _:
            assert_never(part)


def _draw_code(code: Code, context: TerminalContext) -> Iterator[Line]:
    lines = trimmed(safe_lines(code.text))
    if code.is_command:
        yield from _most(_command(lines, context.width), context)
    elif code.first_line is not None:
        numbered = enumerate(safe_lines(code.text.rstrip("\n")), code.first_line)
        leads = ((f"{number:>{_NUMBER}}  ", line) for number, line in numbered)
        yield from _most((_numbered(*pair, "code", context.width) for pair in leads), context)
    else:
        yield from _most((_chopped(line, "code", context.width) for line in lines), context)


def _command(lines: list[str], width: int) -> Iterator[list[Line]]:
    for number, line in enumerate(lines):
        mark = "  " if number else "$ "
        yield [[(piece, "code")] for piece in wrap(f"{mark}{line}", width, 2)]


def _chopped(text: str, style: str, width: int) -> list[Line]:
    return [[(piece, style)] for piece in chop(text, width)]


def _draw_output(output: Output, context: TerminalContext) -> Iterator[Line]:
    style = "bad" if output.is_error else "quiet"
    if output.name not in _USUAL and output.text.strip():
        yield [(cut(f"{safe_line(output.name)}:", context.width), "quiet")]
    if not has_sequences(output.text):
        yield from folded(output.text, context.width, context.most_lines or _ALL, style)
        return
    lines = trimmed(list(coloured_lines(output.text, style)))
    yield from _most((list(chop_line(line, context.width)) for line in lines), context)


def _diff(diff: Diff, width: int) -> Iterator[list[Line]]:
    """Draw hunks with the line numbers of the file as it was and as it is."""
    for number, hunk in enumerate(diff.hunks):
        if number:
            yield [[("⋯".rjust(_NUMBER), "quiet")]]
        old, new = hunk.old_start, hunk.new_start
        for line in hunk.lines:
            mark = line[:1]
            at = old if mark == "-" else new
            old = None if old is None else old + (mark in "- ")
            new = None if new is None else new + (mark in "+ ")
            text = "" if at is None or mark == "\\" else str(at)
            style = _MARKS.get(mark, "quiet")
            # A lone carriage return would start a new line.
            shown = safe(line).rstrip().replace("\n", "\\n")
            yield _numbered(f"{text:>{_NUMBER}} ", shown, style, width)


def _numbered(number: str, text: str, style: str, width: int) -> list[Line]:
    """Draw a line behind its number; what has no room goes on below itself."""
    lines: list[Line] = []
    lead = number
    for piece in chop(text, width - len(number)):
        lines.append([(lead, "quiet"), (piece, style)] if piece else [(lead.rstrip(), "quiet")])
        lead = " " * len(number)
    return lines


def _draw_listing(
    items: tuple[str, ...], total: int | None, context: TerminalContext
) -> Iterator[Line]:
    yield from _most((_chopped(safe_line(item), "", context.width) for item in items), context)
    if total is not None and total > len(items):
        yield [(f"{len(items):,} of {total:,}", "quiet")]


def _draw_link(link: Link, width: int) -> Iterator[Line]:
    title, note = safe_line(link.title), safe_line(link.note)
    if title:
        yield from ([(piece, "strong")] for piece in wrap(title, width, 2))
    lead = "  " if title else ""
    yield from ([(piece, "code")] for piece in wrap(f"{lead}{safe_line(link.url)}", width, 2))
    if note:
        yield from ([(piece, "quiet")] for piece in wrap(f"  {note}", width, 2))


def _draw_check(item: CheckItem, width: int) -> Iterator[Line]:
    text = " — ".join(filter(None, map(safe_line, (item.text, item.note))))
    change = f" ({safe_line(item.change)})" if item.change else ""
    style = _BOX_STYLES[item.state]
    for number, piece in enumerate(wrap(f"{text}{change}", width - 4)):
        box = "   " if number else _BOXES[item.state]
        yield [(f"{box} ", style), (piece, "quiet" if item.state == "dropped" else "")]


def _draw_picture(shown: Image | Document, context: TerminalContext) -> Iterator[Line]:
    """Name a picture or document, which a terminal does not show."""
    name = shown.name if isinstance(shown, Document) else shown.text or shown.url
    facts = " ".join(filter(None, (safe_line(fact[:20]) for fact in image_facts(shown))))
    text = f"[{facts}] {safe_line(name)}".rstrip()
    yield from ([(piece, "quiet")] for piece in wrap(text, context.narrow, 2))


def _draw_fold(part: Fold, context: TerminalContext) -> Iterator[Line]:
    opened = part.is_open or context.is_whole
    mark = "▾" if opened else "▸"
    yield from (
        [(piece, "quiet")] for piece in wrap(f"{mark} {safe_line(part.title)}", context.narrow, 2)
    )
    if opened:
        yield from indent(draw_parts(part.parts, context.indented(2)), ("  ", ""))


def _most(lines: Iterable[list[Line]], context: TerminalContext) -> list[Line]:
    if context.most_lines is None:
        return list(chain.from_iterable(lines))
    return fold([_beginning(line) for line in lines], context.most_lines)


def _beginning(line: list[Line]) -> list[Line]:
    """Return the first pieces of a line, and of one without end a count of the others."""
    if len(line) <= _MOST_PIECES:
        return line
    left = sum(len(text) for piece in line[_MOST_PIECES:] for text, _style in piece)
    return [*line[:_MOST_PIECES], [(f"… {left:,} more characters", "quiet")]]
