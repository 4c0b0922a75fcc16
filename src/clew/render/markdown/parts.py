"""Parts → blocks of Markdown, to be set apart by empty lines."""

import re
from collections.abc import Iterable, Iterator
from typing import Final, assert_never

from clew.parts import (
    CheckItem,
    Checklist,
    Code,
    Diff,
    DiffHunk,
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
from clew.render.markdown.images import write_document, write_image
from clew.render.markdown.inline import as_html, cell, code_span, fence, inline, link
from clew.render.markdown.options import MarkdownContext
from clew.render.markdown.prose import contain
from clew.render.safe import printable, safe_line
from clew.render.typed_text import typed_blocks

# Blanks that mean something, and tables: Markdown would take the blanks and the bars away.
_SET: Final = re.compile(r"^[ \t]|\t|\S  +\S|^[|: -]*\|[|: -]*$", re.MULTILINE)
_BLANK_LINES: Final = re.compile(r"\n(?:[ \t]*\n)+")
_BOXES: Final = {"open": " ", "doing": " ", "done": "x", "dropped": " "}
_SHORT: Final = 200


def write_parts(parts: Iterable[Part], context: MarkdownContext) -> Iterator[str]:
    """Write parts one below the other."""
    for part in parts:
        yield from write_part(part, context)


def write_part(part: Part, context: MarkdownContext) -> Iterator[str]:
    """Write one part; what says nothing gives nothing."""
    match part:
        case Prose(text):
            yield from _unless_blank(contain(truncate(text, context), context.level))
        case Words(text, is_typed):
            yield from (_typed if is_typed else _words)(truncate(text, context))
        case Code():
            yield from _code(part, context)
        case Output(text, name):
            yield from _output(truncate(text, context), name)
        case Diff():
            yield fence(truncate("\n".join(_diff_lines(part)), context), "diff")
        case Table():
            yield from _unless_blank("\n".join(_rows(part)))
        case Fields(pairs):
            yield from _unless_blank("\n".join(_field(*pair, context) for pair in pairs))
        case Listing(items, total):
            yield from _listing(items, total, context)
        case Links(links):
            yield from _unless_blank("\n".join(map(_link, links)))
        case Checklist(items):
            yield from _unless_blank("\n".join(map(_check, items)))
        case Image():
            yield write_image(part, context)
        case Document():
            yield write_document(part)
        case Note(text, tone):
            yield from _unless_blank(note(text, is_loud=tone in ("bad", "warn")))
        case Fold(title, parts):
            yield from folded(as_html(title), write_parts(parts, context), note(title), context)
        case _:
            assert_never(part)


def folded(
    summary: str, blocks: Iterable[str], title: str, context: MarkdownContext
) -> Iterator[str]:
    """Write blocks below a summary line, as `details` says.

    Args:
        summary: The line as HTML, for a fold.
        blocks: What is below it.
        title: The line as Markdown.
        context: How the page is written.
    """
    if context.details == "none":
        yield title
        return
    inner = list(blocks)
    if context.details == "fold" and inner:
        yield from (f"<details>\n<summary>{summary}</summary>", *inner, "</details>")
    else:
        yield from (title, *inner)


def note(text: str, *, is_loud: bool = False) -> str:
    """Write a remark of our own."""
    words = inline(text)
    if not words:
        return ""
    return f"**{words}**" if is_loud else f"*{words}*"


def truncate(text: str, context: MarkdownContext) -> str:
    """Leave out the middle of a text that is longer than there is room for."""
    most = context.most_chars
    if most is None or len(text) <= most:
        return text
    first = most * 2 // 3
    last = len(text) - (most - first)
    return f"{text[:first]}\n… {last - first:,} characters left out …\n{text[last:]}"


def _unless_blank(block: str) -> Iterator[str]:
    if block.strip():
        yield block


def _words(text: str) -> Iterator[str]:
    """Write one line as text, and several as a block that keeps the line breaks."""
    body = printable(text).strip("\n")
    if "\n" in body:
        yield fence(body, "text")
    else:
        yield from _unless_blank(inline(body))


def _typed(text: str) -> Iterator[str]:
    """Write what a person typed so that it reads as typed: escaped, or as code where it is set."""
    for piece in typed_blocks(printable(text)):
        if piece.is_code or _SET.search(piece.text):
            yield fence(piece.text, piece.language if piece.is_code else "text")
        else:
            yield from map(_broken_lines, filter(str.strip, _BLANK_LINES.split(piece.text)))


def _broken_lines(paragraph: str) -> str:
    return "  \n".join(map(inline, paragraph.split("\n")))


def _code(code: Code, context: MarkdownContext) -> Iterator[str]:
    text = truncate(code.text, context)
    if not text.strip():
        return
    if code.first_line is not None and code.first_line > 1:
        yield f"*From line {code.first_line:,}*"
    yield fence(text, "bash" if code.is_command and not code.language else code.language)


def _output(text: str, name: str) -> Iterator[str]:
    if not text.strip():
        return
    if name and name != "stdout":
        yield note(name)
    yield fence(text, "text")


def _diff_lines(diff: Diff) -> Iterator[str]:
    path = safe_line(diff.path)
    if path:
        yield from (f"--- {path}", f"+++ {path}")
    for hunk in diff.hunks:
        yield _hunk_head(hunk)
        yield from hunk.lines


def _hunk_head(hunk: DiffHunk) -> str:
    if hunk.old_start is None or hunk.new_start is None:
        return "@@ @@"
    old = sum(line[:1] in ("-", " ", "") for line in hunk.lines)
    new = sum(line[:1] in ("+", " ", "") for line in hunk.lines)
    # A range without lines is named by the line before it.
    old_start, new_start = hunk.old_start - (not old), hunk.new_start - (not new)
    return f"@@ -{old_start},{old} +{new_start},{new} @@"


def _rows(table: Table) -> Iterator[str]:
    width = max(map(len, (table.columns, *table.rows)), default=0)
    if not width:
        return
    yield _row(table.columns, width)
    yield _row(("---",) * width, width, is_rule=True)
    yield from (_row(row, width) for row in table.rows)


def _row(cells: tuple[str, ...], width: int, *, is_rule: bool = False) -> str:
    written = cells if is_rule else tuple(map(cell, cells))
    return f"| {' | '.join((*written, *('',) * (width - len(cells))))} |"


def _field(name: str, value: str, context: MarkdownContext) -> str:
    body = printable(truncate(value, context)).strip()
    if "\n" not in body and len(body) <= _SHORT:
        return f"- {inline(name)}: {code_span(body)}".rstrip()
    block = fence(body, "text").replace("\n", "\n  ")
    return f"- {inline(name)}:\n\n  {block}"


def _listing(items: tuple[str, ...], total: int | None, context: MarkdownContext) -> Iterator[str]:
    if items:
        yield fence(truncate("\n".join(map(safe_line, items)), context), "text")
    if total is not None and total > len(items):
        yield f"*{len(items):,} of {total:,}*"


def _link(each: Link) -> str:
    line = link(each.url.strip(), each.title)
    return " — ".join(filter(None, (f"- {line}", inline(each.note))))


def _check(item: CheckItem) -> str:
    words = inline(item.text)
    if item.state == "dropped":
        words = f"~~{words}~~"
    elif item.state == "doing":
        words = f"**{words}** (in progress)"
    change = f"*{inline(item.change)}*" if item.change else ""
    line = " — ".join(filter(None, (words, inline(item.note), change)))
    return f"- [{_BOXES[item.state]}] {line}"
