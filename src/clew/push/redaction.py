"""All files of a session → the same lines with marks in place of secrets.

Every string of every line is searched, keys included, as are the values of fields whose names
promise a secret. All files are read before the first line is masked, so that a secret which is
recognised late is masked in what came before it.

What cannot be searched does not leave: pictures and documents, which lines contain as base64,
signatures, files that are not text, and lines that are not JSON, of which only the links remain.
Ids of sessions, agents and workflows become those of the names under which files are sent.
"""

import getpass
import hashlib
import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import msgspec
from ahocorasick_rs import BytesAhoCorasick

from clew.entries import Broken, Row, decode
from clew.errors import ClewError
from clew.push.mark_ledger import MarkLedger
from clew.push.names import KeyedNames, wire_result_name
from clew.push.projected import PushedSource, read_small
from clew.redact import Redactor, SecretSpan, find_names, find_split_keys
from clew.source import TRANSCRIPT_KINDS, FileKind, Line, split_lines

LINE_KINDS: Final = TRANSCRIPT_KINDS | {FileKind.JOURNAL}
"""Files that consist of lines; all others are projected as a whole."""
REDACTED_KINDS: Final = LINE_KINDS | {
    *(FileKind.META, FileKind.WORKFLOW, FileKind.WORKFLOW_SCRIPT, FileKind.TITLE, FileKind.TODO),
    FileKind.TOOL_RESULT,
}
"""What is sent at this tier: files of one session that are text."""

_JSON_KINDS: Final = frozenset({FileKind.META, FileKind.WORKFLOW, FileKind.TITLE, FileKind.TODO})
_BATCH_BYTES: Final = 1 << 20
_SETTLING_ROUNDS: Final = 4
_DEEPEST: Final = 200
_BAD: Final = (msgspec.DecodeError, UnicodeDecodeError, RecursionError, ValueError)

_SESSION_KEYS: Final = frozenset(
    {"sessionId", "session_id", "parentSessionId", "continuedInSessionId"}
)
_AGENT_KEYS: Final = frozenset({"agentId", "agent_id", "parentAgentId", "launchedAgentId", "runId"})
# Fields that are empty without their picture, document or signature.
_EMPTIED: Final = frozenset({"data", "base64", "signature"})
_LONGEST_PLAIN: Final = 200
_BLOB: Final = re.compile(r"[A-Za-z0-9+/_-]{200}[A-Za-z0-9+/_\s-]*+={0,2}\s*+")
_DATA_URL: Final = re.compile(r";base64,[A-Za-z0-9+/_=-]{32,}")
_FOLDER: Final = re.compile(rb'"(?:cwd|originalCwd|worktreePath)":"((?:[^"\\]|\\.){1,4096})"')
_ACCOUNT: Final = re.compile(
    rb'"(?:ownerAccountUuid|ownerOrganizationUuid|bridgeSessionId|accountUuid|organizationUuid'
    rb'|vetoedAgainstAccountUuid)":"([^"\\]{8,64})"'
)
_REPLACEABLE: Final = re.compile(r"[A-Za-z0-9][\w.-]{6,200}")


class SourceChangedError(ClewError):
    """A file has other bytes than before."""

    def __init__(self, path: str) -> None:
        super().__init__(f"{path} changed while it was being read; push again")


class _TextUnit(msgspec.Struct, frozen=True, gc=False):
    """A line or a file: where it ends, and its JSON values or its text."""

    end: int
    trees: list[Any]
    is_json: bool = True


class _UnitBatch(msgspec.Struct, frozen=True):
    """Some units of a file that are searched together, and the hash of their bytes."""

    units: list[_TextUnit]
    digest: bytes


class _LearnedBatch(msgspec.Struct, frozen=True):
    """What the first reading found in a batch."""

    digest: bytes
    spans: dict[str, list[SecretSpan]]


class SessionRedaction:
    """Masks the files of one session; made of all of them, it gives them one by one."""

    def __init__(
        self, sources: Sequence[PushedSource], names: KeyedNames, ledger: MarkLedger
    ) -> None:
        self._names = names
        self._ids = _OwnIds(sources, names)
        people, accounts = _find_people(sources)
        literals = dict.fromkeys(sorted(accounts), "account-id")
        self._redactor = Redactor(people, literals, ledger.number)
        self._learned = {source.path: [*self._learn(source)] for source in sources}
        self._settle()

    def units(self, source: PushedSource) -> Iterator[tuple[int, bytes]]:
        """Return the masked lines of a file, each with where it ends in the file.

        Raises:
            SourceChangedError: The file is no longer the one that was read at first.
        """
        learned = iter(self._learned[source.path])
        for batch in self._batches(source):
            known = next(learned, None)
            if known is None or known.digest != batch.digest:
                raise SourceChangedError(source.path)
            mask = self._redactor.recall(_strings(batch), known.spans)
            for unit in batch.units:
                masked = (self._rebuild(tree, "", mask) for tree in unit.trees)
                yield unit.end, b"".join(_encode(unit, tree) for tree in masked)

    def _learn(self, source: PushedSource) -> Iterator[_LearnedBatch]:
        for batch in self._batches(source):
            strings = _strings(batch)
            for pieces in find_split_keys(strings):
                self._redactor.learn_key(pieces)
            for unit in batch.units:
                for tree in unit.trees:
                    self._learn_named(tree, "")
            yield _LearnedBatch(batch.digest, self._redactor.learn(strings))

    def _learn_named(self, node: Any, name: str) -> None:
        """Remember secrets that the names of their fields reveal."""
        if type(node) is str:
            self._redactor.find_named(name, node)
        elif type(node) is list:
            for item in node:
                self._learn_named(item, name)
        elif type(node) is dict:
            for key, item in node.items():
                self._learn_named(item, _field_name(node, key))

    def _settle(self) -> None:
        """Mask all that was found once, since that may reveal more secrets."""
        for _ in range(_SETTLING_ROUNDS):
            known = self._redactor.known_secrets
            for batches in self._learned.values():
                for batch in batches:
                    for text, spans in batch.spans.items():
                        self._redactor.mask(text, spans)
            if self._redactor.known_secrets == known:
                return

    def _batches(self, source: PushedSource) -> Iterator[_UnitBatch]:
        """Read a file; nothing of one that is not text."""
        if source.kind in LINE_KINDS:
            yield from self._line_batches(source)
        elif (raw := _read_whole(source)) is not None:
            units = [_whole_unit(source, self._ids.replace(raw), len(raw))]
            yield _UnitBatch(units, hashlib.sha256(raw).digest())

    def _line_batches(self, source: PushedSource) -> Iterator[_UnitBatch]:
        units: list[_TextUnit] = []
        size, digest = 0, hashlib.sha256()
        for line in split_lines(source.read(), source.path, with_tail=False):
            end = line.offset + (line.oversize or len(line.raw)) + 1
            own = msgspec.structs.replace(line, raw=self._ids.replace(line.raw))
            units.append(_TextUnit(end, _read_trees(own)))
            digest.update(line.raw + b"\n")
            size += len(line.raw)
            if size >= _BATCH_BYTES:
                yield _UnitBatch(units, digest.digest())
                units, size, digest = [], 0, hashlib.sha256()
        if units:
            yield _UnitBatch(units, digest.digest())

    def _rebuild(self, node: Any, name: str, mask: Callable[[str], str]) -> Any:
        kind = type(node)
        if kind is str:
            return self._masked(node, name, mask)
        if kind is dict:
            return self._rebuild_fields(node, mask)
        if kind is list:
            return [self._rebuild(item, name, mask) for item in node]
        if kind is int and (spans := self._redactor.find_named(name, str(node))):
            return self._redactor.mask(str(node), spans)
        return node

    def _rebuild_fields(self, node: dict[str, Any], mask: Callable[[str], str]) -> dict[str, Any]:
        rebuilt: dict[str, Any] = {}
        for key, item in node.items():
            masked = mask(key)
            # Two names may become one: no field is lost for it.
            masked = f"{masked} ({len(rebuilt)})" if masked in rebuilt else masked
            rebuilt[masked] = self._rebuild(item, _field_name(node, key), mask)
        return rebuilt

    def _masked(self, text: str, name: str, mask: Callable[[str], str]) -> str:
        if not text:
            return text
        if name in _SESSION_KEYS:
            return text if self._ids.is_own(text) else self._names.hash_session(text)
        if name in _AGENT_KEYS:
            return text if self._ids.is_own(text) else self._names.hash_id(text)
        if _is_blob(text):
            return "" if name in _EMPTIED else f"[removed: {len(text)} characters of base64]"
        spans = self._redactor.find_named(name, text)
        masked = self._redactor.mask(text, spans) if spans else mask(text)
        return _DATA_URL.sub(";base64,", masked) if ";base64," in masked else masked


class _OwnIds:
    """The ids that name the session's files, wherever they are in its lines."""

    def __init__(self, sources: Sequence[PushedSource], names: KeyedNames) -> None:
        self._new: dict[bytes, bytes] = {}
        for source in sources:
            self._add(source.session_id, names.hash_session(source.session_id))
            for name in (source.agent_id, source.workflow_id):
                self._add(name or "", names.hash_id(name or ""))
            if source.kind is FileKind.TOOL_RESULT:
                name = source.path.rpartition("/")[2]
                self._add(name, wire_result_name(name, names))
        self._own = {new.decode() for new in self._new.values()}
        self._finder = BytesAhoCorasick([*self._new]) if self._new else None

    def is_own(self, text: str) -> bool:
        """Return whether an id has been replaced."""
        return text in self._own

    def replace(self, raw: bytes) -> bytes:
        """Return the bytes with the new ids."""
        pieces: list[bytes] = []
        done = 0
        for _, start, end in self._finder.find_matches_as_indexes(raw) if self._finder else ():
            pieces += (raw[done:start], self._new[raw[start:end]])
            done = end
        return b"".join((*pieces, raw[done:])) if pieces else raw

    def _add(self, old: str, new: str) -> None:
        if _REPLACEABLE.fullmatch(old) and old.isascii() and old != new:
            self._new[old.encode()] = new.encode()


def _find_people(sources: Sequence[PushedSource]) -> tuple[set[str], set[str]]:
    """Return the user names and the account ids that the files state."""
    folders: set[bytes] = set()
    accounts: set[bytes] = set()
    for source in sources:
        for piece in source.read():
            folders.update(_FOLDER.findall(piece))
            accounts.update(_ACCOUNT.findall(piece))
    paths = [path.decode("utf-8", "replace").replace("\\\\", "\\") for path in folders]
    return {*find_names(paths), *_user()}, {
        account.decode("utf-8", "replace") for account in accounts
    }


def _user() -> list[str]:
    try:
        return [getpass.getuser()]
    except (OSError, KeyError, ImportError):
        return []


def _read_whole(source: PushedSource) -> bytes | None:
    """Read a small file; None if it is too large or not text."""
    raw = read_small(source)
    if raw is None or b"\0" in raw:
        return None
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return raw


def _whole_unit(source: PushedSource, raw: bytes, end: int) -> _TextUnit:
    """Read a file as JSON where it should be that; what is damaged is empty."""
    if source.kind not in _JSON_KINDS:
        return _TextUnit(end, [raw.decode("utf-8", "replace")], is_json=False)
    try:
        tree = msgspec.json.decode(raw)
    except _BAD:
        tree = {}
    return _TextUnit(end, [{} if _is_too_deep(tree) else tree])


def _read_trees(line: Line) -> list[Any]:
    """Return the JSON values of a line: one, unless it is damaged or too deep to be searched."""
    try:
        trees = [msgspec.json.decode(line.raw)]
    except _BAD:
        trees = [_read_damaged(entry.raw, entry.body) for entry in decode(line)]
    if line.raw.count(b"[") + line.raw.count(b"{") <= _DEEPEST:
        return trees
    return [{"type": "other"} if _is_too_deep(tree) else tree for tree in trees]


def _is_too_deep(tree: Any) -> bool:
    level = [tree]
    for _ in range(_DEEPEST):
        level = [
            inner
            for node in level
            if isinstance(node, list | dict)
            for inner in (node.values() if isinstance(node, dict) else node)
            if isinstance(inner, list | dict)
        ]
        if not level:
            return False
    return True


def _read_damaged(raw: bytes, body: object) -> Any:
    """Return a record that is not quite JSON, else only what links it to others."""
    try:
        value = json.loads(raw.decode("utf-8", "replace"), strict=False)
        return msgspec.json.decode(json.dumps(value).encode("utf-8", "replace"))
    except _BAD:
        pass
    links: dict[str, Any] = {"type": "other"}
    if isinstance(body, Broken | Row):
        links["uuid"], links["parentUuid"] = body.uuid, body.parent_uuid
        links["sessionId"], links["timestamp"] = body.session_id, body.timestamp
    return links


def _strings(batch: _UnitBatch) -> list[str]:
    strings: list[str] = []
    for unit in batch.units:
        for tree in unit.trees:
            _collect(tree, strings)
    return strings


def _collect(node: Any, strings: list[str]) -> None:
    kind = type(node)
    if kind is str:
        if not _is_blob(node):
            strings.append(node)
    elif kind is dict:
        for key, item in node.items():
            strings.append(key)
            _collect(item, strings)
    elif kind is list:
        for item in node:
            _collect(item, strings)


def _is_blob(text: str) -> bool:
    """Return whether a text is nothing but base64, and so long that it is no id or token."""
    return len(text) >= _LONGEST_PLAIN and _BLOB.fullmatch(text) is not None


def _field_name(node: dict[str, Any], key: str) -> str:
    """Return the name of a value; in a list of settings it is a field beside it."""
    if key in ("value", "Value"):
        named = node.get("name") or node.get("key") or node.get("Name") or node.get("Key")
        return named if isinstance(named, str) else key
    return key


def _encode(unit: _TextUnit, tree: Any) -> bytes:
    if unit.is_json:
        return msgspec.json.encode(tree) + b"\n"
    return str(tree).encode("utf-8", "replace")
