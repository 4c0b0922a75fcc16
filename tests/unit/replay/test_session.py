"""Files through the calls of one session: each trap in which a wrong state would look exact."""

from pathlib import Path
from typing import Any

import pytest

from clew.replay import Certainty, ReplayIndex, replay_session
from clew.sessions import load
from tests.build import Agent, Call, SessionBuilder, bash, edit, read, write
from tests.unit.replay.replayed import (
    FILE,
    end_of,
    hunk,
    multi_edit,
    replay_of,
    shell,
    update,
    versions_of,
)

EXACT, TOLD, STALE, UNKNOWN = Certainty


def started(*calls: Call) -> SessionBuilder:
    builder = SessionBuilder().user("Do it.")
    for call in calls:
        builder.tools(call)
    return builder


@pytest.mark.parametrize(
    ("calls", "text"),
    [
        ([read(FILE, "a\n")], "a\n"),
        ([edit(FILE, "a\nb\n", "b", "c")], "a\nc\n"),
        ([edit(FILE, "a\nb\nc\n", "b", "")], "a\nc\n"),
        ([edit(FILE, "ab\n", "b", "")], "a"),
        ([edit(FILE, "\ta\n\tb\n", "\tb", "\t\tb")], "\ta\n\t\tb\n"),
        ([edit(FILE, "a", "a", "b")], "b"),
        ([write(FILE, "x\n"), edit(FILE, "x\n", "x", "y")], "y\n"),
        ([update(FILE, "old", "new")], "new"),
        ([multi_edit(FILE, "a b\n", ("a", "b"), ("b b", "c"))], "c\n"),
        ([read(FILE, "a b\n"), multi_edit(FILE, None, ("a", "c"))], "c b\n"),
    ],
)
def test_what_calls_say_is_exact(tmp_path: Path, calls: list[Call], text: str) -> None:
    state = end_of(replay_of(started(*calls), tmp_path))

    assert (state.state, state.text) == (EXACT, text)


def test_a_notebook_is_what_its_edit_left(tmp_path: Path) -> None:
    arguments = {"notebook_path": "/n.ipynb", "new_source": "x"}
    result = {"new_source": "x", "original_file": "{1}", "updated_file": "{2}", "error": ""}
    replay = replay_of(started(Call("NotebookEdit", arguments, "Updated", result)), tmp_path)

    (version,) = versions_of(replay, "/n.ipynb")
    assert (version.before.text, version.after.text) == ("{1}", "{2}")
    assert version.after.state is EXACT


@pytest.mark.parametrize("command", ["make", "git checkout .", "sed -i s/a/b/ a.py", "npm test"])
def test_a_command_that_may_write_makes_files_stale(tmp_path: Path, command: str) -> None:
    state = end_of(replay_of(started(write(FILE, "a\n"), bash(command)), tmp_path))

    assert (state.state, state.text) == (STALE, "a\n")
    assert state.since is not None
    assert (state.since.kind, state.since.text) == ("command", command)


@pytest.mark.parametrize("command", ["git diff", "echo x > other.py", "rm -r sub"])
def test_a_command_that_writes_elsewhere_does_not(tmp_path: Path, command: str) -> None:
    state = end_of(replay_of(started(write(FILE, "a\n"), bash(command)), tmp_path))

    assert state.state is EXACT


def test_a_command_in_another_folder_writes_there(tmp_path: Path) -> None:
    builder = started(write(FILE, "a\n")).cwd("/home/dev/code/demo/sub")
    builder.tools(bash("rm a.py"))
    assert end_of(replay_of(builder, tmp_path)).state is EXACT

    builder.cwd("/home/dev/code/demo").tools(bash("rm a.py"))
    assert end_of(replay_of(builder, tmp_path)).state is STALE


def test_a_failing_command_may_have_written(tmp_path: Path) -> None:
    failed = Call("Bash", {"command": "make"}, "Exit code 2", error=True)

    assert end_of(replay_of(started(write(FILE, "a"), failed), tmp_path)).state is STALE


@pytest.mark.parametrize(
    "call",
    [
        Call("Edit", {"file_path": FILE, "old_string": "a", "new_string": "b"}, "No", error=True),
        Call("Write", {"file_path": FILE, "content": "b"}, "No", denied=True),
        Call("Bash", {"command": "make"}, "No", denied=True),
    ],
)
def test_what_failed_or_was_denied_changed_nothing(tmp_path: Path, call: Call) -> None:
    state = end_of(replay_of(started(write(FILE, "a\n"), call), tmp_path))

    assert (state.state, state.text) == (EXACT, "a\n")


def test_an_edit_without_a_result_may_have_been_made(tmp_path: Path) -> None:
    pending = Call("Edit", {"file_path": FILE, "old_string": "a", "new_string": "b"})

    assert end_of(replay_of(started(write(FILE, "a\n"), pending), tmp_path)).state is STALE


def test_a_hook_after_an_edit_makes_its_file_stale(tmp_path: Path) -> None:
    builder = started(write("/other", "x"), write(FILE, "a\n"))
    call_id = load(builder.write(tmp_path)).tool_calls[-1].id
    hook = {"hookName": "PostToolUse:Write", "toolUseID": call_id, "hookEvent": "PostToolUse"}
    builder.attachment("hook_success", content="", stdout="", command="ruff format", **hook)

    replay = replay_of(builder, tmp_path)

    assert end_of(replay).state is STALE
    assert end_of(replay, "/other").state is EXACT


def test_a_hook_of_an_old_client_makes_files_stale(tmp_path: Path) -> None:
    said = "\x1b[1mPostToolUse:Edit\x1b[22m [uv run ruff format] completed successfully: 1 file"
    builder = started(write(FILE, "a\n")).system("informational", content=said)

    assert end_of(replay_of(builder, tmp_path)).state is STALE


def test_the_clients_own_hooks_change_nothing(tmp_path: Path) -> None:
    builder = SessionBuilder(version="2.1.47").user("Do it.").tools(write(FILE, "a\n"))
    builder.progress(
        "hook_progress", hookEvent="PostToolUse", hookName="PostToolUse:Write", command="callback"
    )

    assert end_of(replay_of(builder, tmp_path)).state is EXACT


def test_a_hook_at_the_end_of_a_turn_makes_files_stale(tmp_path: Path) -> None:
    builder = started(write(FILE, "a\n")).assistant("Done.").stop_hook("prettier --write .")

    assert end_of(replay_of(builder, tmp_path)).state is STALE


def test_a_change_that_the_client_noticed_makes_a_file_stale(tmp_path: Path) -> None:
    builder = started(write(FILE, "a\n")).attachment(
        "edited_text_file", filename=FILE, snippet="1\tb"
    )

    assert end_of(replay_of(builder, tmp_path)).state is STALE


def test_a_command_of_the_person_counts(tmp_path: Path) -> None:
    assert end_of(replay_of(started(write(FILE, "a\n")).bash("make"), tmp_path)).state is STALE


def test_a_rewind_may_restore_files(tmp_path: Path) -> None:
    builder = SessionBuilder().user("One.").assistant("Yes.").remember("here")
    builder.user("Two.").tools(write(FILE, "a\n")).assistant("Done.")
    builder.rewind_to("here").user("Three.").assistant("Well.")

    state = end_of(replay_of(builder, tmp_path))

    assert state.state is STALE
    assert state.since is not None
    assert state.since.kind == "rewind"


def test_while_a_background_command_runs_nothing_is_exact(tmp_path: Path) -> None:
    started_in_back = Call(
        "Bash",
        {"command": "make watch", "run_in_background": True},
        "Command running in background with ID: b1",
        {"stdout": "", "stderr": "", "interrupted": False, "backgroundTaskId": "b1"},
    )
    builder = started(started_in_back, write(FILE, "a\n"))
    assert end_of(replay_of(builder, tmp_path)).state is STALE

    builder.tools(Call("KillShell", {"shell_id": "b1"}, "Killed"))
    builder.tools(update(FILE, "a\n", "b\n"))
    assert end_of(replay_of(builder, tmp_path)).state is EXACT


def test_a_server_in_the_background_writes_no_source(tmp_path: Path) -> None:
    server = Call(
        "Bash", {"command": "npm run dev", "run_in_background": True}, "ID: b1", {"stdout": ""}
    )

    assert end_of(replay_of(started(server, write(FILE, "a\n")), tmp_path)).state is EXACT


def test_edits_of_agents_count(tmp_path: Path) -> None:
    builder = started(write(FILE, "a\n")).agent(
        "Change it", "Change a to b", lambda run: run.tools(edit(FILE, "a\n", "a", "b"))
    )

    replay = replay_of(builder, tmp_path)

    assert end_of(replay).text == "b\n"
    assert versions_of(replay)[-1].agent_run_id is not None


def test_agents_side_by_side_may_write_to_each_others_files(tmp_path: Path) -> None:
    slow = Call("Bash", {"command": "make"}, "done", seconds=60)
    builder = SessionBuilder().user("Go.")
    builder.tools(
        Agent("Builds", "Build it", lambda run: run.tools(slow)),
        Agent("Writes", "Write it", lambda run: run.wait(-50).tools(write(FILE, "a\n"))),
    )

    replay = replay_of(builder, tmp_path)

    assert versions_of(replay)[0].after.state is STALE


def test_an_agent_without_a_transcript_may_have_written(tmp_path: Path) -> None:
    lost = Call("Task", {"prompt": "x", "subagent_type": "general-purpose"}, "Done.")
    harmless = Call("Task", {"prompt": "x", "subagent_type": "Explore"}, "Done.")

    assert end_of(replay_of(started(write(FILE, "a"), harmless), tmp_path)).state is EXACT
    assert end_of(replay_of(started(write(FILE, "a"), lost), tmp_path)).state is STALE


@pytest.mark.parametrize(
    ("tool", "state"),
    [
        ("mcp__files__write_file", STALE),
        ("mcp__files__read_file", EXACT),
        ("mcp__files__search_and_replace", STALE),
        ("mcp__linear-server__create_issue", EXACT),
        ("Glob", EXACT),
        ("SomethingNew", STALE),
    ],
)
def test_other_tools_may_write(tmp_path: Path, tool: str, state: Certainty) -> None:
    replay = replay_of(started(write(FILE, "a"), Call(tool, {"x": 1}, "ok")), tmp_path)

    assert end_of(replay).state is state


def test_a_link_is_another_name_of_a_file(tmp_path: Path) -> None:
    link = "/home/dev/code/demo/link.py"
    replay = replay_of(
        started(read(FILE, "a\n"), read(link, "a\n"), edit(link, "a\n", "a", "b")), tmp_path
    )

    assert end_of(replay).state is STALE
    assert end_of(replay, link).state is EXACT


def test_after_a_link_was_made_any_name_may_be_it(tmp_path: Path) -> None:
    replay = replay_of(
        started(bash("ln -s a.py b.py"), write(FILE, "a"), bash("echo x >> b.py")), tmp_path
    )

    assert end_of(replay).state is STALE


def test_a_part_that_differs_shows_a_change(tmp_path: Path) -> None:
    file = {"filePath": FILE, "content": "B", "numLines": 1, "startLine": 2, "totalLines": 4}
    part = Call(
        "Read", {"file_path": FILE, "offset": 2, "limit": 1}, "2\tB", {"type": "text", "file": file}
    )

    assert end_of(replay_of(started(write(FILE, "a\nb\nc\n"), part), tmp_path)).state is STALE
    assert end_of(replay_of(started(write(FILE, "a\nB\nc\n"), part), tmp_path)).state is EXACT


def test_a_file_that_is_unchanged_is_exact_again(tmp_path: Path) -> None:
    same = Call(
        "Read",
        {"file_path": FILE},
        "unchanged",
        {"type": "file_unchanged", "file": {"filePath": FILE}},
    )
    replay = replay_of(started(write(FILE, "a\n"), bash("make"), same), tmp_path)

    assert end_of(replay).state is EXACT


def test_what_the_user_changed_of_an_edit_is_not_exact(tmp_path: Path) -> None:
    call = edit(FILE, "a\n", "a", "b")
    result: dict[str, Any] = {**call.tool_use_result, "userModified": True}
    changed = Call(call.tool, call.input, call.result, result)

    assert end_of(replay_of(started(changed), tmp_path)).state is STALE


def test_an_edit_without_its_file_is_unknown_unless_it_is_known(tmp_path: Path) -> None:
    def bare(old: str) -> Call:
        result = {"filePath": FILE, "oldString": old, "newString": "z", "originalFile": None}
        return Call("Edit", {"file_path": FILE, "old_string": old, "new_string": "z"}, "ok", result)

    assert end_of(replay_of(started(bare("a")), tmp_path)).state is UNKNOWN
    known = end_of(replay_of(started(write(FILE, "a b b\n"), bare("a")), tmp_path))
    twice = end_of(replay_of(started(write(FILE, "a b b\n"), bare("b")), tmp_path))
    assert (known.state, known.text) == (EXACT, "z b b\n")
    assert twice.state is UNKNOWN


def test_what_a_command_changed_is_told(tmp_path: Path) -> None:
    changed = {"filePath": FILE, "hunks": [hunk(1, 1, "-a", "+b", " c")]}
    replay = replay_of(
        started(
            write(FILE, "a\nc\n"),
            write("/home/dev/code/demo/b.py", "x"),
            write("/else", "y"),
            shell("make", changed),
        ),
        tmp_path,
    )

    state = end_of(replay)
    assert (state.state, state.text) == (TOLD, "b\nc\n")
    assert end_of(replay, "/home/dev/code/demo/b.py").state is TOLD
    assert end_of(replay, "/else").state is STALE


def test_files_that_commands_made_and_removed_are_told(tmp_path: Path) -> None:
    made = {
        "filePath": FILE,
        "hunks": [hunk(1, 1, "+a", "\\ No newline at end of file")],
        "created": True,
    }
    gone = {"filePath": FILE, "hunks": [hunk(1, 1, "-a")], "deleted": True}

    state = end_of(replay_of(started(shell("x", made)), tmp_path))
    assert (state.state, state.text) == (TOLD, "a")
    removed = end_of(replay_of(started(shell("x", made), shell("y", gone)), tmp_path))
    assert (removed.state, removed.exists) == (TOLD, False)


@pytest.mark.parametrize(
    "changed", [{"filePath": FILE, "hunks": [hunk(1, 1, "-other", "+b")]}, None]
)
def test_what_does_not_fit_is_unknown(tmp_path: Path, changed: dict[str, Any] | None) -> None:
    call = shell("make", changed) if changed else shell("make", changed=(FILE,))
    replay = replay_of(started(write(FILE, "a\n"), call), tmp_path)

    assert end_of(replay).state is UNKNOWN


def test_an_empty_file_that_is_written_over_was_there(tmp_path: Path) -> None:
    replay = replay_of(started(read(FILE, ""), write(FILE, "a\n")), tmp_path)

    version = versions_of(replay)[-1]
    assert (version.before.exists, version.before.text) == (True, "")


def test_a_masked_path_is_never_exact(tmp_path: Path) -> None:
    replay = replay_of(started(write("/srv/REDACTED.ts", "a")), tmp_path)

    assert end_of(replay, "/srv/REDACTED.ts").state is STALE


def test_a_message_finds_what_the_calls_before_it_left(tmp_path: Path) -> None:
    builder = started(write(FILE, "a\n"), edit(FILE, "a\n", "a", "b")).assistant("Done.")
    conversation = load(builder.write(tmp_path))
    index = ReplayIndex(replay_session(conversation))
    answers = [message.id for message in conversation.messages if message.kind == "answer"]

    found = [index.state_at_message(FILE, name) for name in answers]

    assert [state and (state.state, state.text) for state in found] == [
        (UNKNOWN, None),
        (EXACT, "a\n"),
        (EXACT, "b\n"),
    ]
    assert index.state_at_message(FILE, "nope") is None


def test_the_first_call_of_a_message_shows_what_the_message_found(tmp_path: Path) -> None:
    builder = started(edit(FILE, "a\n", "a", "b"), bash("make"), edit(FILE, "c\n", "c", "d"))
    builder.tools(bash("make"), read(FILE, "e\n"))
    conversation = load(builder.write(tmp_path))
    index = ReplayIndex(replay_session(conversation))
    answers = dict.fromkeys(call.message_id for call in conversation.tool_calls)

    found = [index.state_at_message(FILE, name) for name in answers]

    assert [state and (state.state, state.text) for state in found] == [
        (EXACT, "a\n"),
        (EXACT, "b\n"),
        (EXACT, "c\n"),
        (EXACT, "d\n"),
    ]


def test_a_command_beside_the_first_call_of_a_message_may_come_first(tmp_path: Path) -> None:
    builder = started(write(FILE, "a\n"), bash("make"))
    builder.tools(bash("make"), read(FILE, "b\n"))
    conversation = load(builder.write(tmp_path))
    last = conversation.tool_calls[-1].message_id

    state = ReplayIndex(replay_session(conversation)).state_at_message(FILE, last)

    assert state is not None
    assert (state.state, state.text) == (STALE, "a\n")


def test_a_result_finds_what_its_call_left(tmp_path: Path) -> None:
    builder = started(write(FILE, "a\n"), edit(FILE, "a\n", "a", "b"), bash("make"))
    conversation = load(builder.write(tmp_path))
    index = ReplayIndex(replay_session(conversation))
    results = [call.result_message_id or "" for call in conversation.tool_calls]

    found = [index.state_at_message(FILE, name) for name in results]

    assert [state and (state.state, state.text) for state in found] == [
        (EXACT, "a\n"),
        (EXACT, "b\n"),
        (STALE, "b\n"),
    ]


def test_a_result_comes_after_the_hooks_of_its_call(tmp_path: Path) -> None:
    builder = started(write(FILE, "a=1\n"))
    call_id = load(builder.write(tmp_path)).tool_calls[0].id
    hook = {"hookName": "PostToolUse:Write", "toolUseID": call_id, "hookEvent": "PostToolUse"}
    builder.attachment("hook_success", content="", stdout="", command="ruff format", **hook)
    conversation = load(builder.write(tmp_path))
    (call,) = conversation.tool_calls

    found = ReplayIndex(replay_session(conversation)).state_at_message(
        FILE, call.result_message_id or ""
    )

    assert found is not None
    assert found.state is STALE
