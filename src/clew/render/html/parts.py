"""Parts → markup. What is on a page thousands of times is written here, the rest in templates.

Filling a template for each message, call and block takes ten times as long as joining strings, and
an export of all sessions is made of little else.
"""

from collections.abc import Iterable
from typing import Final, assert_never

from clew.parts import (
    Checklist,
    Code,
    Diff,
    Document,
    Fields,
    Fold,
    Image,
    Links,
    Listing,
    Note,
    Output,
    Part,
    Prose,
    Table,
    Words,
)
from clew.render.html.diff import HunkView, draw_hunks
from clew.render.html.escaping import anchor, escape, escape_fully, markup, tag
from clew.render.html.folding import LineRange, code_ranges, output_ranges, text_ranges
from clew.render.html.formatting import draw_changes
from clew.render.html.prose import draw_prose, draw_typed, language_of
from clew.render.html.templates import draw

_MOST_ITEMS: Final = 40
_FIRST_ITEMS: Final = 25


def render_parts(parts: Iterable[Part]) -> str:
    """Draw parts for a template of another page."""
    return markup(draw_parts(tuple(parts)))


def draw_parts(parts: tuple[Part, ...], shown_path: str = "") -> str:
    """Draw parts one after another; `shown_path` is above them already and not repeated."""
    return "".join([draw_part(part, shown_path) for part in parts])


def draw_part(part: Part, shown_path: str = "") -> str:
    """Draw a part."""
    match part:
        case Prose(text):
            return f'<div class="prose" data-part="prose">{draw_prose(text)}</div>'
        case Code():
            return _code(part)
        case Output():
            return _output(part)
        case Fields():
            return _fields(part)
        case Fold():
            return _fold(part)
        case Diff():
            return _diff(part, shown_path)
        case Note():
            return _note(part)
        case Words():
            return _words(part)
        case Listing():
            return _listing(part)
        case Checklist():
            return draw("checklist.html", part=part)
        case Links():
            return draw("links.html", part=part)
        case Table():
            return draw("table.html", part=part)
        case Image():
            return draw("image.html", part=part)
        case Document():
            return draw("document.html", part=part)
        case _:
            assert_never(part)


def _note(note: Note) -> str:
    meta = ' data-level="4"' if note.is_meta else ""
    words = f"<bdi>{escape(note.text)}</bdi>"
    if note.message_id:
        words = f'<a href="#{anchor("m", note.message_id)}">{words}</a>'
    return f'<p class="note {note.tone}"{meta}>{words}</p>'


def _words(words: Words) -> str:
    if words.is_typed:
        return f'<div class="prose" data-part="words">{draw_typed(words.text)}</div>'
    return f'<div class="words" data-part="words">{_blocks(text_ranges(words))}</div>'


def _output(output: Output) -> str:
    name = tag("span", "name", escape(output.name)) if output.name else ""
    classes = "output bad" if output.is_error else "output"
    blocks = _blocks(output_ranges(output))
    return f'<div class="{classes}" data-part="output">{name}{blocks}</div>'


def _code(code: Code) -> str:
    language = language_of(code.language, code.path) or ("bash" if code.is_command else "")
    classes = "code command" if code.is_command else "code"
    named = f' data-language="{language}"' if language else ""
    blocks = _blocks(code_ranges(code))
    return f'<div class="{classes}" data-part="code"{named}>{blocks}</div>'


def _blocks(ranges: list[LineRange]) -> str:
    return "".join([_folded(s) if s.is_folded else _block(s) for s in ranges])


def _folded(part: LineRange) -> str:
    noun = "line" if part.lines == 1 else "lines"
    summary = f"<summary>{part.lines:,} more {noun}</summary>"
    return f'<details class="middle">{summary}{_block(part)}</details>'


def _block(part: LineRange) -> str:
    # A parser drops the newline after the tag, so that one of the text itself stays.
    text = f'<pre class="text">\n{part.text}</pre>'
    return _numbered(part.numbers, text) if part.numbers else text


def _numbered(numbers: str, text: str) -> str:
    column = f'<pre class="numbers" aria-hidden="true">\n{numbers}</pre>' if numbers else ""
    return f'<div class="numbered">{column}{text}</div>'


def _diff(diff: Diff, shown_path: str) -> str:
    path = ""
    if diff.path and diff.path != shown_path:
        changes = draw_changes(diff.added, diff.removed, is_lower_bound=diff.is_lower_bound)
        path = f'<p class="path"><bdi>{escape(diff.path)}</bdi> {changes}</p>'
    hunks = "".join([_hunk(hunk) for hunk in draw_hunks(diff)])
    return f'<div class="diff" data-part="diff">{path}{hunks}</div>'


def _hunk(hunk: HunkView) -> str:
    between = '<p class="between" aria-hidden="true">⋯</p>' if hunk.is_far else ""
    return between + _numbered(hunk.numbers, f'<pre class="text">{hunk.text}</pre>')


def _fields(fields: Fields) -> str:
    pairs = [
        f"<div><dt><bdi>{escape_fully(name)}</bdi></dt><dd><bdi>{escape_fully(value)}</bdi></dd></div>"
        for name, value in fields.pairs
    ]
    return f'<dl class="fields">{"".join(pairs)}</dl>'


def _listing(listing: Listing) -> str:
    items, total = listing.items, listing.total
    is_long = len(items) > _MOST_ITEMS
    drawn = _items(items[:_FIRST_ITEMS] if is_long else items)
    if is_long:
        summary = f"<summary>{len(items) - _FIRST_ITEMS:,} more</summary>"
        rest = _items(items[_FIRST_ITEMS:])
        drawn += f'\n<details class="middle">{summary}\n{rest}</details>'
    if total is not None and total > len(items):
        drawn += f'<p class="note quiet">{total:,} in total</p>'
    return drawn


def _items(items: tuple[str, ...]) -> str:
    drawn = "".join([f"<li><bdi>{escape_fully(item)}</bdi></li>" for item in items])
    return f'<ul class="listing">{drawn}</ul>'


def _fold(fold: Fold) -> str:
    meta = ' data-level="4"' if fold.is_meta else ""
    is_open = " open" if fold.is_open else ""
    summary = f"<summary><bdi>{escape(fold.title)}</bdi></summary>"
    inside = draw_parts(fold.parts)
    return f'<details class="fold" data-part="fold"{meta}{is_open}>{summary}{inside}</details>'
