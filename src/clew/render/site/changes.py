"""What a session changed: files by folder, and the diff of each with the calls behind it."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Final
from urllib.parse import urlencode

import msgspec

from clew.parts import Diff, DiffHunk
from clew.render.html.diff import draw_hunks
from clew.render.html.escaping import anchor, markup
from clew.render.site.base import BasePage
from clew.render.site.split_diff import SplitRow, split_hunk
from clew.render.site.templates import draw
from clew.render.site.urls import SiteUrls
from clew.replay import (
    CallLink,
    Certainty,
    ChangeHunk,
    NetChange,
    Patch,
    SessionChanges,
    describe_cause,
)

UNIFIED: Final = "unified"
SPLIT: Final = "split"
_MOST_LINES: Final = 1_500
_MOST_OF_ALL: Final = 15_000
_MOST_CALLS: Final = 4
_LONGEST: Final = 60
_MARKS: Final = {"create": "new", "delete": "deleted", "none": "as before"}
_TITLES: Final = {
    Certainty.TOLD: "rests on what the client noticed of a shell command",
    Certainty.STALE: "may have changed since",
    Certainty.UNKNOWN: "unknown",
}
_WORDS: Final = {
    Certainty.TOLD: "as noticed",
    Certainty.STALE: "may differ",
    Certainty.UNKNOWN: "unknown",
}
# A reason that so many files have in common is said once.
_MANY: Final = 3


class TurnChoice(msgspec.Struct, frozen=True):
    """A turn that changed files, and the first words of its prompt."""

    index: int
    text: str
    prompt_id: str


class RunChoice(msgspec.Struct, frozen=True):
    """An agent run that changed files, and what it is called."""

    id: str
    text: str


class ChangesPage(msgspec.Struct, frozen=True, kw_only=True):
    """A session's changes; `address` is that of this page.

    `turns` and `runs` are those that changed files, and `take_back` is the patch that takes all
    back that is shown.
    """

    session_id: str
    title: str
    changes: SessionChanges
    address: str
    view: str = UNIFIED
    turns: Sequence[TurnChoice] = ()
    runs: Sequence[RunChoice] = ()
    take_back: Patch = Patch("")


class _CallRef(msgspec.Struct, frozen=True):
    url: str
    word: str
    agent: str
    prompt_url: str
    prompt: str


class _HunkBox(msgspec.Struct, frozen=True):
    head: str
    calls: tuple[_CallRef, ...]
    more: int
    has_outside: bool
    is_agent: bool
    numbers: str
    text: str
    rows: tuple[SplitRow, ...]


class _FileBox(msgspec.Struct, frozen=True):
    id: str
    file: NetChange
    mark: str
    state: str
    word: str
    hunks: tuple[_HunkBox, ...]
    calls: tuple[_CallRef, ...]
    later: str
    left_out: int
    history: str


def render_changes(page: ChangesPage, base: BasePage) -> str:
    """Draw the page."""
    boxes = _Boxes(page, base.urls).files()
    common, marked = _common_reason(boxes)
    body = draw(
        "changes.html",
        page=page,
        own=base.urls.session(page.session_id),
        boxes=boxes,
        common=common,
        marked=marked,
        folders=_folders(boxes),
        views=[(view, _address(page, view=view)) for view in (UNIFIED, SPLIT)],
        turns=[(turn, _address(page, turn=turn.index)) for turn in page.turns],
        all_turns=_address(page, turn=0),
        runs=[(run, _address(page, run=run.id)) for run in page.runs],
        all_runs=_address(page, run=""),
        shown_run=_shown_run(page, base.urls),
        later={
            file.path: describe_cause(file.later)
            for file in page.take_back.files
            if file.later is not None
        },
        unsure=[file for file in page.take_back.files if file.reason or file.later is not None],
        patch=_patch_address(page),
        undo=_patch_address(page, reverse="1"),
    )
    return base.draw(f"Changes of {page.title}", body, scripts=["changes.js"])


def _common_reason(boxes: Sequence[_FileBox]) -> tuple[str, int]:
    """Return why most files may differ from what is shown, if it is one reason, and of how many."""
    counts = Counter(chain.from_iterable({box.state, box.later} - {""} for box in boxes))
    reason, count = next(iter(counts.most_common(1)), ("", 0))
    return (reason, count) if count >= _MANY and 2 * count > len(boxes) else ("", 0)


def _shown_run(page: ChangesPage, urls: SiteUrls) -> dict[str, str] | None:
    """Return the run whose changes alone are shown, with the address of its page."""
    run_id = page.changes.agent_run_id
    if run_id is None:
        return None
    words = next((run.text for run in page.runs if run.id == run_id), run_id)
    return {"text": words, "url": urls.run(page.session_id, run_id)}


def _address(
    page: ChangesPage, *, view: str = "", turn: int | None = None, run: str | None = None
) -> str:
    """Return the address of the page in another view, or of another turn or run.

    A turn of 0 is all turns, and an empty run all runs.
    """
    shown = page.changes.turn if turn is None else turn or None
    by = page.changes.agent_run_id if run is None else run
    view = view or page.view
    asked = [("turn", str(shown))] if shown is not None else []
    asked += [("run", by)] if by else []
    asked += [("view", view)] if view != UNIFIED else []
    return f"{page.address}?{urlencode(asked)}" if asked else page.address


def _patch_address(page: ChangesPage, **asked: str) -> str:
    if page.changes.turn is not None:
        asked["turn"] = str(page.changes.turn)
    if page.changes.agent_run_id is not None:
        asked["run"] = page.changes.agent_run_id
    query = f"?{urlencode(asked)}" if asked else ""
    return f"{page.address}.patch{query}"


def _folders(boxes: Sequence[_FileBox]) -> list[tuple[str, list[tuple[str, _FileBox]]]]:
    """Group files by their folders."""
    found: dict[str, list[tuple[str, _FileBox]]] = {}
    for box in boxes:
        folder, _, name = box.file.name.rpartition("/")
        found.setdefault(folder, []).append((name, box))
    return list(found.items())


class _Boxes:
    def __init__(self, page: ChangesPage, urls: SiteUrls) -> None:
        self.page, self.urls = page, urls
        self.prompts = {turn.index: turn.text for turn in page.turns}
        self.room = _MOST_OF_ALL

    def files(self) -> list[_FileBox]:
        return [self._file(number, file) for number, file in enumerate(self.page.changes.files)]

    def _file(self, number: int, file: NetChange) -> _FileBox:
        hunks = list(self._hunks(file))
        return _FileBox(
            f"f-{number}",
            file,
            _MARKS.get(file.action, ""),
            "" if file.state is Certainty.EXACT else file.reason or _TITLES[file.state],
            _WORDS.get(file.state, ""),
            tuple(hunks),
            tuple(map(self._call, file.calls)),
            "" if file.later is None else describe_cause(file.later),
            len(file.hunks) - len(hunks),
            self.urls.file(file.path),
        )

    def _hunks(self, file: NetChange) -> Iterator[_HunkBox]:
        """Draw hunks as long as there is room for them; the first of a file may always be cut."""
        left = min(_MOST_LINES, self.room)
        for hunk in file.hunks:
            if left <= 0:
                return
            shown = msgspec.structs.replace(hunk, lines=hunk.lines[:left])
            left -= len(hunk.lines)
            self.room -= len(shown.lines)
            yield self._hunk(file, shown)

    def _hunk(self, file: NetChange, hunk: ChangeHunk) -> _HunkBox:
        # Beside a file that is new or gone there would be nothing.
        is_split = self.page.view == SPLIT and file.action not in ("create", "delete")
        plain = DiffHunk(hunk.old_start, hunk.new_start, hunk.lines)
        drawn = draw_hunks(Diff(file.path, (plain,), 0, 0))[0]
        rows = split_hunk(hunk.lines, hunk.old_start, hunk.new_start) if is_split else []
        head = f"@@ -{hunk.old_start},{hunk.old_lines} +{hunk.new_start},{hunk.new_lines} @@"
        return _HunkBox(
            "" if hunk.old_start is None else head,
            tuple(map(self._call, hunk.calls[:_MOST_CALLS])),
            max(0, len(hunk.calls) - _MOST_CALLS),
            hunk.has_outside,
            any(call.agent_run_id for call in hunk.calls),
            "" if is_split else drawn.numbers,
            "" if is_split else markup(drawn.text),
            tuple(rows),
        )

    def _call(self, call: CallLink) -> _CallRef:
        session = self.page.session_id
        own = self.urls.session(session)
        place = self.urls.run(session, call.agent_run_id) if call.agent_run_id else own
        prompt = self.prompts.get(call.turn or 0, "")
        return _CallRef(
            f"{place}#{anchor('c', call.call_id)}",
            call.tool,
            (call.agent or "agent") if call.agent_run_id else "",
            f"{own}#{anchor('m', call.prompt_id)}" if call.prompt_id else "",
            _first_words(prompt) or (f"turn {call.turn}" if call.turn is not None else ""),
        )


def _first_words(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= _LONGEST else f"{words[: _LONGEST - 1]}…"
