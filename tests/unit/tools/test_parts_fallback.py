"""What any call may come to: no type, no result, an error, a denial, words to the model."""

import msgspec
import pytest

from clew.conversation import Block, ToolCall
from clew.parts import Code, Fields, Fold, Link, Links, Note, Output, Part, Words
from tests.unit.tools.opened import call_of, open_call, opened, state_of

DENIED = "The user doesn't want to proceed with this tool use."


def test_a_tool_that_nobody_knows_shows_all_of_its_input_and_result() -> None:
    shown = opened("MadeUp", {"n": 1, "list": [1]}, {"kept": True}, "done")

    json = Fold("Result as JSON", (Code('{\n  "kept": true\n}', "json"),))
    assert shown == [Fields((("n", "1"), ("list", "[1]"))), Words("done"), json]


def test_an_input_that_does_not_fit_its_tool_is_shown_whole() -> None:
    shown = opened("Edit", {"path": "/a"}, text="The file /a has been updated.")

    assert shown == [Fields((("path", "/a"),)), Words("The file /a has been updated.")]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("ls", Words("ls")),
        ('{"a":1}', Code('{\n  "a": 1\n}', "json")),
        ([1], Code("[\n  1\n]", "json")),
    ],
)
def test_an_input_that_is_no_object_is_shown(arguments: object, expected: Part) -> None:
    assert opened("Bash", arguments, {"stdout": "", "x": 1}, "a") == [expected, Words("a")]


def test_an_input_that_is_no_json_is_shown_as_it_stands() -> None:
    call = ToolCall(id="c", tool="Bash", message_id="m", input=msgspec.Raw(b'{"command": "l'))

    assert open_call(call) == (Words('{"command": "l'), Note("No result", "warn"))


def test_a_call_without_a_result_shows_what_it_printed_so_far() -> None:
    shown = opened("Bash", {"command": "ls"}, status="pending", progress_text="so far")

    assert shown[1:] == [Output("so far"), Note("No result", "warn")]


@pytest.mark.parametrize(
    ("status", "text", "expected"),
    [
        ("denied", DENIED, [Note("Denied by the user", "warn")]),
        (
            "denied",
            "PreToolUse:Bash hook error: no",
            [Note("Denied by a hook", "warn"), Note("PreToolUse:Bash hook error: no", "bad")],
        ),
        (
            "denied",
            "Permission to use Bash has been denied.",
            [
                Note("Denied by a rule", "warn"),
                Note("Permission to use Bash has been denied.", "bad"),
            ],
        ),
        (
            "interrupted",
            "[Request interrupted by user for tool use]",
            [Note("Interrupted by the user", "warn")],
        ),
        (
            "interrupted",
            "<tool_use_error>Sibling tool call errored</tool_use_error>",
            [Note("Interrupted", "warn"), Note("Sibling tool call errored", "bad")],
        ),
        ("failed", "<tool_use_error>Gone</tool_use_error>", [Note("Gone", "bad")]),
        ("failed", "a\nb", [Output("a\nb", is_error=True)]),
    ],
)
def test_an_error_looks_like_what_it_is(status: str, text: str, expected: list[Part]) -> None:
    assert opened("MadeUp", {}, text=text, status=status) == expected


def test_a_denial_that_only_the_client_knows_of_is_one_too() -> None:
    text = "Not on a Friday."

    shown = opened("MadeUp", {}, text=text, status="denied")

    assert shown == [Note("Denied", "warn"), Note(text, "bad")]
    assert state_of("MadeUp", {}, text=text, status="denied") == ("denied", "warn")


def test_what_only_the_model_was_told_is_folded_at_the_end() -> None:
    text = "Todos have been modified.\n<system-reminder>\nOne.\n</system-reminder>"
    call = call_of("TodoWrite", {"todos": []}, {"newTodos": [], "oldTodos": []}, text)

    assert open_call(call) == (
        Note("No to-dos"),
        Fold("Sent to the model", (Words("Todos have been modified."),), is_meta=True),
        Fold("System reminder", (Words("One."),), is_meta=True),
    )


def test_pages_that_the_provider_found_are_links() -> None:
    page = '{"type":"web_search_result","url":"https://a.example","title":"A","encrypted":"x"}'
    block = Block("other", "web_search_result", data=page)

    shown = opened("web_search", {}, result_blocks=(block,))

    assert shown == [Links((Link("https://a.example", "A"),))]


def test_an_option_that_the_line_tells_is_not_repeated() -> None:
    shown = opened("WebSearch", {"query": "retry", "blocked_domains": ["a"]}, status="pending")

    assert shown[0] == Fields((("blocked_domains", '["a"]'),))


def test_an_option_too_long_for_the_line_is_shown() -> None:
    query = "very long " * 40

    shown = opened("WebSearch", {"query": query}, status="pending")

    assert shown[0] == Fold("query", (Words(query),), is_open=True)


@pytest.mark.parametrize(
    ("tool", "status", "text", "expected"),
    [
        ("Bash", "failed", "Exit code 1\nno", ("exit 1", "bad")),
        ("Bash", "failed", "Command timed out after 2m 0s", ("timed out", "bad")),
        (
            "Bash",
            "interrupted",
            "[Request interrupted by user for tool use]",
            ("interrupted", "warn"),
        ),
        ("Edit", "denied", DENIED, ("denied", "warn")),
        ("Edit", "failed", "<tool_use_error>Gone</tool_use_error>", ("failed", "bad")),
    ],
)
def test_an_error_has_its_word(
    tool: str, status: str, text: str, expected: tuple[str, str]
) -> None:
    assert state_of(tool, {}, text=text, status=status) == expected


@pytest.mark.parametrize(
    ("tool", "asked", "result", "expected"),
    [
        ("Bash", {"command": "ls"}, {"stdout": ""}, ("", "")),
        ("Bash", {"command": "ls"}, {"stdout": "", "interrupted": True}, ("interrupted", "warn")),
        ("Bash", {"command": "ls"}, {"stdout": "", "timedOutAfterMs": 5}, ("timed out", "bad")),
        ("BashOutput", {"bash_id": "b"}, {"status": "running"}, ("running", "")),
        ("BashOutput", {"bash_id": "b"}, {"status": "failed", "exitCode": 2}, ("exit 2", "bad")),
        ("KillShell", {"shell_id": "b"}, {"message": "", "success": False}, ("failed", "bad")),
        ("TaskOutput", {}, {"retrieval_status": "not_ready"}, ("not_ready", "")),
        ("ExitPlanMode", {}, {"isAgent": False}, ("approved", "good")),
        (
            "ExitPlanMode",
            {},
            {"isAgent": True, "awaitingLeaderApproval": True},
            ("awaiting approval", "warn"),
        ),
        ("Agent", {"prompt": ""}, {"status": "async_launched"}, ("background", "")),
        (
            "Agent",
            {"prompt": ""},
            {"status": "completed", "wasInterrupted": True},
            ("interrupted", "warn"),
        ),
        ("WebFetch", {"url": "u"}, {"result": "", "code": 404}, ("404", "bad")),
        ("Skill", {}, {"success": False}, ("failed", "bad")),
        ("SendMessage", {}, {"success": False}, ("failed", "bad")),
        ("TaskUpdate", {"taskId": "1"}, {"success": False}, ("failed", "bad")),
        ("TeamDelete", {}, {"success": False}, ("failed", "bad")),
        ("Workflow", {}, {"status": "", "error": "no"}, ("failed", "bad")),
        (
            "NotebookEdit",
            {"notebook_path": ""},
            {"new_source": "", "error": "no"},
            ("failed", "bad"),
        ),
        ("mcp__a__b", {}, {"content": [], "isError": True}, ("failed", "bad")),
        (
            "ReadMcpResourceTool",
            {"server": "", "uri": ""},
            {"contents": [], "error": "no"},
            ("failed", "bad"),
        ),
        ("Read", {"file_path": ""}, {"type": "file_unchanged", "file": {}}, ("unchanged", "quiet")),
    ],
)
def test_a_result_has_its_word(
    tool: str, asked: object, result: object, expected: tuple[str, str]
) -> None:
    assert state_of(tool, asked, result) == expected


def test_a_call_that_waits_for_its_result_is_pending() -> None:
    assert state_of("Bash", {}, status="pending") == ("pending", "warn")


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (None, ("background", "")),
        ("completed", ("background", "")),
        ("killed", ("background, killed", "warn")),
    ],
)
def test_a_call_in_the_background_tells_what_became_of_it(
    status: str | None, expected: tuple[str, str]
) -> None:
    stands = state_of("Bash", {}, text="x", background_id="b1", background_status=status)

    assert stands == expected


def test_a_call_that_an_old_client_only_marks_as_failed_has_failed() -> None:
    assert state_of("MadeUp", {}, {"x": 1}, status="failed") == ("failed", "bad")
