"""A page cut to a number of tokens, for a model to read.

Nobody but the model's maker can count its tokens, so they are estimated by a rule that errs on the
side of too many: 4 bytes of UTF-8 a token, and 1.5 characters of Chinese, Japanese or Korean.
"""

import itertools
import re
from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from clew.render.formatting import plural
from clew.render.markdown.header import fact_lines, front_matter, outline, title_line
from clew.render.markdown.inline import set_apart
from clew.render.markdown.items import write_item, write_items
from clew.render.markdown.options import Details, MarkdownContext
from clew.view.page import Header, Item, SessionPage

# Twelfths of a token: the smallest in which both rules are whole numbers.
_TOKEN: Final = 12
_BYTE: Final = 3
_IDEOGRAPH: Final = 8
_IDEOGRAPHS: Final = re.compile(
    "[\u1100-\u11ff\u2e80-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff00-\uffef"
    "\U00020000-\U0003ffff]"
)
# At most so many characters of each text are kept, step after step, until a turn fits.
_SHORT: Final = (6000, 2000, 600, 200)
_LONG: Final = (None, 6000, 2000, 600)
_NOTE: Final = 30 * _TOKEN


class _Turn(msgspec.Struct, frozen=True):
    index: int
    items: tuple[Item, ...]


def estimate_tokens(text: str) -> int:
    """Estimate how many tokens a model reads in a text."""
    return -(-_weight(text) // _TOKEN)


def fit(page: SessionPage, context: MarkdownContext, max_tokens: int) -> str:
    """Write as much of a page as there is room for, the newest turns first."""
    room = max_tokens * _TOKEN
    head = _head(page.frame.header, context, room)
    room -= _weight(head)
    listed = ""
    if context.options.keep == "outline":
        listed = _listed(outline(page.frame.turns), room)
        room -= _weight(listed)
    text = f"{head}{listed}{_newest(_turns(page), context, room)}"
    return text.rstrip("\n") + "\n" if text.endswith("\n") else text


def _head(header: Header, context: MarkdownContext, room: int) -> str:
    """Write as much of the header as there is room for."""
    title = title_line(header)
    small = (title, fact_lines(header, context))
    whole = (front_matter(header), *small) if context.options.front_matter else small
    for blocks in (whole, small, (title,)):
        text = _joined(blocks)
        if _weight(text) <= room:
            return text
    return _cut_to(f"{title}\n\n", room)


def _listed(lines: list[str], room: int) -> str:
    """List the prompts; where there are too many, the first and the last."""
    for left in range(len(lines), 0, -1):
        first = left - left // 2
        gap = len(lines) - left
        kept = [*lines[:first], *([f"- … {gap:,} more …"] if gap else [])]
        text = _joined(["**Prompts**", "\n".join([*kept, *lines[len(lines) - left // 2 :]])])
        if _weight(text) <= room:
            return text
    return ""


def _newest(turns: list[_Turn], context: MarkdownContext, room: int) -> str:
    """Write the last turns, whole or in short, as long as there is room; then say what is not."""
    texts: list[str] = []
    short: list[int] = []
    gone: list[int] = []
    for number in reversed(range(len(turns))):
        turn = turns[number]
        text = _joined(write_items(turn.items, context))
        needs_note = bool(number or short)
        if _weight(text) > room - (_NOTE if needs_note else 0):
            text = _cut_turn(turn.items, context, room - _NOTE)
            short.append(turn.index)
        if not text and turn.items:
            short.pop()
            gone = [turn.index for turn in turns[: number + 1] if turn.index]
            break
        texts.append(text)
        room -= _weight(text)
    note = _note(gone, [index for index in short if index])
    return (note if _weight(note) <= room else "") + "".join(reversed(texts))


def _note(gone: list[int], short: list[int]) -> str:
    """List the turns that were left out or shortened."""
    notes = [f"Left out before this: {_span(gone)}."] if gone else []
    if short:
        line = _span(short) if len(short) == 1 else plural(len(short), "turn")
        notes.append(f"Shortened: {line}.")
    return f"*{' '.join(notes)}*\n\n" if notes else ""


def _span(turns: list[int]) -> str:
    return f"turn {turns[0]}" if len(turns) == 1 else f"turns {turns[0]} to {turns[-1]}"


def _cut_turn(items: Sequence[Item], context: MarkdownContext, room: int) -> str:
    """Write all of a turn in short, and as much of its end as there is room for at length."""
    texts: list[str] = []
    for most in _SHORT:
        texts = _written(items, _cut(context, most, "none"))
        if sum(map(_weight, texts)) <= room:
            return "".join(_lengthened(texts, items, context, room))
    return _ends(texts, room)


def _lengthened(
    texts: list[str], items: Sequence[Item], context: MarkdownContext, room: int
) -> list[str]:
    """Write the last items at length, as far as there is room."""
    longer = list(texts)
    room -= sum(map(_weight, texts))
    for number in reversed(range(len(items))):
        if room < _NOTE:
            break
        for most in _LONG:
            cut = _cut(context, most, context.details)
            text = _joined(write_item(items[number], _before(items, number), cut))
            extra = _weight(text) - _weight(texts[number])
            if 0 <= extra <= room:
                longer[number] = text
                room -= extra
                break
    return longer


def _ends(texts: list[str], room: int) -> str:
    """Keep the first of a turn's messages, and as many of the last as there is room for."""
    room -= _NOTE + sum(map(_weight, texts[:1]))
    if room < 0:
        return ""
    last: list[str] = []
    for text in reversed(texts[1:]):
        room -= _weight(text)
        if room < 0:
            break
        last.append(text)
    gap = len(texts) - 1 - len(last)
    return f"{texts[0]}*… {plural(gap, 'message')} left out …*\n\n{''.join(reversed(last))}"


def _written(items: Sequence[Item], context: MarkdownContext) -> list[str]:
    return [
        _joined(write_item(item, _before(items, number), context))
        for number, item in enumerate(items)
    ]


def _before(items: Sequence[Item], number: int) -> Item | None:
    return items[number - 1] if number else None


def _cut(context: MarkdownContext, most_chars: int | None, details: Details) -> MarkdownContext:
    options = msgspec.structs.replace(context.options, details=details)
    return msgspec.structs.replace(context, options=options, most_chars=most_chars)


def _turns(page: SessionPage) -> list[_Turn]:
    grouped = itertools.groupby(page.sections, key=lambda section: section.place.turn)
    return [
        _Turn(index, tuple(item for section in sections for item in section.items))
        for index, sections in grouped
    ]


def _joined(blocks: Iterable[str]) -> str:
    text = "".join(set_apart(blocks))
    return f"{text}\n" if text else ""


def _cut_to(text: str, room: int) -> str:
    while text and _weight(text) > room:
        text = text[: len(text) - max((len(text) // 8), 1)]
    return text


def _weight(text: str) -> int:
    wide = len(_IDEOGRAPHS.findall(text))
    plain = _IDEOGRAPHS.sub("", text) if wide else text
    size = len(plain) if plain.isascii() else len(plain.encode("utf-8", "replace"))
    return size * _BYTE + wide * _IDEOGRAPH
