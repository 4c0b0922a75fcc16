"""Pages of several sessions → one HTML file: contents, then one session after the other."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final

import msgspec

from clew.analytics import find_checkout
from clew.render.formatting import UNTITLED
from clew.render.html.escaping import anchor, escape, markup
from clew.render.html.formatting import day_and_clock, utc
from clew.render.html.frame import render_frame
from clew.render.html.items import render_section, turn_figures
from clew.render.html.options import HtmlOptions
from clew.render.html.page import SLOT, content_policy
from clew.render.html.templates import EARLY_SCRIPT, LATE_SCRIPTS, asset, draw, stylesheet
from clew.view import FrameView, Header, KindCount, Mark, SectionInfo, SectionView, TurnView

# Tags alone: text has no `<` that is not escaped.
_TAG: Final = re.compile(r"<[a-z][^<>]*>")
_NAME: Final = re.compile(r'(\s(?:id|data-branch)="[mcrfb]-[\w.-]+|\shref="#[mcrfb]-[\w.-]+)(?=")')

ReadSections = Callable[[int], Iterable[SectionView]]
"""Returns the sections of one of the pages, by its number."""


class _Place(msgspec.Struct, frozen=True):
    """Where a session begins among the sections and turns of all."""

    number: int
    frame: FrameView
    first_section: int
    first_turn: int

    @property
    def suffix(self) -> str:
        """What its ids end with: sessions that go on from one another have messages in common."""
        return f"--{self.number + 1}" if self.number else ""


def render_several(
    title: str,
    frames: Sequence[FrameView],
    read_sections: ReadSections,
    options: HtmlOptions | None = None,
) -> Iterator[str]:
    """Return several pages as one file that needs nothing else; joined, the pieces are the file.

    `frames` are all that is known before; sections are read as they are written.
    """
    options = msgspec.structs.replace(options or HtmlOptions(), title=title)
    places = _number(frames)
    frame = render_frame(_join_frames(title, places), options)
    slots = {
        "title": escape(title),
        "top": frame.top,
        "outline": draw("several_outline.html", sessions=[_outline(place) for place in places]),
        "facts": draw("several_contents.html", title=title, rows=[_row(place) for place in places]),
        "map": frame.map,
        "marks": frame.marks,
    }
    for position, piece in enumerate(_template(int(options.detail))):
        if position % 2 == 0:
            yield piece
        elif piece == "sections":
            for place in places:
                yield from _session(place, read_sections(place.number), options)
        else:
            yield slots[piece]


def _number(frames: Sequence[FrameView]) -> list[_Place]:
    places, sections, turns = [], 0, 0
    for number, frame in enumerate(frames):
        places.append(_Place(number, frame, sections, turns))
        sections += len(frame.sections)
        turns += 1 + max((turn.index for turn in frame.turns), default=0)
    return places


def _session(place: _Place, sections: Iterable[SectionView], options: HtmlOptions) -> Iterator[str]:
    own = msgspec.structs.replace(options, title="")
    facts = _rename(_below_title(render_frame(place.frame, own).facts), place.suffix)
    yield f'<div class="shared-session" id="session-{place.number + 1}">{facts}\n'
    turns = {turn.index: turn for turn in place.frame.turns}
    for section in sections:
        there = section.place
        info = SectionInfo(
            place.first_section + there.index,
            place.first_turn + there.turn,
            there.is_first,
            there.messages,
        )
        moved = msgspec.structs.replace(section, place=info)
        yield _rename(render_section(moved, own, turns.get(there.turn)), place.suffix)
    yield "</div>\n"


def _below_title(facts: str) -> str:
    """Make the title of a session a heading below that of the file."""
    start = facts.replace("<h1>", '<h2 class="session-title">', 1)
    return start.replace("</h1>", "</h2>", 1)


def _rename(text: str, suffix: str) -> str:
    """Give the elements of a session, and links to them, ids that no other session has."""
    if not suffix:
        return text
    return _TAG.sub(lambda found: _NAME.sub(rf"\g<1>{suffix}", found[0]), text)


def _join_frames(title: str, places: Sequence[_Place]) -> FrameView:
    """Return a frame with what filters and the map need of all sessions."""
    frames = [place.frame for place in places]
    tools: dict[str, int] = {}
    for frame in frames:
        for name, count in frame.header.tools:
            tools[name] = tools.get(name, 0) + count
    ordered = sorted(tools.items(), key=lambda one: (-one[1], one[0]))
    return FrameView(
        header=Header(id="", title=title, tools=tuple(ordered)),
        detail=frames[0].detail if frames else "",
        marks=tuple(mark for place in places for mark in _marks(place)),
        kinds=_sum_kinds(frame.kinds for frame in frames),
        contents=_sum_kinds(frame.contents for frame in frames),
    )


def _marks(place: _Place) -> Iterator[Mark]:
    for mark in place.frame.marks:
        name, section = f"{mark.id}{place.suffix}", place.first_section + mark.section
        yield msgspec.structs.replace(mark, id=name, section=section)


def _sum_kinds(counted: Iterable[Iterable[KindCount]]) -> tuple[KindCount, ...]:
    sums: dict[str, tuple[int, ...]] = {}
    for kinds in counted:
        for kind in kinds:
            before = sums.get(kind.kind, (0,) * len(kind.shown))
            sums[kind.kind] = tuple(a + b for a, b in zip(before, kind.shown, strict=True))
    return tuple(KindCount(kind, shown) for kind, shown in sums.items())


def _outline(place: _Place) -> dict[str, object]:
    return {
        "number": place.number + 1,
        "title": place.frame.header.title or UNTITLED,
        "turns": [_line(turn, place) for turn in place.frame.turns if turn.index],
    }


def _line(turn: TurnView, place: _Place) -> dict[str, object]:
    section = f"#s-{place.first_section + turn.section}"
    return {
        "number": turn.index,
        "turn": place.first_turn + turn.index,
        "title": turn.title or "…",
        "href": f"#{anchor('m', turn.id)}{place.suffix}" if turn.id else section,
        "figures": turn_figures(turn),
    }


def _row(place: _Place) -> dict[str, object]:
    header = place.frame.header
    return {
        "number": place.number + 1,
        "title": header.title or UNTITLED,
        "project": find_checkout(header.project).label,
        "at": utc(header.started_at),
        "day": day_and_clock(header.started_at),
        "prompts": header.prompts,
    }


@lru_cache(maxsize=8)
def _template(detail: int) -> tuple[str, ...]:
    style = f"{stylesheet()}\n{asset('several.css')}"
    early, late = asset(EARLY_SCRIPT), [asset(name) for name in LATE_SCRIPTS]
    drawn = draw(
        "page.html",
        home="file",
        detail=detail,
        policy=content_policy([style], [early, *late]),
        style=markup(style),
        early=markup(early),
        late=[markup(text) for text in late],
    )
    return tuple(SLOT.split(drawn))
