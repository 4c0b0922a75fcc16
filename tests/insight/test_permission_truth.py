"""Real decisions of a real client, against what was pressed, and after how many seconds."""

import datetime as dt
import json
from pathlib import Path
from typing import Any, Final

import pytest

from clew.clock import parse_time
from clew.conversation import Conversation, ToolCall
from clew.insight.live import read_activity, state_at
from clew.sessions import load
from clew.tools import Wait, find_waits, read_decision

TRUTH: Final = Path(__file__).parents[2].parent / "shared" / "truth"
pytestmark = pytest.mark.skipif(not TRUTH.is_dir(), reason="the recordings are not here")

_ONCE: Final = ("person", "accepted_once")
_NO: Final = ("person", "refused")
# What the recording calls a decision, and what must be said of it.
EXPECTED: Final = {
    "accept once": _ONCE,
    "accept once (a hook asked)": _ONCE,
    "accept with feedback (Yes, Tab, text)": _ONCE,
    "option 2": ("person", "accepted_session"),
    "plan approved, second option": ("person", "accepted_session"),
    "reject by Escape": _NO,
    "reject, last option (4. No)": _NO,
    "plan refused by Escape": _NO,
    "reject with feedback (No, Tab, text)": ("person", "refused_with_remark"),
}
# Of what nobody was asked about, the script says what decided.
UNASKED: Final = {
    "pm-ls": ("settings", "accepted"),
    "pm-denyrule": ("rule", "refused"),
    "pm-hookdeny": ("hook", "refused"),
    "pm-hookallow": ("hook", "accepted"),
}
# Without a person: the mode and the script, and what decided.
HEADLESS: Final = {
    ("dontAsk", "pm-touch1"): ("mode", "refused"),
    ("dontAsk", "pm-write1"): ("mode", "refused"),
    ("plan", "pm-touch1"): ("classifier", "refused"),
    ("plan", "pm-write1"): ("mode", "refused"),
    ("plan", "pm-hookallow"): ("classifier", "refused"),
    ("acceptEdits", "pm-touch1"): ("settings", "accepted"),
    ("acceptEdits", "pm-write1"): ("mode", "accepted"),
    ("auto", "pm-touch1"): ("mode", "accepted"),
    ("auto", "pm-write1"): ("mode", "accepted"),
    ("default", "pm-touch2"): ("settings", "accepted"),
    ("bypassPermissions", "pm-hookdeny"): ("hook", "refused"),
    ("bypassPermissions", "pm-hookask"): ("nobody", "refused"),
}
_SECOND: Final = 1_000


def decisions(folder: str) -> list[dict[str, Any]]:
    """Read what was pressed."""
    found: list[dict[str, Any]] = json.loads((TRUTH / folder / "expected.json").read_bytes())[
        "decisions"
    ]
    return found


def only_session(folder: str) -> Conversation:
    """Build the one session of a folder."""
    (path,) = (TRUTH / folder / "root" / "projects").rglob("*.jsonl")
    return load(path)


def asked(conversation: Conversation) -> list[tuple[ToolCall, Wait | None]]:
    """Give the calls that a person decided about, with how long they waited."""
    waits = find_waits(conversation)
    by_person = [c for c in conversation.tool_calls if (d := read_decision(c)) and d.by_person]
    return [(call, waits.get(call.id)) for call in by_person]


@pytest.mark.parametrize("folder", ["perm-tui", "perm-plan"])
def test_each_decision_is_told_as_what_was_pressed(folder: str) -> None:
    pressed = [each for each in decisions(folder) if each["pressed"]]

    found = [read_decision(call) for call, _ in asked(only_session(folder))]

    told = [(each.by, each.answer) for each in found if each]
    assert told == [EXPECTED[each["meaning"]] for each in pressed]


@pytest.mark.parametrize("folder", ["perm-tui", "perm-plan"])
def test_the_wait_is_right_within_a_second_where_a_call_stood_alone(folder: str) -> None:
    pressed = [each for each in decisions(folder) if each["pressed"]]
    conversation = only_session(folder)
    siblings = [call.message_id for call in conversation.tool_calls]

    checked = 0
    for each, (call, wait) in zip(pressed, asked(conversation), strict=True):
        assert wait is not None
        waited = each["waited_s"] * 1_000
        assert wait.ms >= waited
        if siblings.count(call.message_id) == 1:
            assert wait.ms - waited < _SECOND
            checked += 1
        else:
            assert wait.quality == "at_most"

    assert checked >= 3


def test_what_nobody_was_asked_about_is_told_by_what_decided() -> None:
    conversation = only_session("perm-tui")
    prompts = {turn.index: turn.prompt_id for turn in conversation.turns}
    texts = {message.id: message.text for message in conversation.messages}
    turns = {message.id: message.turn for message in conversation.messages}

    for call in conversation.tool_calls:
        script = texts[prompts[turns[call.message_id] or 0]].partition("[s:")[2].rstrip("]")
        found = read_decision(call)
        assert found is not None
        if script in UNASKED:
            assert (found.by, found.answer) == UNASKED[script]
            assert call.id not in find_waits(conversation)


def test_without_a_person_none_is_said_to_have_decided() -> None:
    seen = set()
    for path in (TRUTH / "perm-modes" / "root" / "projects").rglob("*.jsonl"):
        conversation = load(path)
        prompt = next(m for m in conversation.messages if m.kind == "prompt")
        script = prompt.text.partition("[s:")[2].rstrip("]")
        (call,) = conversation.tool_calls
        found = read_decision(call)
        assert found is not None
        expected = HEADLESS.get((prompt.permission_mode or "", script)) or UNASKED[script]
        assert (found.by, found.answer) == expected
        assert find_waits(conversation) == {}
        seen.add((prompt.permission_mode, script))

    assert len(seen) == 20


def test_an_open_dialog_is_seen_as_waiting(tmp_path: Path) -> None:
    """Cut the session where each dialog was on the screen, and look five seconds later.

    The first of its kind is told from a running command by nothing: it may run, or ask.
    """
    root = TRUTH / "perm-tui"
    expected = json.loads((root / "expected.json").read_text())
    path = next((root / "root" / "projects").rglob("*.jsonl"))
    lines = path.read_bytes().splitlines(keepends=True)
    found = []
    for each in expected["decisions"]:
        if "seen_at" not in each:
            continue
        seen = dt.datetime.fromtimestamp(each["seen_at"], dt.UTC)
        copy = tmp_path / path.name
        copy.write_bytes(b"".join(lines[: _lines_until(lines, seen)]))
        activity = read_activity(load(copy))
        state = state_at(activity, seen + dt.timedelta(seconds=5))
        assert state.state == "waiting" or state.reason.endswith("or asks for permission")
        assert state.is_inferred or state.state == "working"
        found.append(state.state)

    assert found.count("waiting") >= len(found) / 2


def _lines_until(lines: list[bytes], moment: dt.datetime) -> int:
    """Count the lines up to the last one that was written by then."""
    times = [parse_time(json.loads(line).get("timestamp") or "") for line in lines]
    return 1 + max(place for place, time in enumerate(times) if time and time <= moment)
