"""What would leave of a project: a real prompt and a real tool call, as they would be sent."""

from collections.abc import Iterable, Iterator
from typing import Any, Final

import msgspec

from clew.analytics import FilterSet
from clew.archive import Archive
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


def make_example(archive: Archive, project: str) -> PushExample:
    """Return what would leave of the latest session of a project that has both."""
    best = PushExample()
    for session in archive.sessions(FilterSet(project=project), Order(limit=_MOST_SESSIONS)):
        files = archive.session_files(session.id)
        if session.project != project or sum(file.kept_bytes for file in files) > _MOST_BYTES:
            continue
        found = _pick(session.id, _lines(archive, files))
        if found.prompt and found.tool_call:
            return found
        best = max(best, found, key=lambda each: bool(each.prompt) + bool(each.tool_call))
    return best


def _lines(archive: Archive, files: list[ArchivedFile]) -> Iterator[bytes]:
    """Return the lines of a session's own transcript."""
    for file in files:
        if file.kind is FileKind.SESSION:
            yield from b"".join(archive.read_file(file)).splitlines()


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
