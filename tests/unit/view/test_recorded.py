"""Pages of recorded sessions: sound at every detail, and complete with everything."""

import re
from collections.abc import Iterator
from typing import Final

import pytest

from clew.conversation import Conversation, Message
from clew.sessions import load
from clew.view import Detail, ViewOptions, make_index, make_run_page
from tests.recordings import HERE, Recording, parameters
from tests.unit.view.viewed import check, text_of, view

TAG: Final = re.compile(r"</?[a-z][a-z_-]*(?: [^<>]*)?>")


def conversations(recording: Recording) -> Iterator[Conversation]:
    """Load the sessions of a recording."""
    for path in recording.transcripts():
        if path.parent.parent.name == "projects" and not path.name.startswith("agent-"):
            yield load(path)


def texts(message: Message) -> Iterator[str]:
    """Give the texts of a message, without the client's own tags around them."""
    for block in message.blocks:
        if block.kind in ("text", "thinking"):
            yield from (piece.strip() for piece in TAG.split(block.text))
        elif block.kind in ("image", "document"):
            yield block.data or ""


def missing(conversation: Conversation) -> Iterator[tuple[str, str]]:
    """Give the lines that a page with everything does not show, whatever its white space."""
    shown = "".join(text_of(view(conversation, max_run_depth=99)).split())
    for message in conversation.messages:
        for text in texts(message):
            for line in text.split("\n"):
                if "".join(line.split()) not in shown:
                    yield message.kind, line


@pytest.mark.parametrize("recording", parameters(HERE))
def test_every_text_of_a_recorded_session_is_on_its_page(recording: Recording) -> None:
    for conversation in conversations(recording):
        assert list(missing(conversation)) == []


@pytest.mark.parametrize("recording", parameters(HERE))
def test_pages_of_recorded_sessions_are_sound(recording: Recording) -> None:
    for conversation in conversations(recording):
        for detail in Detail:
            check(conversation, detail=detail, section_messages=9, max_run_depth=99)


@pytest.mark.parametrize("recording", parameters(HERE))
def test_every_recorded_run_has_a_page(recording: Recording) -> None:
    for conversation in conversations(recording):
        index = make_index(conversation)
        for run in conversation.agent_runs:
            page = make_run_page(index, run.id, ViewOptions())
            assert page.frame.header.id == run.id
            assert bool(page.sections) == bool(index.messages_by_run.get(run.id))
