"""Calls of tools other than those for files, with results as the client writes them."""

import json
from typing import Any, Final

import msgspec

from tests.build import Block, Call

_NOTHING: Final = "(Bash completed with no output)"
_REJECTED: Final = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected. "
    "To tell you how to proceed, the user said:\n"
)


def bash(command: str, stdout: str = "", *, told: str = "", seconds: float = 0) -> Call:
    """Run a command that succeeds; `told` is how the model describes it."""
    result = {
        "stdout": stdout,
        "stderr": "",
        "interrupted": False,
        "isImage": False,
        "noOutputExpected": not stdout,
    }
    return Call("Bash", _command(command, told), stdout or _NOTHING, result, seconds=seconds)


def failing(
    command: str, output: str, *, code: int = 1, told: str = "", seconds: float = 0
) -> Call:
    """Run a command that fails."""
    text = f"Exit code {code}\n{output}"
    return Call("Bash", _command(command, told), text, error=True, seconds=seconds)


def not_installed(program: str, command: str, *, told: str = "") -> Call:
    """Run a command whose program is only in the project's environment."""
    words = f"/bin/bash: line 1: {program}: command not found"
    return failing(command, words, code=127, told=told, seconds=0.1)


def refused(call: Call, words: str, *, seconds: float = 0) -> Call:
    """Give a call that the person refused, saying why."""
    return msgspec.structs.replace(
        call,
        result=_REJECTED + words,
        tool_use_result=f"Error: {_REJECTED}{words}",
        denied=True,
        seconds=seconds,
    )


def misused(tool: str, arguments: dict[str, Any], words: str) -> Call:
    """Call a tool in a way that it does not take."""
    tagged = f"<tool_use_error>{words}</tool_use_error>"
    return Call(tool, arguments, tagged, f"Error: {words}", error=True)


def find_tools(*names: str) -> Call:
    """Load tools that are listed by name only."""
    query = "select:" + ",".join(names)
    references = [{"type": "tool_reference", "tool_name": name} for name in names]
    result = {"matches": list(names), "query": query, "total_deferred_tools": 17}
    return Call("ToolSearch", {"query": query, "max_results": 10}, references, result)


def find_files(pattern: str, names: list[str]) -> Call:
    """Find files by a pattern of their names."""
    result = {
        "filenames": names,
        "durationMs": 31,
        "numFiles": len(names),
        "truncated": False,
        "totalMatches": len(names),
        "countIsComplete": True,
    }
    return Call("Glob", {"pattern": pattern}, "\n".join(names), result)


def plan_task(number: int, subject: str, description: str) -> Call:
    """Note something to do."""
    task = {"subject": subject, "description": description}
    text = f"Task #{number} created successfully: {subject}"
    return Call("TaskCreate", task, text, {"task": {"id": str(number), **task}})


def move_task(number: int, status: str, before: str = "pending") -> Call:
    """Note how far something is."""
    result = {
        "success": True,
        "taskId": str(number),
        "updatedFields": ["status"],
        "statusChange": {"from": before, "to": status},
    }
    arguments = {"taskId": str(number), "status": status}
    return Call("TaskUpdate", arguments, f"Updated task #{number} status", result)


def question(header: str, words: str, options: dict[str, str]) -> dict[str, Any]:
    """Make a question for `ask`, with its options and what they mean."""
    return {
        "question": words,
        "header": header,
        "multiSelect": False,
        "options": [{"label": label, "description": told} for label, told in options.items()],
    }


def ask(questions: list[dict[str, Any]], answers: list[str], *, seconds: float) -> Call:
    """Ask the person, who answers each question."""
    asked = [question["question"] for question in questions]
    chosen = dict(zip(asked, answers, strict=True))
    told = ", ".join(f'"{words}"="{answer}"' for words, answer in chosen.items())
    text = f"Your questions have been answered: {told}."
    result = {"questions": questions, "answers": chosen, "annotations": {}}
    return Call("AskUserQuestion", {"questions": questions}, text, result, seconds=seconds)


def search_web(query: str, links: dict[str, str], words: str, *, seconds: float) -> Call:
    """Search the web: titles by address, and what a model says of them."""
    pages = [{"title": title, "url": url} for url, title in links.items()]
    shown = json.dumps(pages, ensure_ascii=False, separators=(",", ":"))
    text = f'Web search results for query: "{query}"\n\nLinks: {shown}\n\n{words}'
    result = {
        "query": query,
        "results": [{"tool_use_id": "srvtoolu_01", "content": pages}, words],
        "durationSeconds": seconds,
        "searchCount": 1,
    }
    return Call("WebSearch", {"query": query}, text, result, seconds=seconds)


def fetch(url: str, wanted: str, words: str, *, size: int, seconds: float) -> Call:
    """Read a page of the web for an answer."""
    result = {
        "bytes": size,
        "code": 200,
        "codeText": "OK",
        "result": words,
        "durationMs": int(seconds * 1000),
        "url": url,
    }
    return Call("WebFetch", {"url": url, "prompt": wanted}, words, result, seconds=seconds)


def mcp(
    server: str, tool: str, arguments: dict[str, Any], text: str, *, seconds: float = 0.4
) -> Call:
    """Call a tool of an MCP server."""
    blocks: list[Block] = [{"type": "text", "text": text}]
    return Call(f"mcp__{server}__{tool}", arguments, blocks, blocks, seconds=seconds)


def _command(command: str, told: str) -> dict[str, Any]:
    return {"command": command} | ({"description": told} if told else {})
