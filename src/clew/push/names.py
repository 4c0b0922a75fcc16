"""Names and ids → others that say nothing, by a key that never leaves the laptop.

The same id becomes the same everywhere, so what belongs together still does, and it keeps its
shape, by which the parser knows what it is an id of.
"""

import hmac
import re
from functools import lru_cache
from typing import Final

from clew.push.projected import PushedSource
from clew.source import AGENT_KINDS, FileKind, classify

_UUID: Final = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE
)
# All that an id may begin with and keep.
_PREFIX: Final = re.compile(
    r"(?:msg|toolu|srvtoolu|mcptoolu|req|wf)_|acompact-|aprompt_suggestion-|aside_question-"
)
_FLAT: Final = "flat:"
_HEX_DIGITS: Final = 24
_FOLDER_DIGITS: Final = 16
_OF_CALL: Final = re.compile(r"toolu_[A-Za-z0-9]{1,64}\.(?:txt|json)")


class KeyedNames:
    """Turns the ids and names of one laptop into others."""

    def __init__(self, key: bytes) -> None:
        self._key = key
        self.hash_id = lru_cache(maxsize=65_536)(self._hash_id)
        self.hash_session = lru_cache(maxsize=4_096)(self._hash_session)

    def digest(self, text: str, purpose: str = "") -> str:
        """Return the keyed hash of a text in digits of base 16; it differs by purpose."""
        message = f"{purpose}\0{text}".encode("utf-8", "surrogatepass")
        return hmac.digest(self._key, message, "sha256").hex()

    def hash_folder(self, name: str) -> str:
        """Return the name of a project's folder."""
        return self.digest(name, "folder")[:_FOLDER_DIGITS]

    def _hash_session(self, session_id: str) -> str:
        """Return the id of a session: always a UUID, as files of sessions are named."""
        is_uuid = _UUID.fullmatch(session_id) is not None
        return _as_uuid(self.digest(session_id.lower() if is_uuid else session_id))

    def _hash_id(self, name: str) -> str:
        """Return an id of the same shape: of a row, an answer, a call, an agent, a workflow."""
        if not name:
            return ""
        if name.startswith(_FLAT):
            return _FLAT + self.hash_id(name.removeprefix(_FLAT))
        if _UUID.fullmatch(name):
            return self.hash_session(name)
        # Teammates are known by their own name and that of their team.
        if "@" in name:
            return "@".join(map(self.hash_id, name.split("@")))
        prefix = _PREFIX.match(name)
        return (prefix[0] if prefix else "") + self.digest(name)[:_HEX_DIGITS]


def wire_file(source: PushedSource, names: KeyedNames) -> str:
    """Return the path under which a file is sent: its kind and owners are read from it."""
    folder = names.hash_folder(classify(source.path).project_folder or "")
    session = names.hash_session(source.session_id)
    inner = _inner_path(source, session, names)
    if source.kind is FileKind.TODO:
        return inner
    return f"projects/{folder}/{inner}"


def wire_result_name(name: str, names: KeyedNames) -> str:
    """Return the name of a file with a long result; the id of its call stays as lines have it."""
    if _OF_CALL.fullmatch(name):
        return name
    return f"{names.digest(name)[:_HEX_DIGITS]}.txt"


def _inner_path(source: PushedSource, session: str, names: KeyedNames) -> str:
    """Return the path of a file within the folder of its project."""
    agent = names.hash_id(source.agent_id or "")
    workflow = names.hash_id(source.workflow_id or "")
    agents = f"{session}/subagents/{_agents_folder(source, workflow)}".rstrip("/")
    aside = _aside(source, names)
    match source.kind:
        case FileKind.SESSION:
            return f"{session}.jsonl{aside}"
        case kind if kind in AGENT_KINDS:
            return f"{agents}/agent-{agent}.jsonl{aside}"
        case FileKind.META:
            return f"{agents}/agent-{agent}.meta.json"
        case FileKind.JOURNAL:
            return f"{agents}/journal.jsonl"
        case FileKind.WORKFLOW:
            return f"{session}/workflows/{workflow}.json"
        case FileKind.WORKFLOW_SCRIPT:
            own = names.digest(source.path)[:_FOLDER_DIGITS]
            return f"{session}/workflows/scripts/{own}-{workflow}.js"
        case FileKind.TITLE:
            return f"{session}/custom-title.json"
        case FileKind.TODO:
            return f"todos/{session}-agent-{agent or session}.json"
        case _:
            name = wire_result_name(source.path.rpartition("/")[2], names)
            return f"{session}/tool-results/{name}"


def _agents_folder(source: PushedSource, workflow: str) -> str:
    """Return where agent files are below those of a session; old ones were beside its own file."""
    if workflow:
        return f"workflows/{workflow}"
    return "" if classify(source.path).session_id else "beside"


def _aside(source: PushedSource, names: KeyedNames) -> str:
    """Return what a transcript is called beside the one that has the usual name."""
    owner = source.session_id if source.kind is FileKind.SESSION else f"agent-{source.agent_id}"
    if source.path.endswith(f"/{owner}.jsonl"):
        return ""
    return f".superseded-{names.digest(source.path)[:_FOLDER_DIGITS]}"


def _as_uuid(digits: str) -> str:
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:32]))
