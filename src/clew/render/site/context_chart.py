"""The chart of a context: stacked areas over requests, with turns, compactions and breaks."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import msgspec

from clew.analytics import CacheBreak, ContextSample, describe_cause
from clew.render.formatting import money, scaled

WIDTH: Final = 960.0
HEIGHT: Final = 260.0
_MOST_COLUMNS: Final = 480
_LABEL_WIDTH: Final = 52.0
_LABEL_HEIGHT: Final = 20.0
_LETTER_WIDTH: Final = 6.8
_LABEL_PADDING: Final = 10.0
_DIGIT_WIDTH: Final = 8.0
# Beside the chart are the words of the scale, where nothing is drawn.
SCALE_WIDTH: Final = 64.0
# Below this share of the window, the limit would flatten everything else.
_SHOWS_LIMIT: Final = 0.4
_HEADROOM: Final = 1.2
_STEPS: Final = (1, 2, 5, 10, 20, 50)
_MOST_LINES: Final = 5
_THOUSAND: Final = 1_000
# Further up, a line would be where the limit is.
_HIGHEST_LINE: Final = 0.93


class PricedCacheBreak(msgspec.Struct, frozen=True):
    """A cache break and its cost in nano-dollars."""

    found: CacheBreak
    cost_nano_usd: int | None


class ContextArea(msgspec.Struct, frozen=True):
    """One part of the context: a shape, and its name where there is room for it."""

    part: str
    name: str
    points: str
    label_x: float = 0.0
    label_y: float = 0.0
    label_width: float = 0.0
    has_label: bool = False


class ContextColumn(msgspec.Struct, frozen=True):
    """A turn: where it is, what is said of it, and where it leads."""

    x: float
    width: float
    label: str
    message_id: str
    turn: str


class ContextMark(msgspec.Struct, frozen=True):
    """A cache break or a compaction."""

    x: float
    kind: str
    label: str
    price: str
    message_id: str


class ContextChart(msgspec.Struct, frozen=True, kw_only=True):
    """A chart; `limit` is where the window ends, if that is on it."""

    areas: Sequence[ContextArea]
    columns: Sequence[ContextColumn]
    marks: Sequence[ContextMark]
    lines: Sequence[tuple[float, str]]
    limit: float | None


def make_context_chart(
    samples: Sequence[ContextSample], names: Mapping[str, str], breaks: Sequence[PricedCacheBreak]
) -> ContextChart | None:
    """Stack the parts of each request; of many, the fullest stand for others."""
    if not samples:
        return None
    columns = _columns(samples)
    fullest = max(columns, key=lambda one: one.total)
    shows_limit = fullest.total >= _SHOWS_LIMIT * fullest.window
    top = max(fullest.window, fullest.total) if shows_limit else fullest.total * _HEADROOM
    step = WIDTH / len(columns)
    places = {one.message_id: (number + 0.5) * step for number, one in enumerate(columns)}
    return ContextChart(
        areas=list(_areas(columns, names, top, step)),
        columns=list(_turns(columns, names, step)),
        marks=[*_compactions(columns, step), *_breaks(samples, breaks, places)],
        lines=list(_scale_lines(top)),
        limit=round(HEIGHT * (1 - fullest.window / top), 1) if shows_limit else None,
    )


def _scale_lines(top: float) -> Iterator[tuple[float, str]]:
    """Draw lines at round numbers, not too many of them."""
    magnitude = 10 ** max(len(str(int(top))) - 2, 0)
    step = next(size * magnitude for size in _STEPS if top / (size * magnitude) <= _MOST_LINES)
    for level in range(step, int(top * _HIGHEST_LINE), step):
        word = f"{level / _THOUSAND:g} k" if level >= _THOUSAND else str(level)
        yield round(HEIGHT * (1 - level / top), 1), word


def _columns(samples: Sequence[ContextSample]) -> list[ContextSample]:
    size = -(-len(samples) // _MOST_COLUMNS)
    groups = (samples[start : start + size] for start in range(0, len(samples), size))
    return [max(group, key=lambda one: one.total) for group in groups]


def _areas(
    columns: Sequence[ContextSample], names: Mapping[str, str], top: float, step: float
) -> Iterator[ContextArea]:
    """Draw the parts from below; each sample is as wide as the others."""
    below = [0] * len(columns)
    for part, name in names.items():
        above = [base + one.tokens[part] for base, one in zip(below, columns, strict=True)]
        upper = list(_edge(above, top, step))
        lower = list(_edge(below, top, step))
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in (*upper, *reversed(lower)))
        yield _labelled(ContextArea(part, name, points), below, above, top, step)
        below = above


def _edge(levels: Sequence[int], top: float, step: float) -> Iterator[tuple[float, float]]:
    for number, level in enumerate(levels):
        y = HEIGHT * (1 - level / top)
        yield number * step, y
        yield (number + 1) * step, y


def _labelled(
    area: ContextArea, below: Sequence[int], above: Sequence[int], top: float, step: float
) -> ContextArea:
    """Write the name of a part where it is tallest, if it fits there."""
    best, height = 0, 0.0
    for number, (low, high) in enumerate(zip(below, above, strict=True)):
        tall = HEIGHT * (high - low) / top
        if tall > height:
            best, height = number, tall
    if height < _LABEL_HEIGHT:
        return area
    half = (_LETTER_WIDTH * len(area.name) + _LABEL_PADDING) / 2
    x = min(max((best + 0.5) * step, half), WIDTH - half)
    y = HEIGHT * (1 - (below[best] + above[best]) / 2 / top)
    # A name is wider than a sample: it must fit into the neighbours, too.
    reach = range(max(0, int((x - half) / step)), min(len(below), int((x + half) / step) + 1))
    fits = all(
        HEIGHT * (1 - above[n] / top) <= y - _LABEL_HEIGHT / 2
        and HEIGHT * (1 - below[n] / top) >= y + _LABEL_HEIGHT / 2
        for n in reach
    )
    return msgspec.structs.replace(
        area,
        label_x=round(x, 1),
        label_y=round(y, 1),
        label_width=round(2 * half, 1),
        has_label=fits,
    )


def _turns(
    columns: Sequence[ContextSample], names: Mapping[str, str], step: float
) -> Iterator[ContextColumn]:
    start = 0
    shown = -_LABEL_WIDTH
    for number in range(1, len(columns) + 1):
        if number < len(columns) and columns[number].turn == columns[start].turn:
            continue
        last = columns[number - 1]
        x, width = start * step, (number - start) * step
        word = str(last.turn or "")
        if x - shown < _LABEL_WIDTH / 2 or x + _DIGIT_WIDTH * len(word) > WIDTH:
            word = ""
        if word:
            shown = x
        yield ContextColumn(
            round(x, 1), round(width, 1), _said(last, names), columns[start].message_id, word
        )
        start = number


def _said(sample: ContextSample, names: Mapping[str, str]) -> str:
    parts = [f"{name} {scaled(sample.tokens[part])}" for part, name in names.items()]
    place = f"Turn {sample.turn}" if sample.turn else "Before the first turn"
    return f"{place}: {scaled(sample.total)} tokens ({sample.fullness:.0%}). {', '.join(parts)}"


def _compactions(columns: Sequence[ContextSample], step: float) -> Iterator[ContextMark]:
    for number in range(1, len(columns)):
        if columns[number].epoch != columns[number - 1].epoch:
            label = f"Compaction in turn {columns[number].turn or '-'}"
            yield ContextMark(round(number * step, 1), "compaction", label, "", "")


def _breaks(
    samples: Sequence[ContextSample],
    breaks: Sequence[PricedCacheBreak],
    places: Mapping[str, float],
) -> Iterator[ContextMark]:
    """Mark the breaks; prices are written as far as there is room before the next one."""
    order = {sample.message_id: number for number, sample in enumerate(samples)}
    known = [one for one in breaks if one.found.message_id in order]
    xs = [
        places.get(name, (order[name] + 0.5) / len(samples) * WIDTH)
        for name in (one.found.message_id for one in known)
    ]
    for number, (one, x) in enumerate(zip(known, xs, strict=True)):
        end = min((other for other in xs[number + 1 :] if other > x), default=WIDTH)
        price = money(one.cost_nano_usd, "exact")
        label = f"Cache break: {describe_cause(one.found.cause)}, {price}"
        shown = price if end - x >= _LABEL_WIDTH else ""
        yield ContextMark(round(x, 1), "break", label, shown, one.found.message_id)
