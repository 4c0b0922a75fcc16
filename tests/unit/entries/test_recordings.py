"""Recorded sessions are understood to the last field."""

import re

import pytest

from clew.entries import Entry, Unknown, User, classify, decode_all, unnamed
from clew.source import read_lines
from tests.recordings import Recording, parameters

ASKED = re.compile(r"-p '([^'/][^']*)'")


def entries_of(recording: Recording) -> list[Entry]:
    return [entry for path in recording.transcripts() for entry in decode_all(read_lines(path))]


@pytest.mark.parametrize("recording", parameters())
def test_every_line_of_a_recording_is_understood(recording: Recording) -> None:
    entries = entries_of(recording)

    assert [entry.problems for entry in entries if entry.problems] == []
    assert [entry.body for entry in entries if isinstance(entry.body, Unknown)] == []
    assert {path for entry in entries for path in unnamed(entry)} == set()


@pytest.mark.parametrize("recording", parameters())
def test_what_was_asked_on_the_command_line_is_a_prompt(recording: Recording) -> None:
    asked = set(ASKED.findall("\n".join(recording.expected["commands"])))
    rows = [entry.body for entry in entries_of(recording) if isinstance(entry.body, User)]

    said = [classify(row) for row in rows]

    assert {each.kind for each in said if each.text in asked} <= {"prompt"}
