"""A session with agent runs: nested ones, one in the background, and those of the client itself."""

import json
from pathlib import Path
from typing import Any, Final

from tests.build import SessionBuilder, bash, edit, write

CWD: Final = "/home/dev/code/demo"
FILE: Final = f"{CWD}/src/inner.py"
OTHER: Final = f"{CWD}/src/main.py"
SUGGESTIONS: Final = 3
BACKGROUND_SECONDS: Final = 87


def write_agents(root: Path, more: int = 0) -> str:
    """Write the session below a root, with so many agent runs more; return its id."""
    built = SessionBuilder("agents").at("2026-11-01T09:00:00Z").ai_title("Delegate <the> work")
    built.user("Delegate it.").tools(write(OTHER, "one\ntwo\n"))
    built.agent("Outer work", "Do all of it", _outer, agent="planner")
    built.agent("Slow count", "Count slowly", _slow, background=True)
    built.assistant("It is running.")
    for number in range(more):
        built.agent(f"Part {number}", f"Do part {number}", lambda run: run.assistant("Done."))
    file = built.assistant("All done.").write(root)
    transcript = file if file.suffix == ".jsonl" else next(file.rglob("*.jsonl"))
    for number in range(SUGGESTIONS):
        _write_run(transcript, f"aprompt_suggestion-{number:06x}", "Suggest something", number)
    _write_run(transcript, "a0000001", "Warmup", SUGGESTIONS)
    return built.session_id


def _outer(run: SessionBuilder) -> None:
    run.agent("Inner work", "Do the inner part", _inner, agent="Explore")
    run.tools(edit(OTHER, "one\ntwo\n", "two", "2")).assistant("Outer is done.")


def _inner(run: SessionBuilder) -> None:
    run.tools(write(FILE, "inner = 1\n"), bash("make test", "Exit code 1", seconds=2))
    run.assistant("Inner is done.")


def _slow(run: SessionBuilder) -> None:
    run.tools(bash("sleep 80", "slept", seconds=BACKGROUND_SECONDS)).assistant("87 of them.")


def _write_run(transcript: Path, agent_id: str, text: str, number: int) -> None:
    """Write the file of a run that the client started by itself."""
    session, folder = transcript.stem, transcript.parent / transcript.stem / "subagents"
    common: dict[str, Any] = {
        "isSidechain": True,
        "agentId": agent_id,
        "sessionId": session,
        "cwd": CWD,
        "version": "2.1.325",
        "userType": "external",
    }
    message = {
        "id": f"msg_own_{number}",
        "type": "message",
        "role": "assistant",
        "model": "claude-haiku-5-5",
        "content": [{"type": "text", "text": "run the tests"}],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 100_000, "output_tokens": 20},
    }
    rows = [
        {
            **common,
            "parentUuid": None,
            "type": "user",
            "uuid": f"own-{number}-1",
            "timestamp": f"2026-11-01T09:00:{30 + number}.000Z",
            "message": {"role": "user", "content": text},
        },
        {
            **common,
            "parentUuid": f"own-{number}-1",
            "type": "assistant",
            "uuid": f"own-{number}-2",
            "timestamp": f"2026-11-01T09:00:{32 + number}.000Z",
            "message": message,
        },
    ]
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    (folder / f"agent-{agent_id}.jsonl").write_text(lines, "utf-8")
