"""Files that are beside a session's transcript."""

from collections.abc import Collection
from pathlib import Path
from typing import Final

import msgspec

from clew.source.discover import discover
from clew.source.files import SourceFile, SourceProblem
from clew.source.kinds import AGENT_KINDS, FileKind
from clew.source.regular_files import open_regular

_WORKFLOW_KINDS: Final = frozenset({FileKind.WORKFLOW, FileKind.WORKFLOW_SCRIPT, FileKind.JOURNAL})
_PIECE_SIZE: Final = 1 << 20


class Sidecars(msgspec.Struct, frozen=True):
    """What is beside one session's transcript, each list in the order of the paths.

    `flat_agents` are beside all sessions of the project: only their lines say which are this
    session's. `files` is all of it, kinds without a list of their own included.
    """

    files: list[SourceFile]
    problems: list[SourceProblem]
    agents: list[SourceFile]
    flat_agents: list[SourceFile]
    metas: list[SourceFile]
    tool_results: list[SourceFile]
    workflows: list[SourceFile]
    titles: list[SourceFile]


def list_sidecars(session: SourceFile | Path) -> Sidecars:
    """List what is beside a session's transcript.

    Raises:
        PathNotFoundError: The transcript is not there.
    """
    path = session.path if isinstance(session, SourceFile) else session.absolute()
    found = discover(path)
    files = [file for file in found.files if file.path != path]
    agents = _of_kind(files, AGENT_KINDS)
    return Sidecars(
        files=files,
        problems=found.problems,
        agents=[agent for agent in agents if agent.session_id is not None],
        flat_agents=[agent for agent in agents if agent.session_id is None],
        metas=_of_kind(files, {FileKind.META}),
        tool_results=_of_kind(files, {FileKind.TOOL_RESULT}),
        workflows=_of_kind(files, _WORKFLOW_KINDS),
        titles=_of_kind(files, {FileKind.TITLE}),
    )


def find_tool_result(sidecars: Sidecars, reference: str) -> SourceFile | None:
    """Return the saved output that a transcript refers to by a path, or None.

    Only the last part of the path counts: the transcript may come from another machine, and a path
    that it names is never opened.
    """
    name = reference.replace("\\", "/").rpartition("/")[2]
    return next((file for file in sidecars.tool_results if file.path.name == name), None)


def read_sidecar(path: Path, limit: int) -> bytes:
    """Return the content of a regular file, cut after `limit` bytes."""
    pieces = []
    with open_regular(path) as stream:
        while limit > 0 and (piece := stream.read(min(limit, _PIECE_SIZE))):
            pieces.append(piece)
            limit -= len(piece)
    return b"".join(pieces)


def _of_kind(files: list[SourceFile], kinds: Collection[FileKind]) -> list[SourceFile]:
    return [file for file in files if file.kind in kinds]
