"""A tool use stands with its result, wherever and however often that comes."""

from typing import Any

import pytest

from clew.conversation import Permission
from tests.build import Call, SessionBuilder, bash, read, tool_use
from tests.unit.conversation.built import (
    answer,
    conversation_of,
    conversation_of_rows,
    only_call,
    problems_of,
    prompt,
    result,
    row,
    use,
)


def test_a_call_is_a_use_with_its_result() -> None:
    builder = SessionBuilder().user("go").tools(bash("ls", "a.py", seconds=2))

    call = only_call(conversation_of(builder))

    assert (call.tool, call.status, call.result_text) == ("Bash", "done", "a.py")
    assert bytes(call.input) == b'{"command":"ls"}'
    assert call.result_message_id == builder.rows[-1]["uuid"]
    assert call.duration_ms == 3000


def test_parallel_calls_each_have_their_own_result() -> None:
    builder = (
        SessionBuilder().user("go").tools(bash("ls", "one"), read("/a", "two"), bash("w", "3"))
    )

    conversation = conversation_of(builder)

    assert [call.result_text for call in conversation.tool_calls] == ["one", "1\ttwo", "3"]
    assert len({call.message_id for call in conversation.tool_calls}) == 1


def test_a_result_may_come_much_later() -> None:
    conversation = conversation_of_rows(
        prompt("p", None, "go", 0),
        answer("a", "p", [use("c")], 1),
        prompt("q", "a", "hurry up", 2),
        answer("b", "q", "I do", 3),
        result("r", "a", "c", "late", 9),
    )

    call = only_call(conversation)

    assert (call.result_text, call.duration_ms) == ("late", 8000)
    assert [m.id for m in conversation.messages] == ["p", "msg-a", "q", "msg-b", "r"]


def test_a_result_may_be_written_before_its_use() -> None:
    conversation = conversation_of_rows(
        prompt("p", None, "go", 0),
        result("r", "a", "c", "early", 2),
        answer("a", "p", [use("c")], 1),
    )

    assert only_call(conversation).result_text == "early"
    assert [m.id for m in conversation.messages] == ["p", "msg-a", "r"]


def test_of_several_results_the_first_counts() -> None:
    conversation = conversation_of_rows(
        answer("a", None, [use("c")], 1),
        result("r", "a", "c", "first", 2),
        result("s", "a", "c", "second", 3),
    )

    assert only_call(conversation).result_text == "first"
    assert [m.kind for m in conversation.messages] == ["answer", "tool_results", "tool_results"]


def test_a_call_without_a_result_is_pending() -> None:
    conversation = conversation_of(SessionBuilder().assistant(tool_use("Bash", {"command": "ls"})))

    call = only_call(conversation)

    assert (call.status, call.ended_at, call.duration_ms) == ("pending", None, None)
    assert problems_of(conversation) == ["call_without_result"]


def test_a_pending_call_shows_what_it_last_printed() -> None:
    builder = (
        SessionBuilder(version="2.1.50")
        .tool("Bash", {"command": "make"})
        .progress("bash_progress", output="1", fullOutput="0\n1")
        .progress("bash_progress", output="2", fullOutput="0\n1\n2")
    )

    assert only_call(conversation_of(builder)).progress_text == "0\n1\n2"


def test_a_result_without_a_use_is_kept_and_reported() -> None:
    conversation = conversation_of_rows(result("r", None, "nowhere", "lost"))

    assert [m.kind for m in conversation.messages] == ["tool_results"]
    assert problems_of(conversation) == ["orphan_result"]


@pytest.mark.parametrize(
    ("call", "status"),
    [
        (Call("Bash", {}, "ok"), "done"),
        (Call("Bash", {}, "Exit code 1", error=True), "failed"),
        (Call("Bash", {}, denied=True), "denied"),
        (Call("Bash", {}, "Permission to use Bash has been denied.", error=True), "denied"),
        (Call("Bash", {}, "This command requires approval", error=True), "denied"),
        (Call("Write", {}, "Write operation blocked by hook:\n- no", error=True), "denied"),
        (
            Call("Bash", {}, "ls in '/etc' was blocked. For security, only here.", error=True),
            "denied",
        ),
        (Call("Bash", {}, "[Request interrupted by user for tool use]", error=True), "interrupted"),
        (
            Call(
                "Bash", {}, "Exit code 137\n[Request interrupted by user for tool use]", error=True
            ),
            "interrupted",
        ),
        (
            Call(
                "Read", {}, "<tool_use_error>Sibling tool call errored</tool_use_error>", error=True
            ),
            "interrupted",
        ),
        (Call("Bash", {}, "half", {"stdout": "half", "interrupted": True}), "interrupted"),
        (Call("Grep", {}, "User rejected appears in this file"), "done"),
    ],
)
def test_the_status_tells_how_a_call_ended(call: Call, status: str) -> None:
    old = SessionBuilder(version="2.0.14").tools(call)

    assert only_call(conversation_of(old)).status == status


def test_a_call_of_an_aborted_row_is_interrupted() -> None:
    conversation = conversation_of_rows(answer("a", None, [use("c")], isAborted=True))

    assert only_call(conversation).status == "interrupted"


def test_a_long_result_is_taken_from_the_file_it_was_moved_to() -> None:
    full = "line\n" * 5000

    call = only_call(
        conversation_of(SessionBuilder().tool("Bash", {"command": "seq"}, full, persisted=True))
    )

    assert call.result_text == full
    assert (call.persisted_path or "").endswith(".txt")


def test_a_long_result_without_its_file_shows_the_preview() -> None:
    builder = SessionBuilder().tool("Bash", {"command": "seq"}, "line\n" * 5000, persisted=True)
    builder.draft.sidecars.clear()

    call = only_call(conversation_of(builder))

    assert call.result_text.startswith("<persisted-output>")


def test_a_result_that_quotes_a_preview_was_not_moved() -> None:
    quoted = "the log says: Full output saved to: /home/me/x/b1.txt"
    builder = SessionBuilder().tool("Bash", {"command": "cat log"}, quoted)
    builder.draft.sidecars["tool-results/b1.txt"] = b"whole"

    call = only_call(conversation_of(builder))

    assert (call.result_text, call.persisted_path) == (quoted, None)


@pytest.mark.parametrize("path", ["/home/me/x/b1.txt", "C:\\Users\\me\\x\\b1.txt"])
def test_a_moved_result_is_found_by_the_last_part_of_its_path(path: str) -> None:
    builder = SessionBuilder().tool(
        "Bash", {}, "cut", tool_use_result={"persistedOutputPath": path}
    )
    builder.draft.sidecars["tool-results/b1.txt"] = b"whole"

    assert only_call(conversation_of(builder)).result_text == "whole"


def test_a_moved_result_of_an_agent_is_found_by_the_path_in_its_text() -> None:
    full = "line\n" * 5000
    builder = (
        SessionBuilder()
        .user("go")
        .agent(
            "Look", "Look", lambda run: run.tool("Bash", {"command": "seq"}, full, persisted=True)
        )
    )

    call = conversation_of(builder).tool_calls[-1]

    assert bytes(call.result) == b"null"
    assert call.result_text == full


def test_a_result_may_lie_in_a_file_named_after_its_call() -> None:
    builder = SessionBuilder().tool("mcp__db__query", {}, "cut", id="toolu_9")
    builder.draft.sidecars["tool-results/toolu_9.txt"] = b"whole"

    assert only_call(conversation_of(builder)).result_text == "whole"


@pytest.mark.parametrize(
    ("told", "duration_ms"),
    [({"durationMs": 40.4}, 40), ({"durationSeconds": 1.5}, 1500), ({"totalDurationMs": 70}, 70)],
)
def test_the_clients_own_measure_of_time_is_preferred(
    told: dict[str, Any], duration_ms: int
) -> None:
    builder = SessionBuilder().tool("WebFetch", {}, "x", tool_use_result=told, seconds=9)

    assert only_call(conversation_of(builder)).duration_ms == duration_ms


def test_a_result_from_before_its_call_took_no_time() -> None:
    builder = SessionBuilder().user("go").tools(bash("ls", "a.py", seconds=-30))

    assert only_call(conversation_of(builder)).duration_ms == 0


def test_pictures_of_a_result_are_kept() -> None:
    source = {"type": "base64", "media_type": "image/png", "data": "AAAA"}
    conversation = conversation_of_rows(
        answer("a", None, [use("c", "Read")]),
        result("r", "a", "c", [{"type": "image", "source": source}], 1),
    )

    (block,) = only_call(conversation).result_blocks

    assert (block.kind, block.media_type) == ("image", "image/png")


def test_a_result_of_the_same_run_is_preferred_to_one_elsewhere() -> None:
    side = {"isSidechain": True, "agentId": "a1"}
    conversation = conversation_of_rows(
        result("x", None, "c", "of another run", 0, **side),
        answer("a", None, [use("c")], 1),
        result("r", "a", "c", "my own", 2),
    )

    assert only_call(conversation).result_text == "my own"


def test_one_id_is_one_call_even_when_two_answers_name_it() -> None:
    conversation = conversation_of_rows(
        answer("a", None, [use("c", command="one")], 1),
        answer("b", "a", [use("c", command="two")], 2),
    )

    assert bytes(only_call(conversation).input) == b'{"command":"one"}'


def test_a_background_shell_is_joined_with_later_looks_and_its_notification() -> None:
    news = "<task-notification><task-id>b1</task-id><status>completed</status></task-notification>"
    started = {"backgroundTaskId": "b1", "stdout": ""}
    conversation = conversation_of_rows(
        answer("a", None, [use("c1", command="serve")], 1),
        result("r1", "a", "c1", "running in background", 2, toolUseResult=started),
        answer("b", "r1", [use("c2", "BashOutput", bash_id="b1")], 3),
        result("r2", "b", "c2", "listening", 4),
        answer("c", "r2", [use("c3", "TaskOutput", task_id="b1")], 5),
        result("r3", "c", "c3", "still listening", 6),
        prompt("n", "r3", news, 7),
    )

    shell = conversation.tool_calls[0]

    assert shell.background_id == "b1"
    assert shell.follow_up_ids == ("c2", "c3")
    assert (shell.notification_id, shell.background_status) == ("n", "completed")


def test_a_background_task_may_be_named_in_the_text_alone() -> None:
    told = "Command running in background with ID: bx7"
    conversation = conversation_of_rows(
        answer("a", None, [use("c1")], 1), result("r", "a", "c1", told, 2)
    )

    assert only_call(conversation).background_id == "bx7"


def test_a_notification_may_name_the_call_instead_of_the_task() -> None:
    told = "<tool-use-id>c1</tool-use-id><status>failed</status>"
    news = f"<task-notification>{told}</task-notification>"
    conversation = conversation_of_rows(
        answer("a", None, [use("c1")], 1),
        result("r", "a", "c1", "started", 2),
        prompt("n", "r", news, 3),
    )

    assert only_call(conversation).background_status == "failed"


def test_an_input_that_is_no_object_asks_for_nothing() -> None:
    started = {"backgroundTaskId": "b1"}
    odd = {"type": "tool_use", "id": "c2", "name": "X", "input": ["b1", {"task_id": 7}]}
    conversation = conversation_of_rows(
        answer("a", None, [use("c1"), odd], 1),
        result("r", "a", "c1", "started", 2, toolUseResult=started),
    )

    assert [call.follow_up_ids for call in conversation.tool_calls] == [(), ()]


def test_progress_of_nothing_known_is_left_alone() -> None:
    data = {"type": "bash_progress", "output": "x"}
    lone = row("progress", "g", None, data=data, parentToolUseID="nowhere")

    assert conversation_of_rows(lone, prompt("p", "g", "hi", 1)).tool_calls == ()


def test_an_mcp_call_that_the_provider_makes_is_a_call_with_its_result() -> None:
    use = {"type": "mcp_tool_use", "id": "mcp_1", "name": "look", "server_name": "docs"}
    result = {"type": "mcp_tool_result", "tool_use_id": "mcp_1", "content": "found"}

    conversation = conversation_of(SessionBuilder().user("go").assistant(use, result))

    call = conversation.tool_calls[0]
    assert (call.tool, call.status, call.result_text) == ("look", "done", "found")


def test_a_call_carries_who_allowed_or_refused_it() -> None:
    builder = SessionBuilder().tools(Call("Bash", {"command": "rm a"}, denied=True))
    builder.rows[-1]["permissionDecision"] = {
        "decision": "reject",
        "source": "config",
        "grantScope": "once",
        "reasonType": "mode",
        "reasonCode": "mode:plan",
        "ruleSource": "userSettings",
    }

    call = only_call(conversation_of(builder))

    assert (call.status, call.denial_kind) == ("denied", "user-rejected")
    assert call.permission == Permission(
        decision="reject",
        source="config",
        scope="once",
        reason_type="mode",
        reason_code="mode:plan",
        rule_source="userSettings",
    )


def test_uses_without_an_id_are_named_after_their_entry() -> None:
    uses = [use("", command="ls"), use("", command="pwd"), use("c", command="id")]
    conversation = conversation_of_rows(prompt("p", None, "Go"), answer("a", "p", uses))

    named = {call.id: bytes(call.input) for call in conversation.tool_calls}
    blocks = [block.tool_call_id for message in conversation.messages for block in message.blocks]

    assert named == {
        "a": b'{"command":"ls"}',
        "a#1": b'{"command":"pwd"}',
        "c": b'{"command":"id"}',
    }
    assert [name for name in blocks if name] == ["a", "a#1", "c"]
