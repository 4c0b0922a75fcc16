"""`clew.load`."""

from pathlib import Path

import pytest

import clew
from clew.errors import PathNotFoundError, SessionNotFoundError
from tests.build import SessionBuilder, bash


def test_load_gives_the_conversation_of_a_transcript(tmp_path: Path) -> None:
    session = SessionBuilder().user("hi").tools(bash("ls", "a")).assistant("hello")
    path = session.write(tmp_path / "s.jsonl")

    conversation = clew.load(path)

    assert conversation.session.title == "hi"
    assert conversation.totals.tool_calls == 1


def test_load_finds_a_session_by_the_beginning_of_its_id(tmp_path: Path) -> None:
    session = SessionBuilder().user("hi").assistant("hello")
    session.write(tmp_path)

    conversation = clew.load(session.session_id[:8], [tmp_path])

    assert conversation.session.id == session.session_id


def test_roots_may_be_given_as_text(tmp_path: Path) -> None:
    session = SessionBuilder().user("Fix it").assistant("ok")
    session.write(tmp_path)

    assert clew.load("latest", [str(tmp_path)]).session.id == session.session_id


def test_load_refuses_what_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(PathNotFoundError):
        clew.load(tmp_path / "gone.jsonl")
    with pytest.raises(SessionNotFoundError):
        clew.load("zzz", [tmp_path])
