"""What would leave of a project: a real prompt and a real tool call, as they would be sent."""

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any, Final

import msgspec

from clew.analytics import FilterSet
from clew.archive import Archive
from clew.protocol import Tier
from clew.push.mark_ledger import MarkLedger
from clew.push.projected import PushedSource
from clew.push.projection import project_session
from clew.source import FileKind
from clew.store import ArchivedFile, Order

_MOST_SESSIONS: Final = 20
# A longer session takes too long to project for an example.
_MOST_BYTES: Final = 4 << 20


class PushExample(msgspec.Struct, frozen=True):
    """Lines of a transcript as a server would get them; empty if the project has none."""

    session_id: str = ""
    prompt: str = ""
    tool_call: str = ""


def make_example(archive: Archive, project: str, tier: Tier, key: bytes) -> PushExample:
    """Return what would leave of the latest session of a project that has both."""
    best = PushExample()
    for session in archive.sessions(FilterSet(project=project), Order(limit=_MOST_SESSIONS)):
        files = archive.session_files(session.id)
        if session.project != project or sum(file.kept_bytes for file in files) > _MOST_BYTES:
            continue
        found = _pick(session.id, _lines(archive, files, tier, key))
        if found.prompt and found.tool_call:
            return found
        best = max(best, found, key=lambda each: bool(each.prompt) + bool(each.tool_call))
    return best


def _lines(archive: Archive, files: list[ArchivedFile], tier: Tier, key: bytes) -> Iterator[bytes]:
    """Return the lines of a session's own transcript as a tier has them."""
    if tier is Tier.EVERYTHING:
        for file in files:
            if file.kind is FileKind.SESSION:
                yield from b"".join(archive.read_file(file)).splitlines()
        return
    sources = [
        PushedSource(
            path=file.path,
            kind=file.kind,
            session_id=file.session_id or "",
            agent_id=file.agent_id,
            workflow_id=file.workflow_id,
            read=partial(archive.read_file, file),
        )
        for file in files
    ]
    # Marks of an example are not remembered: nothing is sent with them.
    for made in project_session(tier, key, sources, MarkLedger(key, ())):
        content = b"".join(piece.data for piece in made.pieces)
        if made.kind is FileKind.SESSION:
            yield from content.splitlines()


def _pick(session_id: str, lines: Iterable[bytes]) -> PushExample:
    prompt = tool_call = ""
    for line in lines:
        text = line.decode("utf-8", "replace")
        match _decode(line):
            case {"type": "user", "message": {"content": content}} if _is_prompt(content):
                prompt = prompt or text
            case {"type": "assistant", "message": {"content": [{"type": "tool_use"}, *_]}}:
                tool_call = tool_call or text
            case _:
                continue
        if prompt and tool_call:
            break
    return PushExample(session_id, prompt, tool_call)


def _decode(line: bytes) -> Any:
    try:
        return msgspec.json.decode(line)
    except (msgspec.DecodeError, RecursionError):
        return None


def _is_prompt(content: Any) -> bool:
    if isinstance(content, list):
        return not any(
            isinstance(each, dict) and each.get("type") == "tool_result" for each in content
        )
    return True
