"""The frame of a page: facts, outline, map."""

import shlex

from clew.analytics import session_touches
from clew.conversation import AgentRun
from clew.view import Detail, FrameView, ViewOptions, make_frame, make_index
from clew.view.build import page_of
from clew.view.layout import make_layout
from tests.build import Call, SessionBuilder, bash, edit, image, thinking, write
from tests.unit.conversation.built import conversation_of
from tests.unit.view.viewed import frame

CWD = "/home/dev/code/demo"


def worked() -> SessionBuilder:
    """Edit, fail, start a run, compact, and go on."""
    return (
        SessionBuilder()
        .user("Fix the retry bug:\nit gives up.")
        .tools(
            edit(f"{CWD}/src/upload.py", "a\nb\n", "b", "c\nd"),
            write("/elsewhere/new.txt", "1\n2\n3\n"),
        )
        .tool("Bash", {"command": "false"}, "Exit code 1", error=True)
        .agent("Look", "Look around.", lambda run: run.tools(bash("ls", "a")).assistant("Seen."))
        .compact()
        .user("Go on")
        .assistant("Done.")
        .ai_title("Fix the retry bug")
    )


def marks(made: FrameView) -> list[tuple[str, str]]:
    """Give kind and tone of each mark."""
    return [(mark.kind, mark.tone) for mark in made.marks]


def test_the_header_has_the_facts() -> None:
    header = frame(worked()).header

    assert (header.title, header.title_source) == ("Fix the retry bug", "generated")
    assert (header.prompts, header.calls, header.errors, header.agent_runs) == (2, 5, 1, 1)
    assert header.models == ("Opus 5.5",)
    assert header.compactions == 1
    assert header.spent.given_tokens > header.spent.cached_tokens


def test_tools_are_counted_most_used_first() -> None:
    header = frame(worked()).header

    assert header.tools[0] == ("Bash", 2)
    assert {name for name, _ in header.tools} == {"Bash", "Edit", "Write", "Agent"}


def test_a_file_has_one_name_wherever_the_client_is() -> None:
    paths = (f"{CWD}/api/src/a.py", "src/a.py", "./src/../src/a.py")
    built = SessionBuilder().user("Go").tools(write(f"{CWD}/api/src/a.py", "0\n")).cwd(f"{CWD}/api")
    for path in paths:
        built.user("Go on").tools(write(path, "1\n"))

    files = frame(built).header.files

    assert [(file.path, file.changes) for file in files] == [("api/src/a.py", 4)]


def test_changed_files_are_the_same_once_their_calls_were_shown() -> None:
    index, options = make_index(conversation_of(worked())), ViewOptions()
    before = make_frame(index, options).header.files

    page_of(make_layout(index, options))

    assert index.line_counts
    assert make_frame(index, options).header.files == before


def test_changed_files_are_told_from_the_working_directory() -> None:
    files = frame(worked()).header.files

    assert [(file.path, file.added, file.removed) for file in files] == [
        ("/elsewhere/new.txt", 3, 0),
        ("src/upload.py", 2, 1),
    ]


def test_lines_of_a_file_are_a_lower_bound_where_one_change_says_less_than_all() -> None:
    path = f"{CWD}/src/unread.py"
    session = worked().tools(overwrite(path, "1\n2\n"), edit(path, "1\n2\n", "2", "3"))

    files = {file.path: file for file in frame(session).header.files}

    changed = files["src/unread.py"]
    assert (changed.added, changed.removed, changed.changes) == (1, 1, 2)
    assert changed.is_lower_bound
    assert not files["/elsewhere/new.txt"].is_lower_bound


def test_a_written_file_is_counted_against_the_text_that_the_session_knew() -> None:
    path = f"{CWD}/src/known.py"
    lines = [f"{number}\n" for number in range(10)]
    written, shorter = "".join(lines), "".join(lines[:6])
    session = worked().tools(write(path, written)).tools(overwrite(path, f"{shorter}new\n"))

    built = make_index(conversation_of(session))
    header = make_frame(built, ViewOptions()).header
    rows = {touch.action: touch for touch in session_touches(built.conversation)}

    [known] = [file for file in header.files if file.path == "src/known.py"]
    assert (known.added, known.removed, known.is_lower_bound) == (11, 4, False)
    last = rows["write"]
    assert (last.lines_added, last.lines_removed, last.is_lower_bound) == (1, 4, False)


def overwrite(path: str, content: str) -> Call:
    """Write over a file, with a result that does not have its text before."""
    told = {"type": "update", "filePath": path, "content": content}
    asked = {"file_path": path, "content": content}
    return Call("Write", asked, "The file has been updated.", told)


def test_a_changed_file_names_its_path_and_its_first_call() -> None:
    session = worked().tools(edit(f"{CWD}/src/upload.py", "a\nc\nd\n", "d", "e"))
    conversation = conversation_of(session)
    edits = [call.id for call in conversation.tool_calls if call.tool == "Edit"]

    files = {file.path: file for file in frame(session).header.files}

    assert files["src/upload.py"].full_path == f"{CWD}/src/upload.py"
    assert files["src/upload.py"].call_id == edits[0]


def test_tools_are_counted_as_the_page_shows_them() -> None:
    tools = {one.kind: one.shown for one in frame(worked()).tools}

    # One Bash call is in the agent run, and below detail tools no call is shown.
    assert tools["Bash"] == (0, 0, 0, 2, 2)
    assert tools["Edit"] == (0, 0, 0, 1, 1)
    assert frame(worked(), detail=Detail.TALK).tools == ()


def test_changes_that_failed_or_were_denied_change_no_file() -> None:
    asked = {"file_path": f"{CWD}/a.py", "old_string": "a", "new_string": "b"}
    cell = {"notebook_path": f"{CWD}/a.ipynb", "new_source": "x"}
    session = (
        SessionBuilder()
        .user("Go")
        .tool("Edit", asked, "<tool_use_error>Gone</tool_use_error>", error=True)
        .tool("Edit", asked, "no", denied=True)
        .tools(Call("NotebookEdit", cell, "Gone", {"new_source": "x", "error": "Gone"}))
    )

    assert frame(session).header.files == ()


def test_the_resume_command_survives_a_shell() -> None:
    session = SessionBuilder(cwd="/home/dev/it's; rm -rf x").user("Hi")

    resume = frame(session).header.resume

    assert shlex.split(resume) == [
        "cd",
        "/home/dev/it's; rm -rf x",
        "&&",
        "claude",
        "--resume",
        session.session_id,
    ]


def test_the_outline_has_the_first_words_of_each_prompt() -> None:
    turns = frame(worked()).turns

    assert [turn.title for turn in turns] == ["Fix the retry bug:", "Go on"]


def test_the_outline_has_the_heading_of_a_plan() -> None:
    built = SessionBuilder().user("Look").assistant("Ok.")
    built.user("Implement the following plan:\n\n# Retry with a limit\n\n1. Do it").assistant("Ok.")

    assert [turn.title for turn in frame(built).turns] == ["Look", "Retry with a limit"]


def test_a_turn_counts_what_came_of_it() -> None:
    first, second = frame(worked()).turns

    assert (first.calls, first.edits, first.errors) == (5, 2, 1)
    assert (first.runs, first.compactions) == (1, 1)
    assert first.spent.cost_nano_usd
    assert (second.calls, second.runs, second.compactions) == (0, 0, 0)


def test_a_prompt_of_pictures_alone_has_a_title() -> None:
    (turn,) = frame(SessionBuilder().user(image())).turns

    assert turn.title == "(1 image)"


def test_the_map_has_a_mark_for_each_message() -> None:
    assert marks(frame(worked(), detail=Detail.TOOLS)) == [
        ("prompt", ""),
        ("tool", ""),
        ("tool", "bad"),
        ("tool", ""),
        ("compaction", "warn"),
        ("prompt", ""),
        ("answer", ""),
    ]


def test_errors_and_gaps_stand_out_in_the_map() -> None:
    session = SessionBuilder().user("Hi").failure("API Error").raw(b"{not json")

    assert marks(frame(session)) == [("prompt", ""), ("error", "bad"), ("gap", "bad")]


def test_long_texts_weigh_more() -> None:
    session = SessionBuilder().user("a").assistant("b" * 1_000).assistant("c" * 1_000_000)

    assert [mark.weight for mark in frame(session).marks] == [1, 2, 5]


def test_kinds_are_counted_for_filters() -> None:
    session = SessionBuilder().user("Hi").assistant("Hello").command("/cost", stdout="$1")

    kinds = {kind.kind: kind.shown[-1] for kind in frame(session, detail=Detail.TALK).kinds}

    assert kinds == {"prompt": 1, "answer": 1, "command": 1, "command_output": 1}


def test_kinds_are_counted_by_the_detail_that_shows_them() -> None:
    session = SessionBuilder().user("Hi").attachment("date_change", newDate="2026-11-02")
    session.tools(bash("ls", "a")).assistant("Hello").user("Again")

    kinds = {kind.kind: kind.shown for kind in frame(session, detail=Detail.EVERYTHING).kinds}

    assert kinds["prompt"] == (0, 2, 2, 2, 2)
    assert kinds["answer"] == (0, 0, 1, 2, 2)
    assert kinds["attachment"] == (0, 0, 0, 0, 1)


def test_problems_are_listed_as_the_check_tells_them() -> None:
    (problem,) = frame(SessionBuilder().user("Hi").raw(b"{not json")).problems

    assert (problem.severity, problem.kind, problem.source.line) == ("error", "broken", 2)
    assert problem.text.startswith("A line that is not JSON")


def test_what_messages_contain_is_counted_for_filters() -> None:
    def inner(run: SessionBuilder) -> None:
        run.tools(bash("ls", "a"), think="Where?").assistant("Here.")

    session = SessionBuilder().user("Go").assistant(thinking("Hm"), "Well").remember("here")
    session.user("One way").tools(bash("make", "done")).rewind_to("here")
    session.user("Delegate").agent("Look", "Look around", inner)

    counts = {one.kind: one.shown for one in frame(session).contents}

    assert counts == {
        "tool_call": (0, 0, 0, 3, 3),
        "thinking": (0, 0, 0, 0, 2),
        "agent_run": (0, 0, 0, 1, 1),
    }
    assert frame(session, detail=Detail.TALK).contents == ()


def test_runs_that_the_client_hides_are_counted_where_everything_is_shown() -> None:
    session = SessionBuilder().user("Go").assistant("Well")
    conversation = conversation_of(session)
    hidden = AgentRun(id="h", kind="warmup", is_hidden=True)
    conversation.agent_runs = (*conversation.agent_runs, hidden)

    (counted,) = make_frame(make_index(conversation), ViewOptions()).contents

    assert (counted.kind, counted.shown) == ("agent_run", (0, 0, 0, 0, 1))
