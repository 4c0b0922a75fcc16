"""Frame → markup: the top bar, the facts, the outline and the map."""

from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from clew.analytics import find_checkout
from clew.render.formatting import UNTITLED
from clew.render.html.digest import render_digest
from clew.render.html.escaping import anchor, class_names, in_url, markup, safe_url
from clew.render.html.facts import changed_lines, make_facts, tool_tallies
from clew.render.html.items import Figure, turn_figures
from clew.render.html.marks import APP_MARKS, PAGE_MARKS
from clew.render.html.messages import kind_plural
from clew.render.html.note import render_note, shown_bookmarks
from clew.render.html.options import HtmlOptions
from clew.render.html.templates import draw
from clew.view import ChangedFile, Detail, FrameView, Header, KindCount, Mark, TurnView

_KEYS: Final = (
    ("j k", "Next, previous message"),
    ("n p", "Next, previous prompt"),
    ("e E", "Next, previous error"),
    ("o", "Expand or collapse the item"),
    ("t", "Expand or collapse the turn"),
    ("/", "Find"),
    ("f", "Filters"),
    ("d D", "More, less detail"),
    ("c", "Copy the message as Markdown"),
    ("b", "Bookmark the message (in the app)"),
    ("s", "Star the session (in the app)"),
    ("g G", "Go to the top, the end"),
    ("?", "Keyboard shortcuts"),
)
_APP_KEYS: Final = (
    ("[ ]", "Previous, next session of the project"),
    ("\\", "Show or hide the outline and sessions"),
    ("Ctrl K", "Search, or jump to a session, page or action"),
)
_SHARE_OF_AN_ERROR: Final = 300
_MARK_HEIGHT: Final = 0.8
_FEWEST: Final = 120
_LOUD: Final = ("bad", "compaction")


class FramePieces(msgspec.Struct, frozen=True):
    """The markup of a frame, piece by piece, and the marks of its map as JSON for scripts.

    `filters` is a part of `top` that changes when a session grows. `note` stands below `facts`.
    """

    title: str
    top: str
    filters: str
    facts: str
    outline: str
    map: str
    marks: str
    note: str = ""


class _Value(msgspec.Struct, frozen=True):
    text: str
    url: str = ""


class _AboutRow(msgspec.Struct, frozen=True):
    name: str
    values: tuple[_Value, ...]


class _OutlineLine(msgspec.Struct, frozen=True):
    turn: TurnView
    title: str
    href: str
    figures: list[Figure]
    classes: str
    level: int


class _Choice(msgspec.Struct, frozen=True):
    value: int
    name: str
    label: str
    is_chosen: bool


class _Kind(msgspec.Struct, frozen=True):
    name: str
    label: str
    count: int
    counts: str


class _FileRow(msgspec.Struct, frozen=True):
    file: ChangedFile
    url: str
    call: str


class _Path(msgspec.Struct, frozen=True):
    classes: str
    line: str


def render_frame(frame: FrameView, options: HtmlOptions) -> FramePieces:
    """Draw all of a page but its messages."""
    title = options.title or frame.header.title or UNTITLED
    return FramePieces(
        title=title,
        top=draw("top.html", **_top(frame, title, options)),
        filters=_filters(frame, options),
        facts=draw(
            "facts.html",
            title=title,
            header=frame.header,
            facts=make_facts(frame, options),
            tools=tool_tallies(frame.header, options),
            about=_about(frame.header, options),
            problems=frame.problems,
            digest=_digest(frame.header, options),
            files=_changed_files(frame.header, options),
            changed=changed_lines(frame.header),
            changes_url=options.changes_url,
        ),
        outline=draw(
            "outline.html",
            lines=_lines(frame),
            bookmarks=shown_bookmarks(frame.header),
        ),
        map=_map(frame.marks, options.detail),
        marks=_marks(frame.marks),
        note=render_note(frame.header, options),
    )


def _digest(header: Header, options: HtmlOptions) -> str:
    return "" if header.digest is None else markup(render_digest(header.digest, options))


def _top(frame: FrameView, title: str, options: HtmlOptions) -> dict[str, object]:
    return {
        "title": title,
        "project": find_checkout(frame.header.project).label or frame.header.project,
        "home_url": options.home_url,
        "project_url": options.project_url,
        "levels": [_Choice(d, d.label, d.label.capitalize(), d is options.detail) for d in Detail],
        "filters": markup(_filters(frame, options)),
        "app": options.app,
        "known_marks": (*PAGE_MARKS, *APP_MARKS) if options.app else PAGE_MARKS,
        "keys": (*_KEYS[:-1], *_APP_KEYS, _KEYS[-1]) if options.app else _KEYS,
    }


def _filters(frame: FrameView, options: HtmlOptions) -> str:
    counts = (*frame.kinds, *frame.contents)
    kinds = [_kind(kind, options.detail) for kind in counts]
    tools = [_tool(tool, options.detail) for tool in frame.tools]
    return draw("filters.html", kinds=kinds, tools=tools)


def _kind(kind: KindCount, detail: Detail) -> _Kind:
    # The outline shows prompts too, if only their first lines.
    shown = (kind.shown[Detail.PROMPTS], *kind.shown[1:])
    return _Kind(kind.kind, kind_plural(kind.kind), shown[detail], " ".join(map(str, shown)))


def _tool(tool: KindCount, detail: Detail) -> _Kind:
    # To choose a tool is to show tools.
    shown = tuple(max(count, tool.shown[Detail.TOOLS]) for count in tool.shown)
    return _Kind(tool.kind, tool.kind, shown[detail], " ".join(map(str, shown)))


def _changed_files(header: Header, options: HtmlOptions) -> list[_FileRow]:
    return [
        _FileRow(
            file,
            options.file_url(file.full_path),
            f"#{anchor('c', file.call_id)}" if file.call_id else "",
        )
        for file in header.files
    ]


def _about(header: Header, options: HtmlOptions) -> list[_AboutRow]:
    rows = [
        _row("Session", header.id),
        _row("Working directory", header.cwd),
        _row(
            "Claude Code", ", ".join(text for text in (*header.versions, header.entrypoint) if text)
        ),
        _row("Title source", header.title_source),
        _row("First prompt", header.first_prompt),
        _row("Models without a price", *header.unpriced_models),
        *(
            _AboutRow(name[:1].upper() + name[1:], (_session(other, options),))
            for name, other in header.lineage
        ),
        _AboutRow("Started by run", _parent_run(header, options)),
        _AboutRow("Pull requests", tuple(_Value(url, safe_url(url)) for url in header.pr_urls)),
    ]
    return [row for row in rows if row.values]


def _row(name: str, *texts: str) -> _AboutRow:
    return _AboutRow(name, tuple(_Value(text) for text in texts if text))


def _session(session_id: str, options: HtmlOptions) -> _Value:
    if not options.session_prefix:
        return _Value(session_id)
    there = f"{options.session_prefix}{in_url(session_id)}{options.session_suffix}"
    return _Value(session_id, there)


def _parent_run(header: Header, options: HtmlOptions) -> tuple[_Value, ...]:
    run_id = header.parent_run_id
    return (_Value(run_id, options.run_url(run_id)),) if run_id else ()


def _lines(frame: FrameView) -> list[_OutlineLine]:
    first = next((turn.section for turn in frame.turns if turn.index), None)
    before = (mark.level for mark in frame.marks if first is None or mark.section < first)
    level = min(before, default=0)
    return [_line(turn, 0 if turn.index else level) for turn in frame.turns]


def _line(turn: TurnView, level: int) -> _OutlineLine:
    return _OutlineLine(
        turn=turn,
        level=level,
        title=turn.title or ("Before the first prompt" if not turn.index else "…"),
        href=f"#{anchor('m', turn.id)}" if turn.id and turn.index else f"#s-{turn.section}",
        figures=turn_figures(turn),
        classes=class_names(
            ("compacted" if turn.compactions else "", "aside" if turn.branch_id else "")
        ),
    )


def _marks(marks: tuple[Mark, ...]) -> str:
    """Write the marks for scripts: with the ids of their elements, and no tag in sight."""
    rows = [
        (
            anchor("m", mark.id),
            _look(mark.kind, mark.tone),
            mark.level,
            mark.section,
            max(mark.weight, 1),
            mark.fullness,
        )
        for mark in marks
    ]
    return msgspec.json.encode(rows).decode().replace("<", "\\u003c")


def _map(marks: tuple[Mark, ...], detail: Detail) -> str:
    """Draw a path for each look; the loud ones come last and are never too thin to see."""
    # The outline shows prompts too, if only their first lines.
    most = max(detail, Detail.PROMPTS)
    on_map = [mark for mark in marks if mark.level <= most]
    shown = [(_look(m.kind, m.tone), max(m.weight, 1)) for m in on_map]
    # A short session leaves most of the map empty: its marks are no taller than those of others.
    height = max(sum([weight for _, weight in shown]), _FEWEST)
    shapes = {mark: _shape(*mark, height) for mark in set(shown)}
    lines: dict[str, list[str]] = {}
    top = 0
    for mark in shown:
        lines.setdefault(mark[0], []).append(f"M0 {top}{shapes[mark]}")
        top += mark[1]
    ordered = sorted(lines, key=lambda look: (look in _LOUD, look))
    paths = [_Path(look, "".join(lines[look])) for look in ordered]
    return draw("map.html", height=height, paths=[*paths, *_fullness(on_map)])


def _fullness(marks: Sequence[Mark]) -> Iterator[_Path]:
    """Draw how full the context was as a line down the map, the fuller the further right."""
    steps: list[str] = []
    top = 0
    for mark in marks:
        if mark.fullness:
            steps.append(f"{'L' if steps else 'M'}{mark.fullness / 10:g} {top}")
        top += max(mark.weight, 1)
    if len(steps) > 1:
        yield _Path("context", "".join(steps))


def _shape(look: str, weight: int, height: int) -> str:
    tall = max(weight * _MARK_HEIGHT, height / _SHARE_OF_AN_ERROR if look in _LOUD else 0)
    return f"h10v{tall:.4g}h-10z"


def _look(kind: str, tone: str) -> str:
    """Name what a mark looks like: what went wrong counts more than what it is."""
    if tone == "bad":
        return "bad"
    return kind if kind.isidentifier() and kind.isascii() else "unknown"
