"""Tool calls with their results, ready to be put into a session."""

import difflib
from typing import TYPE_CHECKING, Any

import msgspec

from tests.build.blocks import Block
from tests.build.clients import Client, Row

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.build.session import SessionBuilder


class Call(msgspec.Struct, frozen=True):
    """One tool call and how it ended; without a result it stays pending.

    `denied` is the result of a call that the user refused. A `persisted` result goes to a file of
    its own, and only a preview stays in the transcript. `permission` is what the client records of
    the decision, in place of the usual one; `denial_kind` its word for a refusal.
    """

    tool: str
    input: dict[str, Any]
    result: str | list[Block] | None = None
    tool_use_result: Any = msgspec.UNSET
    error: bool = False
    denied: bool = False
    persisted: bool = False
    seconds: float = 0
    id: str | None = None
    permission: Row | None = None
    denial_kind: str = "user-rejected"


class Agent(msgspec.Struct, frozen=True):
    """A call that starts an agent run; `steps` builds what the run does after its prompt."""

    description: str
    prompt: str
    steps: "Callable[[SessionBuilder], object]"
    agent: str = "general-purpose"
    background: bool = False


def bash(command: str, stdout: str = "", *, description: str = "", seconds: float = 0) -> Call:
    """Run a command that succeeds."""
    arguments = {"command": command} | ({"description": description} if description else {})
    return Call("Bash", arguments, stdout, seconds=seconds)


def read(path: str, content: str) -> Call:
    """Read a whole file."""
    lines = content.split("\n")
    file = {
        "filePath": path,
        "content": content,
        "numLines": len(lines),
        "startLine": 1,
        "totalLines": len(lines),
    }
    numbered = "\n".join(f"{number}\t{line}" for number, line in enumerate(lines, 1))
    return Call("Read", {"file_path": path}, numbered, {"type": "text", "file": file})


def write(path: str, content: str) -> Call:
    """Write a new file."""
    result: Row = {
        "type": "create",
        "filePath": path,
        "content": content,
        "structuredPatch": [],
        "originalFile": None,
        "userModified": False,
    }
    arguments = {"file_path": path, "content": content}
    return Call("Write", arguments, f"File created successfully at: {path}", result)


def edit(path: str, before: str, old: str, new: str) -> Call:
    """Replace `old` by `new` in a file whose text was `before`."""
    result = {
        "filePath": path,
        "oldString": old,
        "newString": new,
        "originalFile": before,
        "structuredPatch": _hunks(before, before.replace(old, new, 1)),
        "userModified": False,
        "replaceAll": False,
    }
    arguments = {"replace_all": False, "file_path": path, "old_string": old, "new_string": new}
    return Call("Edit", arguments, f"The file {path} has been updated successfully.", result)


def tool_use_result_of(call: Call, client: Client) -> Any:
    """Give what the client keeps beside a result: what was asked for, else what is usual."""
    if call.tool_use_result is not msgspec.UNSET:
        return call.tool_use_result
    if call.denied:
        return "User rejected tool use"
    if call.error:
        return f"Error: {call.result}"
    if call.tool == "Bash":
        values = {
            "stdout": call.result,
            "stderr": "",
            "interrupted": False,
            "isImage": False,
            "noOutputExpected": False,
        }
        return client.keep(values, "bash")
    return call.result


def _hunks(before: str, after: str) -> list[Row]:
    old, new = before.splitlines(), after.splitlines()
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    return [_hunk(old, new, group) for group in matcher.get_grouped_opcodes(3)]


def _hunk(old: list[str], new: list[str], group: list[tuple[str, int, int, int, int]]) -> Row:
    lines: list[str] = []
    for kind, old_start, old_end, new_start, new_end in group:
        if kind == "equal":
            lines += [f" {_untabbed(line)}" for line in old[old_start:old_end]]
        else:
            lines += [f"-{_untabbed(line)}" for line in old[old_start:old_end]]
            lines += [f"+{_untabbed(line)}" for line in new[new_start:new_end]]
    first, last = group[0], group[-1]
    return {
        "oldStart": first[1] + 1,
        "oldLines": last[2] - first[1],
        "newStart": first[3] + 1,
        "newLines": last[4] - first[3],
        "lines": lines,
    }


def _untabbed(line: str) -> str:
    """Clients write two blanks for each tab that a line begins with."""
    rest = line.lstrip("\t")
    return "  " * (len(line) - len(rest)) + rest
