"""What other tools noted about commits: notes in `refs/notes/ai`, and trailers of messages.

They are evidence of others, shown beside ours, and never written.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

import msgspec

from clew.insight.git import Repository, RepositoryCommit

NOTES_REF: Final = "refs/notes/ai"
_TRAILER: Final = re.compile(r"^Entire-Checkpoint:[ \t]*([\w./-]{1,200})[ \t]*$", re.MULTILINE)
_RANGE: Final = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?")
_LONGEST_NOTE: Final = 5_000_000


class LineNote(msgspec.Struct, frozen=True, kw_only=True):
    """What a note says of lines of a file; without a path, it is about the whole commit."""

    source: str
    name: str
    tool: str = ""
    session_id: str = ""
    model: str = ""
    path: str = ""
    ranges: tuple[tuple[int, int], ...] = ()

    def covers(self, path: str, line: int) -> bool:
        """Return whether it is about a line."""
        if not self.path:
            return True
        return self.path == path and any(first <= line <= last for first, last in self.ranges)


class _AgentId(msgspec.Struct, frozen=True):
    tool: str = ""
    id: str = ""
    model: str = ""


class _Prompt(msgspec.Struct, frozen=True):
    agent_id: _AgentId = _AgentId()


class _Metadata(msgspec.Struct, frozen=True):
    prompts: dict[str, _Prompt] = {}


def read_notes(
    repository: Repository, commits: Iterable[RepositoryCommit]
) -> dict[str, tuple[LineNote, ...]]:
    """Return the notes on commits, those about lines first."""
    known = list(commits)
    texts = repository.notes(NOTES_REF, [each.hash for each in known])
    found = {}
    for commit in known:
        notes = (*_read_log(texts.get(commit.hash, "")), *_read_trailers(commit.message))
        if notes:
            found[commit.hash] = notes
    return found


def _read_log(text: str) -> Iterator[LineNote]:
    """Read a log of authors: paths, below them ids with ranges of lines, then JSON about ids."""
    lines, mark, metadata = text[:_LONGEST_NOTE].partition("\n---\n")
    if not mark:
        return
    prompts = _decode(metadata).prompts
    path = ""
    for line in lines.splitlines():
        if line and not line[0].isspace():
            path = line.strip().strip('"')
            continue
        name, _, ranges = line.strip().partition(" ")
        agent = prompts.get(name, _Prompt()).agent_id
        if path and ranges:
            yield LineNote(
                source=NOTES_REF,
                name=name,
                tool=agent.tool,
                session_id=agent.id,
                model=agent.model,
                path=path,
                ranges=tuple(_ranges(ranges)),
            )


def _decode(metadata: str) -> _Metadata:
    try:
        return msgspec.json.decode(metadata, type=_Metadata)
    except (msgspec.DecodeError, UnicodeEncodeError):
        return _Metadata()


def _ranges(text: str) -> Iterator[tuple[int, int]]:
    for found in _RANGE.finditer(text):
        first: Any = int(found[1])
        yield first, int(found[2] or first)


def _read_trailers(message: str) -> Iterator[LineNote]:
    for found in _TRAILER.finditer(message):
        yield LineNote(source="Entire-Checkpoint", name=found[1])
