"""Whatever a session does to its files: what the replay calls exact is what they were."""

import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from clew.replay import (
    Certainty,
    ReplayIndex,
    find_changes,
    pack_replay,
    replay_session,
    trace_lines,
    unpack_replay,
)
from clew.sessions import load
from tests.build import Call, SessionBuilder, bash, edit, read, write
from tests.unit.replay.replayed import update

FILES = ("/home/dev/code/demo/a", "/home/dev/code/demo/b")
texts = st.lists(st.sampled_from(["x\n", "y\n", "\tz\n", "w"]), max_size=6).map("".join)


class Disk:
    """Files as they really are, and the calls that a client would record."""

    def __init__(self) -> None:
        self.files: dict[str, str] = {}
        self.calls: list[Call] = []
        self.after: list[dict[str, str]] = []

    def act(self, kind: str, path: str, text: str, at: int) -> None:
        call = self._call(kind, path, text, at)
        if call is not None:
            self.calls.append(call)
            self.after.append(dict(self.files))

    def _call(self, kind: str, path: str, text: str, at: int) -> Call | None:
        before = self.files.get(path)
        match kind:
            case "read" if before is not None:
                return read(path, before)
            case "write":
                self.files[path] = text
                # Clients call an empty file new.
                return update(path, before, text) if before else write(path, text)
            case "edit" if before:
                old = before[at % len(before) :][:3]
                self.files[path] = _replaced(before, old, text)
                return edit(path, before, old, text)
            case "fail" if before is not None:
                arguments = {"file_path": path, "old_string": "x", "new_string": text}
                return Call("Edit", arguments, "String not found", error=True)
            case "outside":
                # A command, of which nothing is recorded but itself.
                self.files[path] = text
                return bash("make it")
            case "look":
                return bash("git status")
            case _:
                return None


def _replaced(before: str, old: str, new: str) -> str:
    if not new and not old.endswith("\n") and f"{old}\n" in before:
        old += "\n"
    return before.replace(old, new, 1)


steps = st.lists(
    st.tuples(
        st.sampled_from(["read", "write", "edit", "edit", "fail", "outside", "look"]),
        st.sampled_from(FILES),
        texts,
        st.integers(0, 20),
    ),
    min_size=1,
    max_size=12,
)


@settings(max_examples=60, deadline=None)
@given(steps)
def test_exact_states_are_right_and_changes_lead_there(drawn: list[tuple[Any, ...]]) -> None:
    disk = Disk()
    for step in drawn:
        disk.act(*step)
    builder = SessionBuilder().user("Go.")
    for call in disk.calls:
        builder.tools(call)
    with tempfile.TemporaryDirectory() as folder:
        conversation = load(builder.assistant("Done.").write(Path(folder)))

    replay = replay_session(conversation)
    index = ReplayIndex(replay)

    answers = [message.id for message in conversation.messages if message.kind == "answer"]
    for answer, files in zip(answers[1:], disk.after, strict=True):
        for path in index.versions:
            state = index.state_at_message(path, answer)
            assert state is not None
            assert state.state is not Certainty.EXACT or state.text == files[path]
    assert unpack_replay(pack_replay(replay)) == replay
    for file in find_changes(conversation, replay).files:
        # A later read may show what something else made of the file.
        changes = [version for version in index.versions[file.path] if version.is_change]
        assert file.end.text == changes[-1].after.text or not file.has_diff
    for versions in index.versions.values():
        trace = trace_lines(versions)
        assert len(trace.writers) == len((versions[-1].after.text or "").splitlines(keepends=True))
