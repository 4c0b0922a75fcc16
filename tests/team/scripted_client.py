"""A process that behaves like Claude Code towards its hooks: it writes transcripts and runs them.

It reads steps as JSON from its arguments. The hooks are those of its settings file: each is a shell
command that gets its payload on stdin, and is killed with all that it started in its process group
when its time is over.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from tests.build import SessionBuilder

TIMEOUT_SECONDS: Final = 60.0
END_TIMEOUT_SECONDS: Final = 1.5
LATE_SECONDS: Final = 0.5


class ScriptedClient:
    """A client with one session at a time, whose steps are its methods."""

    def __init__(self, config: Path, cwd: str) -> None:
        self._config = config
        self._cwd = cwd
        self._builder = SessionBuilder("none", cwd=cwd)

    def start(self, name: str, source: str = "startup") -> None:
        """Start or resume a session; a new one has no transcript yet."""
        self._builder = SessionBuilder(name, cwd=self._cwd)
        if source == "resume":
            for words in _prompts(self._path):
                _answer(self._builder, words)
        self._fire("SessionStart", source=source)

    def turn(self, words: str) -> None:
        """Answer a prompt; the last row comes after the hook of its end."""
        before = len(self._builder.lines())
        _answer(self._builder, words)
        new = self._builder.lines()[before:]
        _append(self._path, new[:-1])
        self._fire("Stop", stop_hook_active=False)
        _append(self._path, new[-1:])

    def agent(self, words: str) -> None:
        """Let an agent work, whose file is beside the transcript."""
        run = SessionBuilder(words, cwd=self._cwd).user(words).assistant("Looked.")
        folder = self._path.with_suffix("") / "subagents"
        _append(folder / "agent-a1b2c3d4e5f6.jsonl", run.lines())

    def compact(self) -> None:
        """Run the hook that comes before a compaction."""
        self._fire("PreCompact", trigger="manual", custom_instructions="")

    def clear(self, name: str) -> None:
        """End the session and start another one; one more row is written after the hook."""
        path, ended = self._path, self._builder
        self._fire("SessionEnd", reason="clear")
        self.start(name, "clear")
        time.sleep(LATE_SECONDS)
        _append(path, ended.cost_state().lines()[-1:])

    def end(self, reason: str = "prompt_input_exit") -> None:
        """End the session."""
        self._fire("SessionEnd", reason=reason)

    def crash(self) -> None:
        """End without a word, as `kill -9` ends a client."""
        os.kill(os.getpid(), signal.SIGKILL)

    @property
    def _path(self) -> Path:
        folder = self._config / "projects" / self._cwd.replace("/", "-")
        return folder / f"{self._builder.session_id}.jsonl"

    def _fire(self, event: str, **about: Any) -> None:
        payload = {
            "session_id": self._builder.session_id,
            "transcript_path": str(self._path),
            "cwd": self._cwd,
            "prompt_id": "00000000-0000-4000-8000-000000000000",
            "hook_event_name": event,
            **about,
        }
        settings = json.loads((self._config / "settings.json").read_bytes())
        for group in settings.get("hooks", {}).get(event, []):
            for hook in group["hooks"]:
                self._run(hook, event, json.dumps(payload).encode())

    def _run(self, hook: dict[str, Any], event: str, payload: bytes) -> None:
        default = END_TIMEOUT_SECONDS if event == "SessionEnd" else TIMEOUT_SECONDS
        process = subprocess.Popen(  # noqa: S602 (a hook is a shell command)
            hook["command"],
            shell=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            said, _ = process.communicate(payload, hook.get("timeout", default))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            said, _ = process.communicate()
        ended = {"event": event, "code": process.returncode, "said": said.decode()}
        sys.stdout.write(json.dumps(ended) + "\n")
        sys.stdout.flush()


def _answer(builder: SessionBuilder, words: str) -> None:
    builder.user(words).assistant(f"Done: {words}").turn_duration()


def _prompts(path: Path) -> list[str]:
    rows = [json.loads(line) for line in path.read_bytes().splitlines()]
    return [row["message"]["content"] for row in rows if row["type"] == "user"]


def _append(path: Path, lines: Sequence[bytes]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as stream:
        stream.writelines(line + b"\n" for line in lines)


def main(config: str, cwd: str, steps: str) -> None:
    """Run the steps: lists of a method's name and its arguments."""
    client = ScriptedClient(Path(config), cwd)
    for name, *words in json.loads(steps):
        getattr(client, name)(*words)


if __name__ == "__main__":
    main(*sys.argv[1:])
