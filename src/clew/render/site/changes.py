"""What a session changed: files by folder, and the diff of each with the calls behind it."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final
from urllib.parse import urlencode

import msgspec

from clew.figures import plural
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
    Certainty.UNKNOWN: "unknown",
}
_WORDS: Final = {Certainty.TOLD: "as noticed", Certainty.UNKNOWN: "unknown"}
_LATER: Final = "may have changed since"
# What may have changed a file without saying how, in one line for many files.
_CAUSES: Final = {
    "command": "shell commands",
    "agent": "agents whose calls are not recorded",
    "hook": "hooks",
    "tool": "other tools",
    "session": "other sessions",
}
_OTHER_CAUSES: Final = "something that is not recorded"
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
    """A file; `doubt` is why it may differ from what is on disk."""

    id: str
    file: NetChange
    mark: str
    state: str
    word: str
    doubt: str
    hunks: tuple[_HunkBox, ...]
    calls: tuple[_CallRef, ...]
    left_out: int
    history: str


class _Doubt(msgspec.Struct, frozen=True):
    reason: str
    boxes: tuple[_FileBox, ...]


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
        doubts=_doubts(boxes),
        doubted=_doubted(boxes),
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
    """Return why most files are not known exactly, if it is one reason, and how many they are."""
    counts = Counter(box.state for box in boxes if box.state)
    reason, count = next(iter(counts.most_common(1)), ("", 0))
    return (reason, count) if count >= _MANY and 2 * count > len(boxes) else ("", 0)


def _doubts(boxes: Sequence[_FileBox]) -> list[_Doubt]:
    """Return why files may differ from what is on disk, each reason with its files."""
    found: dict[str, list[_FileBox]] = {}
    for box in boxes:
        if box.doubt:
            found.setdefault(box.doubt, []).append(box)
    ordered = sorted(found.items(), key=lambda one: -len(one[1]))
    return [_Doubt(reason, tuple(own)) for reason, own in ordered]


def _doubted(boxes: Sequence[_FileBox]) -> str:
    """Say in one line how many files may differ from what is on disk, and because of what."""
    doubted = [box for box in boxes if box.doubt]
    if not doubted:
        return ""
    kinds = Counter(_cause_words(box.file) for box in doubted)
    *first, last = (words for words, _ in kinds.most_common())
    causes = f"{', '.join(first)} and {last}" if first else last
    them = "it" if len(doubted) == 1 else "them"
    which = f"{len(doubted):,} of {plural(len(boxes), 'file')}"
    which = which if len(boxes) > 1 else "The file"
    return f"{which} may differ from what is on disk, because {causes} may have changed {them}"


def _cause_words(file: NetChange) -> str:
    cause = file.since if file.state is Certainty.STALE else file.later
    return _CAUSES.get(cause.kind, _OTHER_CAUSES) if cause is not None else _OTHER_CAUSES


def _doubt_of(file: NetChange) -> str:
    if file.state is Certainty.STALE:
        return file.reason or _LATER
    # What is not known cannot differ.
    if file.later is None or file.state is Certainty.UNKNOWN:
        return ""
    return describe_cause(file.later)


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
            file.reason or _TITLES[file.state] if file.state in _TITLES else "",
            _WORDS.get(file.state, ""),
            _doubt_of(file),
            tuple(hunks),
            tuple(map(self._call, file.calls)),
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
