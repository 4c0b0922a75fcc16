"""What running sessions do, from their rows and the time since the last one."""

import datetime as dt

import pytest

from clew.clock import parse_time
from clew.insight.live import Activity, LiveState, read_activity, state_at, state_by_time
from clew.sessions import load
from tests.build import Agent, Call, SessionBuilder, Usage, bash, text, thinking, tool_use
from tests.recordings import HERE, Recording, parameters
from tests.unit.conversation.built import conversation_of

CWD = "/home/dev/code/demo"
ONCE = {"decision": "accept", "source": "user_temporary", "grantScope": "once"}
SESSION = {"decision": "accept", "source": "user_temporary", "grantScope": "session"}


def begun(*, headless: bool = False) -> SessionBuilder:
    return SessionBuilder(cwd=CWD, headless=headless).user("Fix the retry bug")


def activity(builder: SessionBuilder) -> Activity:
    return read_activity(conversation_of(builder))


def state(builder: SessionBuilder, seconds: float = 0) -> LiveState:
    """Give the state some seconds after the last row."""
    found = activity(builder)
    at = parse_time(found.at)
    assert at is not None
    return state_at(found, at + dt.timedelta(seconds=seconds))


def calling(builder: SessionBuilder, tool: str, **arguments: str) -> SessionBuilder:
    """Let the last answer call a tool that has no result yet."""
    return builder.assistant(text("I look."), tool_use(tool, arguments, "pending-call"))


def test_a_prompt_is_being_answered() -> None:
    found = state(begun())

    assert (found.state, found.is_inferred) == ("working", False)
    assert activity(begun()).action == "Fix the retry bug"


def test_a_running_tool_is_work_and_says_what_it_does() -> None:
    builder = calling(begun().permission_mode("acceptEdits"), "Bash", command="pytest -q")
    found = activity(builder)

    assert (found.doing, found.call_id) == ("calling", "pending-call")
    assert found.action == "Bash pytest -q"
    assert state(builder, 100).state == "working"
    assert state(builder, 60 * 40) == LiveState(
        "finished", "nothing new for 30 minutes", is_inferred=True
    )


def test_after_a_result_the_model_goes_on() -> None:
    builder = begun().tools(bash("ls", "a.py"))

    assert state(builder, 30).state == "working"
    assert activity(builder).action == "Bash ls"


@pytest.mark.parametrize("tool", ["AskUserQuestion", "ExitPlanMode"])
def test_an_open_question_waits_for_a_person_at_once_and_for_hours(tool: str) -> None:
    builder = calling(begun(), tool, plan="Do it.")

    assert (state(builder).state, state(builder).is_inferred) == ("waiting", False)
    assert state(builder, 3600).state == "waiting"
    assert "a question is open" in state(builder).reason


def test_an_edit_that_does_not_happen_is_probably_asked_about() -> None:
    builder = calling(begun(), "Edit", file_path=f"{CWD}/a.py", old_string="a", new_string="b")

    assert state(builder, 1).state == "working"
    assert (state(builder, 5).state, state(builder, 5).is_inferred) == ("waiting", True)


def test_nobody_is_asked_in_a_mode_that_lets_edits_through() -> None:
    builder = begun().permission_mode("acceptEdits").user("Again")
    calling(builder, "Edit", file_path=f"{CWD}/a.py", old_string="a", new_string="b")

    assert state(builder, 60).state == "working"


@pytest.mark.parametrize(
    ("decision", "expected"), [(ONCE, "waiting"), (SESSION, "working"), (None, "working")]
)
def test_a_command_like_one_that_was_asked_about_is_probably_asked_about(
    decision: dict[str, str] | None, expected: str
) -> None:
    builder = begun().tools(Call("Bash", {"command": "touch a"}, "done", permission=decision))
    calling(builder, "Bash", command="touch b")

    assert state(builder, 20).state == expected
    assert state(builder, 20).is_inferred is (expected == "waiting")


def test_a_command_that_nothing_is_known_of_may_run_or_ask() -> None:
    builder = calling(begun(), "Bash", command="make it")

    words = "Bash is running, or asks for permission"
    assert state(builder, 60) == LiveState("working", words)
    assert state(builder, 130) == LiveState("waiting", words, is_inferred=True)


def test_a_command_may_run_as_long_as_its_input_says() -> None:
    command = tool_use("Bash", {"command": "make all", "timeout": 600_000}, "pending-call")
    builder = begun().assistant(command)

    assert state(builder, 590).state == "working"
    assert state(builder, 610).state == "waiting"


def test_a_command_is_shown_as_it_is() -> None:
    command = "rm -rf build/ &&\n  npm publish"
    builder = calling(begun(), "Bash", command=command, description="Publish the package")

    assert activity(builder).action == "Bash rm -rf build/ && npm publish"


def test_an_answer_is_told_by_its_end_and_waits_while_it_ends_with_a_question() -> None:
    asked = "## Result\n\nAll **done**.\n\n- Shall I keep `status`, or drop it?"
    builder = begun().assistant(asked)

    assert activity(builder).action == "Shall I keep status, or drop it?"
    assert state(builder, 60 * 40).state == "waiting"
    assert len(activity(begun().assistant("Why? " * 100)).action) <= 202


def test_of_parallel_calls_the_one_without_a_result_counts() -> None:
    builder = begun().tools(bash("ls", "a"), Call("Bash", {"command": "sleep 9"}))

    assert activity(builder).action == "Bash sleep 9"
    assert state(builder, 60).state == "working"


def test_a_finished_turn_waits_for_the_next_prompt() -> None:
    builder = begun().assistant("It is fixed.\nAll tests pass.")

    assert state(builder) == LiveState("waiting", "waiting for the next prompt")
    assert activity(builder).action == "It is fixed. All tests pass."
    assert state(builder, 60 * 31).state == "finished"


def test_a_headless_session_ends_with_its_turn() -> None:
    assert state(begun(headless=True).assistant("Done.")).state == "finished"


def test_text_without_a_stop_reason_may_be_the_end() -> None:
    builder = SessionBuilder(version="2.0.76", cwd=CWD).user("Go").assistant("Done.")
    for row in builder.rows:
        if row["type"] == "assistant":
            row["message"]["stop_reason"] = None

    assert state(builder, 2).state == "working"
    assert (state(builder, 20).state, state(builder, 20).is_inferred) == ("waiting", True)


def test_thinking_is_work() -> None:
    builder = begun().assistant(thinking("Hm."))
    for row in builder.rows:
        if row["type"] == "assistant":
            row["message"]["stop_reason"] = None

    assert state(builder, 60).state == "working"


def test_who_left_does_not_wait() -> None:
    left = begun().assistant("Done.").command("/exit", stdout="Bye!")
    stayed = begun().assistant("Done.").command("/model", stdout="Set model")

    assert state(left).state == "finished"
    assert state(stayed).state == "waiting"


def test_an_interrupt_and_an_error_wait_for_a_person() -> None:
    assert state(begun().assistant("I").interrupt()).state == "waiting"
    assert state(begun().failure("Overloaded")).reason == "the model could not be reached"


def test_an_agent_run_that_goes_on_says_what_it_does() -> None:
    run = Agent("Find callers", "Find them", lambda run: calling(run, "Grep", pattern="retry"))
    builder = begun().tools(run)
    del builder.draft.items[-1]
    found = activity(builder)

    assert found.action == 'Find callers: Grep "retry"'
    assert state(builder, 60).state == "working"


def test_an_agent_run_in_the_background_is_work_after_the_turn() -> None:
    steps = lambda run: calling(run, "Grep", pattern="retry")  # noqa: E731
    builder = begun().agent("Find callers", "Find them", steps, background=True)
    builder.assistant("It runs in the background.")

    assert activity(builder).action == 'Find callers: Grep "retry"'
    assert state(builder, 60).state == "working"


def test_the_model_goes_on_after_an_automatic_compaction_only() -> None:
    assert state(begun().assistant("A").compact("auto"), 5).state == "working"
    assert state(begun().assistant("A").compact("manual"), 5).state == "waiting"


def test_the_context_is_that_of_the_last_request_or_what_a_compaction_left() -> None:
    builder = begun().assistant("A", usage=Usage(input=20_000, cache_read=80_000, output=5))
    full = activity(builder).context
    left = activity(builder.compact("auto", pre=100_000, post=6_000)).context

    assert full is not None
    assert (full.tokens, full.window, full.share) == (100_000, 200_000, 0.5)
    assert left is not None
    assert left.tokens == 6_000


def test_without_rows_only_time_tells() -> None:
    now = dt.datetime(2026, 11, 1, 12, tzinfo=dt.UTC)

    assert state_by_time("2026-11-01T11:59:00Z", now).state == "working"
    assert state_by_time("2026-11-01T11:00:00Z", now).state == "finished"
    assert state_by_time("", now) == LiveState(
        "finished", "nothing new for 30 minutes", is_inferred=True
    )


@pytest.mark.parametrize("recording", parameters(HERE))
def test_no_recorded_session_is_at_work_an_hour_later(recording: Recording) -> None:
    """All of them have ended; headless ones at once, and the others wait for half an hour."""
    for path in recording.root.glob("projects/*/*.jsonl"):
        if path.name.startswith("agent-"):
            continue
        found = read_activity(load(path))
        at = parse_time(found.at)
        if at is None:
            continue
        assert state_at(found, at + dt.timedelta(hours=1)).state in ("finished", "waiting")
