"""Sessions that pages are drawn of, built step by step."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

from clew.conversation import Conversation
from clew.sessions import load
from tests.build import Call, SessionBuilder, bash, edit, read, thinking, write

_UPLOADER: Final = "for _ in range(3):\n    send(chunk)\n"
_CWD: Final = "/home/dev/code/demo"


def built(session: SessionBuilder, folder: Path) -> Conversation:
    """Write a session and load it again."""
    return load(session.write(folder / f"{session.session_id}.jsonl"))


def repair() -> SessionBuilder:
    """Look, fail, edit, tell."""
    plan = "## What I found\n\n- `upload.py` gives up **too early**\n- the test is missing\n"
    code = "```python\nretry(times=5)\n```"
    return (
        SessionBuilder("repair")
        .user("Fix the retry bug in the uploader:\nit gives up after the first 503.")
        .tools(
            read(f"{_CWD}/src/upload.py", _UPLOADER),
            bash("ls src", "upload.py", description="List the sources"),
            say="I will look at the uploader first.",
            think="Where may it be?",
        )
        .tool("Bash", {"command": "uv run pytest -q"}, "Exit code 1\n1 failed", error=True)
        .tools(
            edit(f"{_CWD}/src/upload.py", _UPLOADER, "range(3)", "range(retries)"),
            write(f"{_CWD}/tests/test_upload.py", "def test_it():\n    assert True\n"),
        )
        .assistant(f"{plan}\n{code}")
        .ai_title("Fix the retry bug")
    )


def rewind() -> SessionBuilder:
    """Go back once, and take another way."""
    return (
        SessionBuilder("rewind")
        .user("Make a file")
        .tools(write(f"{_CWD}/a.txt", "v1\n"))
        .assistant("It is there.")
        .remember("made")
        .user("Change it")
        .tools(edit(f"{_CWD}/a.txt", "v1\n", "v1", "v2"))
        .assistant("It is at v2.")
        .rewind_to("made")
        .user("Leave it as it is")
        .assistant("So be it.")
    )


def agents() -> SessionBuilder:
    """Start an agent that starts another, and one in the background."""

    def inner(run: SessionBuilder) -> None:
        run.tools(bash("ls | wc -l", "5", description="Count files")).assistant("Five.")

    def outer(run: SessionBuilder) -> None:
        run.agent("Inner count", "Count the files.", inner).assistant("There are five.")

    return (
        SessionBuilder("agents")
        .user("Delegate")
        .agent("Find callers", "Find all callers.", outer, agent="Explore")
        .agent("Slow count", "Count slowly.", inner, background=True)
        .assistant("Both are under way.")
        .notification("Slow count")
        .assistant("All is counted.")
    )


def asides() -> SessionBuilder:
    """Commands, a shell, steering, an interrupt, failures and a compaction."""
    question = {"question": "Which colour?", "header": "Colour", "options": [{"label": "Blue"}]}
    answered = {"questions": [question], "answers": {"Which colour?": "Blue"}}
    asked = Call("AskUserQuestion", {"questions": [question]}, "Answered.", answered)
    return (
        SessionBuilder("asides")
        .command("/model", "opus", stdout="Set model to Opus")
        .user("Work in steps")
        .tools(bash("make one", "done", seconds=75))
        .steer("Mind the colour blue")
        .tools(asked)
        .api_error(529, "Overloaded")
        .assistant("Blue it is.")
        .bash("git status", stdout="clean", stderr="warning: slow")
        .compact(pre=168_000, post=21_000)
        .user("Go on")
        .tool("Write", {"file_path": f"{_CWD}/b.txt", "content": "b"}, "no", denied=True)
        .interrupt(during_tool=True)
        .user("And now?")
        .failure("API Error: 429 Too many requests")
        .raw(b"{not json")
    )


def hostile() -> SessionBuilder:
    """Text that would steer a terminal."""
    evil = "red\x1b[31m title\x1b]0;x\x07 bell\x07 turn\u202eabc hidden\U000e0041 wide\u3000x"
    return (
        SessionBuilder("hostile")
        .user(evil)
        .tools(
            bash("clear", "\x1b[2J\x1b[Hhome\rover\r\nnext \x9b31mline"),
            Call("Odd\x1b[2JTool", {"x": "y\x07"}, "bad\x1b[1m", error=True),
        )
        .assistant(thinking("think\x1b[5m"), "请修复上传器中的重试错误。" * 6)
    )


CASES: Final[dict[str, Callable[[], SessionBuilder]]] = {
    "repair": repair,
    "rewind": rewind,
    "agents": agents,
    "asides": asides,
    "hostile": hostile,
}
