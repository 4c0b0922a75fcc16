"""Hooks that ran and waits for tasks, where everything is shown."""

from clew.parts import Fields, Fold, Listing, Note
from clew.view import CallView, Detail, MessageView, RunView
from tests.build import SessionBuilder, bash
from tests.unit.conversation.built import (
    answer,
    conversation_of,
    conversation_of_rows,
    prompt,
    row,
)
from tests.unit.view.viewed import check, items_of, messages_of, only, text_of, the, view


def test_hooks_of_a_call_are_one_line_beside_it_and_repeats_are_counted() -> None:
    session = SessionBuilder(version="2.1.47").user("Go").tools(bash("make", "done"))
    for event, command in (("Pre", "guard.sh"), ("Post", "log.sh"), ("Post", "log.sh")):
        name = f"{event}ToolUse:Bash"
        session.progress("hook_progress", hookEvent=event, hookName=name, command=command)

    (fold,) = [p for p in only(view(session), CallView).parts if isinstance(p, Fold) and p.is_meta]

    assert fold.title == "3 hooks ran: PreToolUse:Bash, PostToolUse:Bash (2)"
    assert fold.parts == (
        Fields((("PreToolUse:Bash", "guard.sh"), ("PostToolUse:Bash", "log.sh (2 times)"))),
    )


def test_a_call_says_for_which_task_it_waits() -> None:
    session = SessionBuilder(version="2.1.47").user("Go").tools(bash("make", "done"))
    session.progress("waiting_for_task", taskDescription="Run tests", taskType="local_bash")

    call = only(view(session), CallView)

    assert Note("waiting for Run tests (local_bash)", is_meta=True) in call.parts


def test_hooks_between_messages_stand_at_their_place_and_are_grouped() -> None:
    stop = {"type": "hook_progress", "hookEvent": "Stop", "hookName": "Stop", "command": "end.sh"}
    conversation = conversation_of_rows(
        row("progress", "g", None, 0, data={**stop, "hookName": "SessionStart", "command": "a"}),
        prompt("p", "g", "hi", 1),
        answer("a", "p", "hello", 2),
        row("progress", "h", "a", 3, data=stop, parentToolUseID="none"),
        row("progress", "i", "h", 4, data=stop, parentToolUseID="none"),
        prompt("q", "i", "more", 5),
    )

    page = view(conversation)

    kinds = [(message.kind, message.id) for message in messages_of(page)]
    assert kinds == [
        ("hook", "g"),
        ("prompt", "p"),
        ("answer", "msg-a"),
        ("hook", "h"),
        ("prompt", "q"),
    ]
    first, last = messages_of(page, "hook")
    assert (first.who, first.title, last.title) == ("Hook", "SessionStart", "Stop (2)")
    assert last.body == (Listing(("end.sh (2 times)",)),)
    assert [source.line for source in last.sources] == [4, 5]
    check(conversation)


def test_a_wait_whose_call_is_not_there_stands_in_the_thread() -> None:
    data = {"type": "waiting_for_task", "taskDescription": "Tests", "taskType": "local_bash"}
    conversation = conversation_of_rows(
        prompt("p", None, "hi", 1), row("progress", "w", "p", 2, data=data)
    )

    assert the(view(conversation), "system").title == "waiting for Tests (local_bash)"


def test_hooks_that_ran_within_an_agent_run_stand_in_it() -> None:
    def work(run: SessionBuilder) -> None:
        run.assistant("Found it").progress(
            "hook_progress", call_id="gone", hookName="SubagentStop", command="end.sh"
        )

    session = SessionBuilder(version="2.1.47").user("Go").agent("Look", "Look around", work)

    items = only(view(session), RunView).items

    kinds = [item.kind for item in items if isinstance(item, MessageView)]
    assert kinds == ["prompt", "answer", "hook"]
    assert only(view(session), RunView).messages == 2
    check(conversation_of(session))


def test_progress_shows_with_everything_alone() -> None:
    session = SessionBuilder(version="2.1.47").user("Go").tools(bash("make", "done"))
    session.progress("hook_progress", hookEvent="Stop", hookName="Stop", command="end.sh")
    session.progress("hook_progress", call_id="gone", hookName="Later", command="end.sh")

    assert "end.sh" not in text_of(view(session, detail=Detail.TOOLS).sections)
    assert text_of(view(session).sections).count("end.sh") == 2
    check(conversation_of(session))


def test_hooks_leave_the_beginning_and_the_gaps_of_a_page_as_they_are() -> None:
    hook = {"type": "hook_progress", "hookName": "Stop", "command": "end.sh"}
    conversation = conversation_of_rows(
        row("progress", "g", None, 0, data=hook),
        answer("a", "g", "hello", 1),
        row("progress", "h", "gone", 2, data=hook),
        prompt("p", "a", "hi", 3),
    )

    page = view(conversation, detail=Detail.TOOLS)

    assert page.frame.turns[0].id == "msg-a"
    assert [item.id for item in items_of(page)] == ["msg-a", "p"]
