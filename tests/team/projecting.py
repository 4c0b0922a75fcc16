"""Sessions on the disk → what a laptop sends of them at a tier, as files on the disk again."""

from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path

from clew.conversation import Conversation, build
from clew.protocol import Tier
from clew.push.mark_ledger import MarkLedger
from clew.push.projected import ProjectedFile, PushedSource
from clew.push.projection import project_session
from clew.sessions import SessionFiles, gather, group_sessions, link_neighbours
from clew.source import SourceFile, discover

KEY = bytes(range(32))


def sources_of(session: SessionFiles) -> list[PushedSource]:
    """Give a session's files as a push reads them."""
    return [
        PushedSource(
            path=file.relative,
            kind=file.kind,
            session_id=session.session_id,
            agent_id=file.agent_id,
            workflow_id=file.workflow_id,
            read=partial(_read, file.path),
        )
        for file in session.files
    ]


def project(
    session: SessionFiles, tier: Tier, ledger: MarkLedger | None = None
) -> Iterator[tuple[ProjectedFile, bytes]]:
    """Project a session, and give each file with its bytes."""
    for file in project_session(tier, KEY, sources_of(session), ledger or MarkLedger(KEY)):
        yield file, b"".join(piece.data for piece in file.pieces)


def project_root(root: Path, target: Path, tier: Tier) -> dict[str, str]:
    """Write all that is sent of a root below another one; give the new ids of its sessions."""
    ids = {}
    for session in group_sessions(discover(root).files):
        for file, data in project(session, tier):
            ids[session.session_id] = file.session
            path = target / file.file
            path.parent.mkdir(parents=True, exist_ok=True)
            assert not path.exists()
            path.write_bytes(data)
    return ids


def conversations(root: Path) -> dict[str, Conversation]:
    """Build all conversations of a root from their whole lines."""
    files = discover(root).files
    return {
        session.session_id: build(link_neighbours(gather(session, _whole_lines), session, files))
        for session in group_sessions(files)
    }


def _read(path: Path) -> Iterable[bytes]:
    data = path.read_bytes()
    yield data[: len(data) // 2]
    yield data[len(data) // 2 :]


def _whole_lines(file: SourceFile) -> Iterator[bytes]:
    """Read a file without an unfinished last line, which waits for its end before it is sent."""
    data = file.path.read_bytes()
    yield data[: data.rfind(b"\n") + 1] if file.path.suffix == ".jsonl" else data
