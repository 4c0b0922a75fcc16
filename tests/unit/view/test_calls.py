"""Tool calls on a page, and the agent runs that they start."""

import pytest

from clew.conversation import AgentRun, Conversation, Message, Session
from clew.errors import NotFoundError
from clew.parts import Fold, Note, Output, Part, Prose
from clew.view import (
    CallView,
    ChangedFile,
    Detail,
    GapView,
    MessageView,
    Parallel,
    RunView,
    ViewOptions,
    make_index,
    make_run_page,
    make_timeline,
)
from tests.build import Call, SessionBuilder, bash, edit, write
from tests.unit.conversation.built import conversation_of
from tests.unit.view.viewed import items_of, messages_of, only, text_of, the, view, walk

CWD = "/home/dev/code/demo"


def calls_to(tool: str, session: SessionBuilder) -> list[CallView]:
    found = (item for item in walk(items_of(view(session))) if isinstance(item, CallView))
    return [call for call in found if call.tool == tool]


def pointers(call: CallView) -> list[Part]:
    return [part for part in call.parts if isinstance(part, Note) and part.message_id]


def nested(depth: int) -> SessionBuilder:
    """Start a run that starts a run, and so on."""

    def steps(run: SessionBuilder, left: int) -> None:
        if left > 1:
            run.agent(f"Level {depth - left + 2}", "Go on.", lambda inner: steps(inner, left - 1))
        run.assistant("Done.")

    return SessionBuilder().user("Go").agent("Level 1", "Go on.", lambda run: steps(run, depth))


def test_one_call_stands_alone() -> None:
    page = view(
        SessionBuilder().user("Go").tools(bash("ls", "a.txt", description="List"), say="I look.")
    )

    answer = the(page, "answer")

    assert isinstance(answer.body[1], CallView)
    assert (answer.body[1].verb, answer.body[1].label) == ("Bash", "List")
    assert Output("a.txt") in answer.body[1].parts


def test_calls_in_a_row_stand_under_one_bracket() -> None:
    page = view(SessionBuilder().user("Go").tools(bash("ls", "a"), bash("pwd", "/")))

    (piece,) = the(page, "answer").body

    assert isinstance(piece, Parallel)
    assert [call.label for call in piece.calls] == ["ls", "pwd"]


def test_an_answer_without_words_belongs_to_the_tools() -> None:
    session = SessionBuilder().user("Go").tools(bash("ls", "a")).assistant("There.")

    assert [m.level for m in messages_of(view(session), "answer")] == [Detail.TOOLS, Detail.TALK]
    assert len(messages_of(view(session, detail=Detail.TALK), "answer")) == 1


def test_talk_has_no_calls() -> None:
    session = SessionBuilder().user("Go").tools(bash("ls", "a"), say="I look.")

    assert not any(
        isinstance(i, CallView) for i in walk(items_of(view(session, detail=Detail.TALK)))
    )


def test_an_edit_counts_its_lines_beside_its_label() -> None:
    session = SessionBuilder().user("Go").tools(edit(f"{CWD}/a.py", "a\nb\n", "b", "c\nd"))

    call = only(view(session), CallView)

    assert (call.label, call.added, call.removed) == ("a.py", 2, 1)


def test_an_edit_of_which_not_all_is_known_counts_at_least_its_lines() -> None:
    asked = {"file_path": f"{CWD}/a.py", "old_string": "a", "new_string": "b", "replace_all": True}
    done = Call("Edit", asked, "The file a.py has been updated.", tool_use_result=None)

    call = only(view(SessionBuilder().user("Go").tools(done)), CallView)

    assert (call.added, call.removed, call.is_lower_bound) == (1, 1, True)


def test_a_failed_call_is_an_error_and_a_denied_one_is_not() -> None:
    session = (
        SessionBuilder()
        .user("Go")
        .tool("Bash", {"command": "false"}, "Exit code 1", error=True)
        .tool("Write", {"file_path": "b", "content": "b"}, "no", denied=True)
    )

    failed, denied = (item for item in walk(items_of(view(session))) if isinstance(item, CallView))

    assert (failed.status, failed.tone, failed.is_error) == ("failed", "bad", True)
    assert (denied.status, denied.tone) == ("denied", "warn")


def test_a_call_without_an_id_is_found_by_its_row() -> None:
    session = SessionBuilder().user("Go").tools(Call("Bash", {"command": "ls"}, id=""))

    assert only(view(session), CallView).label == "ls"


def test_a_result_whose_call_is_gone_is_shown_where_it_stands() -> None:
    session = SessionBuilder().user("Go").tools(bash("ls", "a.txt"))
    session.rows[-1]["message"]["content"][0]["tool_use_id"] = "gone"

    results = the(view(session), "tool_results")

    assert results.body == (Output("a.txt", "result"),)


def test_what_the_model_alone_was_told_shows_with_everything_alone() -> None:
    session = SessionBuilder().user("Go").tools(write(f"{CWD}/a.txt", "a\n"))

    everything, tools = (
        only(view(session), CallView),
        only(view(session, detail=Detail.TOOLS), CallView),
    )

    assert any(isinstance(part, Fold) and part.is_meta for part in everything.parts)
    assert not any(isinstance(part, Fold) and part.is_meta for part in tools.parts)


def test_a_run_stands_in_its_call_with_its_messages() -> None:
    page = view(nested(1), detail=Detail.TOOLS)

    run = only(page, RunView)

    assert (run.title, run.agent, run.status, run.depth) == (
        "Level 1",
        "general-purpose",
        "done",
        1,
    )
    kinds = [item.kind for item in run.items if isinstance(item, MessageView)]
    assert kinds == ["prompt", "answer"]
    assert all("agent-run" in item.classes for item in run.items if isinstance(item, MessageView))


def test_a_prompt_and_a_report_stand_in_the_run_and_the_call_points_there() -> None:
    def steps(run: SessionBuilder) -> None:
        run.tools(bash("ls", "a")).assistant("Found **it**.")

    session = SessionBuilder().user("Go").agent("Look", "Look around, please", steps)

    page = view(session)

    call = next(item for item in walk(items_of(page)) if isinstance(item, CallView))
    (run,) = call.runs
    asked, *_, answered = [item.id for item in run.items if isinstance(item, MessageView)]
    assert pointers(call) == [
        Note("Prompt: see the first message of the run", message_id=asked),
        Note("Report: see the last answer of the run", message_id=answered),
    ]
    assert text_of(page.sections).count("Look around, please") == 1
    assert text_of(page.sections).count("Found **it**.") == 1


def test_a_call_whose_run_is_elsewhere_shows_the_prompt_and_the_report_itself() -> None:
    session = SessionBuilder().user("Go").agent("Look", "Look around", lambda r: r.assistant("It"))

    call = only(view(session, max_run_depth=0), CallView)

    assert pointers(call) == []
    assert Prose("It") in call.parts


def test_runs_nested_too_deep_are_linked() -> None:
    runs = [item for item in walk(items_of(view(nested(4)))) if isinstance(item, RunView)]

    assert [(run.title, run.is_linked, run.depth) for run in runs] == [
        ("Level 1", False, 1),
        ("Level 2", False, 2),
        ("Level 3", True, 3),
    ]
    assert runs[2].items == ()


def test_a_run_has_a_page_of_its_own() -> None:
    conversation = conversation_of(nested(3))
    run = next(run for run in conversation.agent_runs if run.description == "Level 2")

    page = make_run_page(make_index(conversation), run.id, ViewOptions())

    assert (page.frame.header.id, page.frame.header.title) == (run.id, "Level 2")
    assert ("run of", conversation.session.id) in page.frame.header.lineage
    assert [m.kind for m in messages_of(page)] == ["prompt", "answer", "answer"]
    assert only(page, RunView).title == "Level 3"


def test_a_page_of_no_run_is_not_found() -> None:
    with pytest.raises(NotFoundError):
        make_run_page(make_index(conversation_of(nested(1))), "nobody", ViewOptions())


def test_hidden_runs_show_when_asked_for_or_with_everything() -> None:
    session = SessionBuilder().user("Go").agent("Warm", "Warmup", lambda run: run.assistant("Hi"))

    def shown(**options: object) -> int:
        items = walk(items_of(view(session, **options)))
        return sum(isinstance(item, RunView) for item in items)

    assert shown() == 1
    assert shown(detail=Detail.TOOLS) == 0
    assert shown(detail=Detail.TOOLS, with_hidden_runs=True) == 1


def test_a_run_whose_transcript_is_gone_begins_with_a_gap() -> None:
    row = {"type": "user", "uuid": "x", "message": {"role": "user", "content": "Look around"}}
    session = (
        SessionBuilder(version="2.1.47")
        .user("Go")
        .tool("Task", {"prompt": "Look around", "description": "Look"})
        .progress("agent_progress", agentId="lost", message=row)
    )

    run = only(view(session), RunView)

    assert not run.has_transcript
    assert isinstance(run.items[0], GapView)
    assert "Look around" in text_of(run.items)


def test_a_change_of_a_task_tells_what_the_task_is() -> None:
    new = {"task": {"id": "1", "subject": "Mend it"}}
    made = Call("TaskCreate", {"subject": "Mend it"}, "Task #1 created", tool_use_result=new)
    done = Call("TaskUpdate", {"taskId": "1", "status": "completed"}, "Updated task #1 status")
    session = SessionBuilder().user("Go").tools(made).tools(done)

    (call,) = calls_to("TaskUpdate", session)

    assert call.label == "1: completed, Mend it"
    assert "Mend it" in text_of(call.parts)


def test_a_task_that_got_another_name_is_called_by_that() -> None:
    session = SessionBuilder().user("Go")
    new = {"task": {"id": "1", "subject": "Mend"}}
    session.tools(Call("TaskCreate", {"subject": "Mend"}, "Made", tool_use_result=new))
    session.tools(Call("TaskUpdate", {"taskId": "1", "subject": "Mend it all"}, "Updated task #1"))
    session.tools(Call("TaskUpdate", {"taskId": "1", "status": "completed"}, "Updated task #1"))

    labels = [call.label for call in calls_to("TaskUpdate", session)]

    assert labels == ["1: Mend it all", "1: completed, Mend it all"]


def test_a_task_of_which_nothing_is_known_is_told_by_its_number() -> None:
    done = Call("TaskUpdate", {"taskId": "7", "status": "completed"}, "Updated task #7 status")

    (call,) = calls_to("TaskUpdate", SessionBuilder().user("Go").tools(done))

    assert call.label == "7: completed"


def test_where_only_runs_that_nobody_asked_for_are_left_they_are_the_page() -> None:
    warmup = AgentRun(id="w", kind="warmup", prompt="Warmup")
    lone = Conversation(
        session=Session(id="s"),
        messages=(Message(id="m", kind="prompt", role="user", agent_run_id="w"),),
        agent_runs=(warmup,),
    )

    run = only(view(lone), RunView)

    assert (run.kind, run.is_hidden) == ("warmup", False)


def in_background() -> SessionBuilder:
    """Start a run that goes on for a minute and a half after its call has ended."""

    def steps(run: SessionBuilder) -> None:
        run.wait(87).assistant("Done.")

    return SessionBuilder().user("Go").agent("Long", "Take your time.", steps, background=True)


def test_a_call_that_starts_a_run_in_the_background_takes_as_long_as_the_run() -> None:
    conversation = conversation_of(in_background())

    (call,) = calls_to("Agent", in_background())

    assert (conversation.tool_calls[0].duration_ms or 0) < 87_000
    assert call.duration_ms == call.runs[0].duration_ms
    assert (call.duration_ms or 0) >= 87_000


def test_on_the_timeline_its_bar_ends_with_the_run() -> None:
    main, run = make_timeline(conversation_of(in_background())).lanes

    (bar,) = (bar for bar in main.bars if bar.kind == "agent")

    assert bar.end_ms == run.end_ms


def test_the_header_of_a_nested_run_names_the_run_that_started_it() -> None:
    index = make_index(conversation_of(nested(2)))
    outer, inner = sorted(index.conversation.agent_runs, key=lambda run: run.depth)

    header = make_run_page(index, inner.id, ViewOptions()).frame.header

    assert header.parent_run_id == outer.id
    assert header.lineage == (("run of", index.conversation.session.id),)


def test_a_call_names_a_file_from_where_the_session_began() -> None:
    built = SessionBuilder().user("Go").tools(write(f"{CWD}/api/a.py", "1\n"))
    built.cwd(f"{CWD}/api").user("Go on").tools(write(f"{CWD}/api/a.py", "2\n"))

    assert [call.label for call in calls_to("Write", built)] == ["api/a.py"] * 2


def test_that_settings_allowed_a_call_shows_only_where_everything_does() -> None:
    session = SessionBuilder().user("Go").tools(bash("ls", "a.txt"))
    by_mode = Note("Allowed by the permission mode", is_meta=True)

    assert by_mode not in only(view(session, detail=Detail.TOOLS), CallView).parts
    assert by_mode in only(view(session, detail=Detail.EVERYTHING), CallView).parts


def test_a_file_that_a_command_changed_is_among_the_files_of_the_session() -> None:
    hunk = {"oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": 1, "lines": ["-a", "+b"]}
    edits = {"files": [{"filePath": f"{CWD}/a.py", "hunks": [hunk]}], "moreFiles": 0}
    result = {"stdout": "", "stderr": "", "interrupted": False, "bashEditDiff": edits}
    session = SessionBuilder().user("Go").tools(Call("Bash", {"command": "sed"}, "", result))

    page = view(session)
    call = only(page, CallView)
    changed = ChangedFile("a.py", 1, 1, 1, full_path=f"{CWD}/a.py", call_id=call.id)
    assert page.frame.header.files == (changed,)
