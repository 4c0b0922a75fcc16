"""The replay against sessions with every file's content after every call beside them.

These are not part of the project; where they are not there, this is skipped.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from clew.replay import Certainty, FileState, ReplayIndex, replay_session
from clew.sessions import load
from tools.insight_rates import main

SHARED: Final = Path(__file__).parents[2].parent / "shared"
TRUTH: Final = SHARED / "truth"
CORPUS: Final = SHARED / "corpus"
EDITS: Final = ("edit", "write", "create")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not TRUTH.is_dir(), reason="no sessions with truth beside them"),
]


class Truth:
    """A session, and what its files were when each answer began."""

    def __init__(self, name: str) -> None:
        folder = TRUTH / name
        self.conversation = load(next(folder.glob("root/projects/*/*.jsonl")))
        self.replay = replay_session(self.conversation)
        self.index = ReplayIndex(self.replay)
        self.recorded = json.loads((folder / "files_after.json").read_text())

    def moments(self) -> Iterator[tuple[list[str], str, dict[str, str | None]]]:
        """Yield the calls before an answer, the answer, and all files that were there."""
        files: dict[str, str] = {}
        for event in self.recorded["events"]:
            files |= event["changed"]
            files = {path: sha for path, sha in files.items() if path not in event["removed"]}
            calls = event.get("after_tool_use_ids")
            answer = self.answer_after(calls[0]) if calls else None
            if answer is not None:
                yield calls, answer, {path: self.text(sha) for path, sha in files.items()}

    def answer_after(self, call_id: str) -> str | None:
        call = next(call for call in self.conversation.tool_calls if call.id == call_id)
        names = [message.id for message in self.conversation.messages]
        later = self.conversation.messages[names.index(call.message_id) + 1 :]
        return next((message.id for message in later if message.kind == "answer"), None)

    def text(self, sha: str) -> str | None:
        content: dict[str, Any] = self.recorded["contents"][sha]
        found: str | None = content.get("text")
        # Clients record every line ending as a line feed.
        return plain(found)

    def states(self, answer: str) -> Iterator[tuple[str, FileState]]:
        for path in self.index.versions:
            state = self.index.state_at_message(path, answer)
            assert state is not None
            yield path.removeprefix(f"{self.conversation.session.cwd}/"), state


@pytest.fixture(scope="module", params=["shell-edits", "shell-edits-accept"])
def truth(request: pytest.FixtureRequest) -> Truth:
    return Truth(request.param)


def test_no_state_that_is_called_exact_is_wrong(truth: Truth) -> None:
    checked = 0
    for _, answer, files in truth.moments():
        for path, state in truth.states(answer):
            if state.state is Certainty.EXACT:
                checked += 1
                assert state.text == files.get(path), (path, answer)

    assert checked > 70


def test_files_are_right_after_each_edit(truth: Truth) -> None:
    checked = 0
    for calls, answer, files in truth.moments():
        edited = {v.path for v in truth.replay.versions if v.call_id in calls and v.action in EDITS}
        names = {path.removeprefix(f"{truth.conversation.session.cwd}/") for path in edited}
        for path, state in truth.states(answer):
            if path in names:
                checked += 1
                by_hook = state.since is not None and state.since.kind == "hook"
                assert by_hook or (state.state, state.text) == (Certainty.EXACT, files[path])

    assert checked > 15


def plain(text: str | None) -> str | None:
    return None if text is None else text.replace("\r\n", "\n")


def test_what_is_told_is_nearly_always_right(truth: Truth) -> None:
    told = [
        plain(state.text) == files.get(path)
        for _, answer, files in truth.moments()
        for path, state in truth.states(answer)
        if state.state is Certainty.TOLD
    ]

    # A link that a command makes is told with the path it leads to as its text.
    assert told.count(True) >= 0.97 * len(told)


@pytest.mark.skipif(not CORPUS.is_dir(), reason="no corpus")
def test_the_rates_of_real_sessions_are_reached(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(CORPUS), "--family", "replay", "--json"]) == 0

    rates = {rate["name"]: rate for rate in json.loads(capsys.readouterr().out)["replay"]}
    exact = rates["states called exact that are right"]
    assert exact["part"] == exact["whole"] > 500
