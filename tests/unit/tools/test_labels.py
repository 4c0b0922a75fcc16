"""One-line labels of tool calls."""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.tools import call_label, decode_input, decode_result, tool_title, user_reply
from clew.tools.builtin import TOOLS

CWD = "/home/dev/code/demo"
TODOS = [
    {"content": "Look", "status": "completed"},
    {"content": "Fix", "status": "in_progress"},
    {"content": "Test", "status": "pending"},
]
QUESTION = {"question": "Which colour?", "header": "Colour", "options": []}
LABELS: list[tuple[str, dict[str, Any], str]] = [
    ("Read", {"file_path": f"{CWD}/src/a.py"}, "src/a.py"),
    ("Read", {"file_path": "/etc/hosts", "offset": 40, "limit": 20}, "/etc/hosts 40-59"),
    ("Read", {"file_path": "a.py", "limit": 20}, "a.py 1-20"),
    ("Read", {"file_path": "a.py", "offset": 40}, "a.py 40-"),
    ("Read", {"file_path": "a.pdf", "pages": "1-5"}, "a.pdf pages 1-5"),
    ("Bash", {"command": "ls\npwd", "description": "List files"}, "List files"),
    ("Bash", {"command": "ls -la\npwd"}, "ls -la"),
    ("Bash", {"command": "serve", "run_in_background": True}, "serve (background)"),
    ("Edit", {"file_path": f"{CWD}/a", "old_string": "x", "new_string": "y"}, "a"),
    ("Write", {"file_path": f"{CWD}x/a", "content": ""}, f"{CWD}x/a"),
    ("Grep", {"pattern": "def f", "path": f"{CWD}/src", "glob": "*.py"}, '"def f" in src, *.py'),
    ("Grep", {"pattern": "def f", "path": CWD}, '"def f"'),
    ("Glob", {"pattern": "**/*.py"}, '"**/*.py"'),
    ("Agent", {"prompt": "p", "description": "find", "subagent_type": "Explore"}, "Explore: find"),
    ("Task", {"prompt": "Find it.\nNow.", "description": ""}, "Find it."),
    ("Task", {"description": "find", "subagent_type": "Explore"}, "Explore: find"),
    ("WebFetch", {"url": "https://a.example/b", "prompt": "p"}, "https://a.example/b"),
    ("WebSearch", {"query": "retry\nbug"}, "retry bug"),
    ("TodoWrite", {"todos": TODOS}, "1 of 3 done, Fix"),
    ("TodoWrite", {"todos": []}, "0 of 0 done"),
    ("TaskCreate", {"subject": "Fix it", "description": "long"}, "Fix it"),
    ("TaskUpdate", {"taskId": "3", "status": "completed"}, "3: completed"),
    ("TaskUpdate", {"taskId": "3"}, "3"),
    ("TaskUpdate", {"taskId": "3", "addBlockedBy": ["1", "2"]}, "3: blocked by #1, #2"),
    ("TaskList", {}, ""),
    ("AskUserQuestion", {"questions": [QUESTION, QUESTION]}, "Which colour? (and 1 more)"),
    ("ExitPlanMode", {"plan": "\n# The plan\n\n1. Go"}, "The plan"),
    ("Skill", {"skill": "pdf", "args": "a.pdf"}, "pdf a.pdf"),
    ("SlashCommand", {"command": "/review 3"}, "/review 3"),
    (
        "NotebookEdit",
        {"notebook_path": "a.ipynb", "new_source": "", "cell_id": "c1"},
        "a.ipynb cell c1",
    ),
    ("SendMessage", {"to": "worker", "message": "hi", "summary": "greet"}, "worker: greet"),
    ("LSP", {"operation": "hover", "filePath": "a.py", "line": 3}, "hover a.py:3"),
    ("mcp__linear__get_issue", {"id": "CL-1"}, "linear · get_issue · CL-1"),
    ("mcp__browser__click", {"ref": "e1", "element": "Save"}, "browser · click · Save"),
    ("mcp__browser__close", {}, "browser · close"),
    ("mcp__design__get", {"filePath": f"{CWD}/a.pen"}, "design · get · a.pen"),
    ("MadeUp", {"target": f"{CWD}/a.txt"}, "a.txt"),
    ("MadeUp", {"n": 1, "who": "me"}, "me"),
    ("MadeUp", {"long": "x" * 500, "short": "me"}, "me"),
    ("MadeUp", {"n": 1}, ""),
]


@pytest.mark.parametrize(("tool", "arguments", "expected"), LABELS)
def test_a_label_tells_what_a_call_acts_on(
    tool: str, arguments: dict[str, Any], expected: str
) -> None:
    decoded = decode_input(tool, msgspec.json.encode(arguments))

    assert call_label(tool, decoded, cwd=CWD) == expected


def test_an_edit_tells_how_many_lines_it_added_and_removed() -> None:
    hunk = {"oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": 2, "lines": ["-a", "+b", "+c"]}
    arguments = decode_input("Edit", b'{"file_path":"/a","old_string":"a","new_string":"b"}')
    raw = msgspec.json.encode({"filePath": "/a", "structuredPatch": [hunk]})

    result = decode_result("Edit", raw, "", arguments)

    assert call_label("Edit", arguments, result) == "/a +2 -1"


@pytest.mark.parametrize(("content", "lines"), [("a\nb\n", 2), ("a\nb", 2), ("a", 1)])
def test_a_new_file_tells_how_many_lines_it_has(content: str, lines: int) -> None:
    arguments = decode_input("Write", b'{"file_path":"/a","content":""}')
    raw = msgspec.json.encode({"type": "create", "filePath": "/a", "content": content})

    result = decode_result("Write", raw, "", arguments)

    assert call_label("Write", arguments, result) == f"/a +{lines} -0"


def test_a_workflow_without_a_name_has_the_one_it_ran_under() -> None:
    arguments = decode_input("Workflow", b'{"script":"go()"}')
    result = decode_result("Workflow", b'{"status":"ok","summary":"Two, then one"}', "", arguments)

    assert call_label("Workflow", arguments, result) == "Two, then one"


def test_a_look_at_a_background_task_tells_what_the_task_is() -> None:
    arguments = decode_input("TaskOutput", b'{"task_id":"b1"}')
    task = {"task_id": "b1", "status": "running", "description": "Start the server"}
    raw = msgspec.json.encode({"retrieval_status": "success", "task": task})

    result = decode_result("TaskOutput", raw, "", arguments)

    assert call_label("TaskOutput", arguments, result) == "b1: Start the server"
    assert call_label("TaskOutput", arguments) == "b1"


@pytest.mark.parametrize(
    ("tool", "asked", "given", "expected"),
    [
        ("BashOutput", {"bash_id": "b1"}, {"status": "running", "command": "serve"}, "b1: serve"),
        ("TaskStop", {"task_id": "b1"}, {"message": "Stopped", "command": "serve"}, "b1: serve"),
        ("TaskGet", {"taskId": "1"}, {"task": {"id": "1", "subject": "Mend it"}}, "1: Mend it"),
        ("TaskGet", {"taskId": "1"}, {"task": None}, "1"),
    ],
)
def test_what_a_call_names_by_id_is_told_by_what_it_is(
    tool: str, asked: dict[str, Any], given: dict[str, Any], expected: str
) -> None:
    arguments = decode_input(tool, msgspec.json.encode(asked))

    result = decode_result(tool, msgspec.json.encode(given), "", arguments)

    assert call_label(tool, arguments, result) == expected


def test_a_label_is_one_line_however_long_its_text() -> None:
    arguments = decode_input("Bash", msgspec.json.encode({"command": "echo " * 10_000}))

    told = call_label("Bash", arguments)

    assert len(told) == 300
    assert told.endswith("…")


@given(
    st.sampled_from([name for tool in TOOLS for name in tool.names] + ["mcp__a__b", "Odd"]),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.sampled_from(["file_path", "query", "todos", "x"]), inner)
        ),
        max_leaves=6,
    ),
)
def test_any_input_has_a_label(tool: str, value: Any) -> None:
    told = call_label(tool, decode_input(tool, msgspec.json.encode(value)))

    assert "\n" not in told


def test_the_verb_is_the_tool_and_of_mcp_tools_their_family() -> None:
    assert (
        tool_title("Read"),
        tool_title("mcp__linear__get_issue"),
        tool_title("mcp__"),
    ) == ("Read", "MCP", "mcp__")


def test_a_reply_is_what_a_person_said_to_a_denied_call() -> None:
    text = "The user doesn't want to proceed with this tool use. the user said: use b"

    result = decode_result("Bash", b"", text, None, status="denied")

    assert user_reply(result) == "use b"


def test_a_reply_to_questions_is_what_was_chosen() -> None:
    raw = msgspec.json.encode({"questions": [QUESTION], "answers": {"Which colour?": "Blue"}})

    assert user_reply(decode_result("AskUserQuestion", raw, "", None)) == "Blue"


def test_a_reply_to_several_questions_tells_which_answer_is_to_which() -> None:
    answers = {"Which colour?": "Blue", "Which size?": "Large, and light"}
    raw = msgspec.json.encode({"questions": [QUESTION], "answers": answers})

    told = user_reply(decode_result("AskUserQuestion", raw, "", None))

    assert told == "Which colour? → Blue\nWhich size? → Large, and light"


def test_an_ordinary_result_has_no_reply() -> None:
    assert user_reply(decode_result("Bash", b"", "ok", None)) == ""
