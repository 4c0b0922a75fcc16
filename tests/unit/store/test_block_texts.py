"""Whole texts of blocks, found again in the kept bytes."""

import datetime as dt
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from clew.archive import Archive
from clew.conversation import Conversation, build
from clew.samples import samples_root
from clew.sessions import gather, group_sessions
from clew.source import discover
from clew.store import Home, open_any_version, read_block_text
from clew.store.block_texts import find_text, line_texts
from tests.build import SessionBuilder, bash, thinking
from tests.recordings import HERE, recordings

NOW = dt.datetime(2026, 11, 15, tzinfo=dt.UTC)
LONG = "a word or two, " * 400
BLOCKS = {
    "role": "assistant",
    "content": [
        {"type": "thinking", "thinking": "deep thought"},
        {"type": "text", "text": "plain words"},
        {"type": "tool_use", "id": "t", "name": "Edit", "input": {"path": "a.py", "new": ["x", 1]}},
        {"type": "tool_result", "tool_use_id": "t", "content": [{"type": "text", "text": "done"}]},
    ],
}
TOLD = {
    "type": "agent_progress",
    "agentId": "a1",
    "message": {"type": "user", "uuid": "w", "message": {"role": "user", "content": "told"}},
}


def line(kind: str, **fields: object) -> bytes:
    return json.dumps({"type": kind, "uuid": "u", **fields}).encode()


@pytest.mark.parametrize(
    ("raw", "texts"),
    [
        (line("user", message={"role": "user", "content": "long story"}), ["long story"]),
        (
            line("assistant", message=BLOCKS),
            ["deep thought", "plain words", "a.py\nx\n1", "done"],
        ),
        (line("system", subtype="informational", content="by the way"), ["by the way"]),
        (line("attachment", attachment={"type": "queued_command", "prompt": "also"}), ["also"]),
        (line("queue-operation", operation="enqueue", content="later"), ["later"]),
        (line("progress", data=TOLD), ["told"]),
        (line("progress", data={"type": "bash_progress"}), []),
        (line("summary", summary="long story"), []),
        (b"not json", []),
        (b"", []),
    ],
)
def test_a_line_gives_the_texts_of_its_blocks(raw: bytes, texts: list[str]) -> None:
    assert list(line_texts(raw)) == texts


def test_of_texts_that_begin_alike_the_one_of_the_known_length_is_meant() -> None:
    assert find_text(["onset", "onwards", "off"], "on", 7) == "onwards"
    assert find_text(["onset", "off"], "on", 9) == "onset"
    assert find_text(["off"], "on", 3) is None


def lost_texts(folder: Path, roots: Iterable[Path]) -> list[str]:
    """Sync roots, and give the beginnings of all cut texts that are not found again whole."""
    with Archive(Home(folder)) as archive:
        archive.sync(roots, now=NOW, workers=1)
        answer = archive.query("SELECT id, text, size_bytes FROM block WHERE is_cut = 1")
        cut: list[tuple[Any, ...]] = list(answer.rows)
        assert cut
        texts = [
            read_block_text(open_any_version(archive.location), number) for number, _, _ in cut
        ]
    return [
        beginning
        for (_, beginning, size), text in zip(cut, texts, strict=True)
        if text is None or not text.startswith(beginning) or len(text) != size
    ]


def test_every_cut_text_of_the_recordings_is_found_again_whole(tmp_path: Path) -> None:
    roots = [recording.root for recording in recordings(HERE)]

    assert lost_texts(tmp_path, roots) == []


def test_every_cut_text_of_the_samples_is_found_again_whole(tmp_path: Path) -> None:
    assert lost_texts(tmp_path, [samples_root()]) == []


def long_session() -> SessionBuilder:
    """Make a session with a long text in every place that can hold one."""
    session = SessionBuilder().user(f"prompt {LONG}")
    session.assistant(thinking(f"think {LONG}"), f"first {LONG}", f"second {LONG}")
    session.tools(bash(f"echo {LONG}", f"printed {LONG}"), bash("cat big", "big " * 20_000))
    session.steer(f"steered {LONG}").queue("enqueue", f"queued {LONG}")
    return session.informational(f"noted {LONG}").compact(summary=f"so far {LONG}")


def test_a_long_text_is_found_again_wherever_it_stands(tmp_path: Path) -> None:
    long_session().write(tmp_path / "one")

    assert lost_texts(tmp_path / "home", [tmp_path / "one"]) == []


def test_copies_in_two_roots_hide_no_text(tmp_path: Path) -> None:
    long_session().write(tmp_path / "one")
    SessionBuilder().user(f"other {LONG}").write(tmp_path / "two")

    assert lost_texts(tmp_path / "home", [tmp_path / "one", tmp_path / "two"]) == []


def conversation(root: Path) -> Conversation:
    (session,) = group_sessions(discover(root).files)
    return build(gather(session))


def test_each_block_of_an_answer_knows_the_fragment_that_holds_it(tmp_path: Path) -> None:
    SessionBuilder().user("hi").assistant(thinking("hm"), "one", "two").write(tmp_path)

    answer = next(m for m in conversation(tmp_path).messages if m.kind == "answer")

    assert len(answer.lines) == 3
    assert answer.block_lines == (0, 1, 2)
