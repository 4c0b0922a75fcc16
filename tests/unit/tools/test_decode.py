"""The front door: names nobody knows, shapes nobody expects, results without JSON."""

import pytest

from clew.tools import BashResult, ReadInput, ToolError, decode_input, decode_result, find_tool
from clew.tools.builtin import TOOLS
from clew.tools.builtin.agent import AgentInput
from clew.tools.builtin.mcp import MCP, McpInput
from clew.tools.builtin.shell import BashInput
from clew.tools.fallback import FALLBACK, UntypedInput, UntypedResult

MADE_UP = 'Task" >\n<parameter name="description'


def test_every_name_leads_to_one_tool() -> None:
    names = [name for tool in TOOLS for name in tool.names]

    assert len(names) == len(set(names))
    assert all(find_tool(name).names.count(name) == 1 for name in names)


def test_other_names_lead_to_the_family_or_the_fallback() -> None:
    assert find_tool("mcp__tiny__add") is MCP
    assert find_tool(MADE_UP) is FALLBACK
    assert find_tool("") is FALLBACK


def test_the_input_of_a_made_up_tool_is_kept() -> None:
    assert decode_input(MADE_UP, b'{"x":[1,null]}') == UntypedInput({"x": [1, None]})


def test_the_result_of_a_made_up_tool_is_kept() -> None:
    assert decode_result(MADE_UP, b'{"x":1}', "one", None) == UntypedResult({"x": 1}, "one")
    assert decode_result(MADE_UP, b"", "one", None) == UntypedResult(None, "one")


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        (b'{"nocommand":1}', {"nocommand": 1}),
        (b'{"command":7}', {"command": 7}),
        (b"[]", []),
        (b"null", None),
        (b'"ls"', "ls"),
        (b'{"command":', '{"command":'),
        (b"\xff", "\\xff"),
        (b"", ""),
    ],
)
def test_an_input_of_the_wrong_shape_is_kept_and_says_why(raw: bytes, value: object) -> None:
    kept = decode_input("Bash", raw)

    assert isinstance(kept, UntypedInput)
    assert kept.value == value
    assert kept.problem


@pytest.mark.parametrize("raw", [b'{"stdout":1}', b"{}", b"[1]", b"7", b"true", b'{"stdout":'])
def test_a_result_of_the_wrong_shape_is_kept_and_says_why(raw: bytes) -> None:
    kept = decode_result("Bash", raw, "out", BashInput("ls"))

    assert isinstance(kept, UntypedResult)
    assert kept.text == "out"
    assert kept.problem


def test_too_deep_json_is_kept_as_text() -> None:
    raw = b'{"command":"ls","x":' + b"[" * 5000 + b"]" * 5000 + b"}"

    kept = decode_input("Bash", raw)

    assert isinstance(kept, UntypedInput)
    assert kept.value == raw.decode()


def test_null_stands_for_an_absent_field() -> None:
    raw = b'{"stdout":"a","stderr":null,"gitOperation":{"push":{"branch":null}}}'

    result = decode_result("Bash", raw, "", None)

    assert isinstance(result, BashResult)
    assert result.stderr == ""


def test_a_string_is_an_error_where_the_call_failed() -> None:
    raw = b'"Error: Exit code 2\\nno"'

    result = decode_result("Bash", raw, "", BashInput("ls"), status="failed")

    assert result == ToolError("Exit code 2\nno", exit_code=2)


def test_a_string_is_no_error_where_the_call_is_done() -> None:
    result = decode_result("Bash", b'"fine"', "fine", BashInput("ls"))

    assert result == BashResult("fine")


@pytest.mark.parametrize("raw", [b"", b"null"])
def test_text_alone_is_an_error_where_the_call_failed(raw: bytes) -> None:
    arguments, text = ReadInput("/w/a.md"), "<tool_use_error>File does not exist.</tool_use_error>"

    failed = decode_result("Read", raw, text, arguments, status="failed")
    done = decode_result("Read", raw, text, arguments)

    assert failed == ToolError("File does not exist.")
    assert done == UntypedResult(None, text)


def test_text_is_not_read_for_an_input_of_another_tool() -> None:
    result = decode_result("Bash", b"", "a", McpInput({}))

    assert result == UntypedResult(None, "a")


@pytest.mark.parametrize(
    ("name", "raw"),
    [
        ("Read", b'{"file_path":"/w/a.md"}'),
        ("Write", b'{"file_path":"/w/a.md","content":""}'),
        ("Edit", b'{"file_path":"/w/a.md","old_string":"a","new_string":"b"}'),
        ("MultiEdit", b'{"file_path":"/w/a.md","edits":[]}'),
        ("NotebookEdit", b'{"notebook_path":"/w/n.ipynb"}'),
        ("BashOutput", b'{"bash_id":"b1"}'),
        ("TaskOutput", b'{"task_id":"b1"}'),
        ("TodoWrite", b'{"todos":[]}'),
        ("TaskCreate", b'{"subject":"Sow"}'),
        ("TaskUpdate", b'{"taskId":"1"}'),
        ("TaskList", b"{}"),
        ("TaskGet", b'{"taskId":"1"}'),
        ("AskUserQuestion", b'{"questions":[]}'),
        ("EnterPlanMode", b"{}"),
        ("ExitPlanMode", b"{}"),
        ("WebSearch", b'{"query":"sea"}'),
        ("Skill", b'{"skill":"pirate"}'),
        ("CronCreate", b'{"cron":"*"}'),
        ("CronList", b"{}"),
        ("CronDelete", b'{"id":"c1"}'),
        ("ScheduleWakeup", b"{}"),
        ("Monitor", b"{}"),
        ("EnterWorktree", b"{}"),
        ("ExitWorktree", b'{"action":"keep"}'),
        ("Workflow", b"{}"),
    ],
)
def test_text_in_new_words_is_kept_plain(name: str, raw: bytes) -> None:
    arguments = decode_input(name, raw)

    result = decode_result(name, b"", "All went well.", arguments)

    assert isinstance(arguments, find_tool(name).input)
    assert result == UntypedResult(None, "All went well.")


def test_an_agent_that_says_nothing_has_no_report() -> None:
    assert decode_result("Agent", b"", "", AgentInput("p")) == UntypedResult(None, "")


def test_a_string_that_is_cut_off_is_kept() -> None:
    kept = decode_result("Bash", b'"Err', "out", BashInput("ls"))

    assert isinstance(kept, UntypedResult)
    assert kept.value == '"Err'


def test_text_that_should_be_json_and_is_not_is_kept() -> None:
    assert decode_result("TaskStop", b"", "gone", None) == UntypedResult(None, "gone")
