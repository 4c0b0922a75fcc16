"""How long calls waited for a person, and how certain that is."""

import datetime as dt
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.tools import Wait, find_waits, total_wait
from tests.build import Call, SessionBuilder, bash, edit
from tests.unit.conversation.built import conversation_of

ONCE = {"decision": "accept", "source": "user_temporary", "grantScope": "once"}
OLD = "2.1.47"
FILE = "/home/dev/code/demo/app.py"
# The builder lets a second pass before each row.
ROW = 1_000


def session(version: str = "2.1.325", mode: str = "default") -> SessionBuilder:
    """Begin a session in a permission mode."""
    built = SessionBuilder(version=version)
    built.draft.mode = mode
    return built.user("Do it")


def change(call: Call, **fields: Any) -> Call:
    """Give a call other fields."""
    return msgspec.structs.replace(call, **fields)


def later(time: str, seconds: int) -> str:
    """Give a time some seconds later."""
    moved = dt.datetime.fromisoformat(time) + dt.timedelta(seconds=seconds)
    return moved.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def waits_of(built: SessionBuilder) -> list[tuple[int, str]]:
    """Give the waits of a session, in order of its calls."""
    conversation = conversation_of(built.assistant("Done."))
    found = find_waits(conversation)
    return [
        (found[call.id].ms, found[call.id].quality)
        for call in conversation.tool_calls
        if call.id in found
    ]


def test_a_refusal_is_nothing_but_waiting() -> None:
    refused = Call("Bash", {"command": "rm x"}, denied=True, seconds=40)

    assert waits_of(session().tools(refused)) == [(40_000 + ROW, "measured")]


def test_an_edit_takes_no_time_of_its_own() -> None:
    accepted = change(edit(FILE, "a\n", "a", "b"), seconds=40, permission=ONCE)

    assert waits_of(session().tools(accepted)) == [(40_000 + ROW, "measured")]


def test_a_command_ran_for_some_of_the_time() -> None:
    accepted = change(bash("make", "ok"), seconds=40, permission=ONCE)

    assert waits_of(session().tools(accepted)) == [(40_000 + ROW, "at_most")]


def test_the_time_that_the_client_measured_is_no_waiting() -> None:
    fetched = {"bytes": 1, "code": 200, "codeText": "OK", "result": "x", "durationMs": 11_000}
    call = Call(
        "WebFetch",
        {"url": "https://example.org/", "prompt": "x"},
        "x",
        {**fetched, "url": "https://example.org/"},
        seconds=40,
        permission=ONCE,
    )

    assert waits_of(session().tools(call)) == [(30_000, "measured")]


def test_of_parallel_calls_each_may_contain_the_wait_of_the_other() -> None:
    refused = Call("Bash", {"command": "rm x"}, denied=True, seconds=10)

    found = waits_of(session().tools(refused, refused))

    assert [quality for _, quality in found] == ["at_most", "at_most"]
    assert found[1][0] > found[0][0] >= 10_000


@pytest.mark.parametrize("tool", ["AskUserQuestion", "ExitPlanMode"])
@pytest.mark.parametrize("version", [OLD, "2.1.325"])
def test_a_question_waits_for_its_answer(tool: str, version: str) -> None:
    permission = ONCE if version != OLD else None
    call = Call(tool, {"plan": "x", "questions": []}, "ok", seconds=60, permission=permission)

    assert waits_of(session(version).tools(call)) == [(60_000 + ROW, "measured")]


@pytest.mark.parametrize("source", ["config", "hook"])
def test_what_nobody_was_asked_about_did_not_wait(source: str) -> None:
    accepted = {"decision": "accept", "source": source}
    slow = change(edit(FILE, "a\n", "a", "b"), seconds=40, permission=accepted)

    assert waits_of(session().tools(slow)) == []


def test_an_old_edit_that_took_long_probably_waited() -> None:
    slow = change(edit(FILE, "a\n", "a", "b"), seconds=40)

    assert waits_of(session(OLD).tools(slow)) == [(40_000 + ROW, "inferred")]


def test_an_old_edit_behind_a_slow_command_of_its_answer_did_not_wait() -> None:
    slow = change(bash("make", "ok"), seconds=40)
    behind = edit(FILE, "a\n", "a", "b")

    assert waits_of(session(OLD).tools(slow, behind)) == []


def test_of_old_edits_in_one_answer_each_waits_from_the_end_of_the_one_before() -> None:
    first = change(edit(FILE, "a\n", "a", "b"), seconds=40)
    second = change(edit(FILE, "b\n", "b", "c"), seconds=20)
    third = edit(FILE, "c\n", "c", "d")

    assert waits_of(session(OLD).tools(first, second, third)) == [
        (40_000 + ROW, "inferred"),
        (20_000 + ROW, "inferred"),
    ]


def test_an_old_edit_did_not_wait_while_its_answer_was_still_coming() -> None:
    first, second = edit(FILE, "a\n", "a", "b"), edit(FILE, "b\n", "b", "c")
    built = session(OLD).tools(first, second)
    for row in built.rows[-3:]:
        row["timestamp"] = later(row["timestamp"], 30)

    assert waits_of(built) == []


@pytest.mark.parametrize("seconds", [0, 1])
def test_an_old_edit_that_took_a_moment_did_not_wait(seconds: int) -> None:
    quick = change(edit(FILE, "a\n", "a", "b"), seconds=seconds)

    assert waits_of(session(OLD).tools(quick)) == []


@pytest.mark.parametrize("mode", ["acceptEdits", "bypassPermissions"])
def test_in_a_mode_that_asks_nobody_no_wait_is_inferred(mode: str) -> None:
    slow = change(edit(FILE, "a\n", "a", "b"), seconds=40)

    assert waits_of(session(OLD, mode).tools(slow)) == []


def test_an_old_command_that_took_long_may_have_worked() -> None:
    assert waits_of(session(OLD).tools(change(bash("make", "ok"), seconds=40))) == []


def test_an_old_command_that_began_late_probably_waited() -> None:
    built = session(OLD).tools(Call("Bash", {"command": "make"}, "ok", seconds=60, id="toolu_1"))
    built.progress("bash_progress", call_id="toolu_1", elapsedTimeSeconds=30)

    assert waits_of(built) == [(32_000, "inferred")]


@pytest.mark.parametrize(
    ("timeout", "waited"),
    [(None, 9 * 3_600_000 - 600_000), (900_000, 9 * 3_600_000 - 900_000)],
)
def test_an_old_command_that_took_longer_than_any_may_run_waited(
    timeout: int | None, waited: int
) -> None:
    arguments = {"command": "git commit -m x"} | ({"timeout": timeout} if timeout else {})
    slow = Call("Bash", arguments, "ok", seconds=9 * 3_600)

    assert waits_of(session(OLD).tools(slow)) == [(waited + ROW, "inferred")]


def test_an_old_command_says_when_it_began_to_run() -> None:
    built = session(OLD).tools(Call("Bash", {"command": "make"}, None, id="toolu_1"))
    built.wait(29).progress("bash_progress", call_id="toolu_1", elapsedTimeSeconds=10)
    row = built.rows[-1]
    conversation = conversation_of(built)
    (call,) = conversation.tool_calls

    assert row["type"] == "progress"
    assert call.times is not None
    assert call.times.ran_from is not None
    assert call.times.ran_from < row["timestamp"]


@pytest.mark.parametrize("tool", ["Task", "Agent"])
def test_a_command_of_an_agent_does_not_say_that_the_agent_waited(tool: str) -> None:
    call = Call(tool, {"prompt": "x", "description": "x"}, "done", seconds=60, id="toolu_1")
    built = session(OLD).tools(call)
    built.progress("bash_progress", call_id="toolu_1", elapsedTimeSeconds=30)

    assert waits_of(built) == []


def test_hooks_say_when_a_call_was_reached_and_had_run() -> None:
    built = session(OLD).tools(Call("Bash", {"command": "make"}, None, id="toolu_1"))
    built.wait(20).progress("hook_progress", call_id="toolu_1", hookEvent="PreToolUse")
    reached = built.rows[-1]["timestamp"]
    built.wait(20).progress("hook_progress", call_id="toolu_1", hookEvent="PostToolUse")
    until = built.rows[-1]["timestamp"]

    (call,) = conversation_of(built).tool_calls

    assert call.times is not None
    assert (call.times.reached_at, call.times.ran_until) == (reached, until)


WAITS = st.lists(
    st.builds(
        Wait,
        st.integers(0, 10_000),
        st.integers(0, 10_000),
        st.sampled_from(["measured", "at_most", "inferred"]),
    ),
    max_size=8,
)


@given(WAITS, st.randoms())
def test_waits_at_the_same_time_count_once(waits: list[Wait], random: Any) -> None:
    shuffled = [*waits]
    random.shuffle(shuffled)
    every = {ms for wait in waits for ms in range(wait.start_ms, wait.end_ms)}

    assert total_wait(waits).ms == len(every)
    assert total_wait(shuffled) == total_wait(waits)


@given(WAITS)
def test_a_sum_is_as_certain_as_its_least_certain_wait(waits: list[Wait]) -> None:
    order = ("inferred", "at_most", "measured")
    qualities = {wait.quality for wait in waits}

    assert total_wait(waits).quality == next((q for q in order if q in qualities), "measured")
