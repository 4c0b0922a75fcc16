"""The owners of calls: of all files that contain an answer, one counts it."""

from collections.abc import Iterable, Iterator
from typing import Final

import msgspec

from clew.analytics.file_scan import FileScan
from clew.analytics.fragments import MAIN
from clew.analytics.line_scan import TYPE_KEY, TYPE_SIZE
from clew.analytics.sums import CountedCall
from clew.analytics.usage_fields import compact
from clew.conversation import Claim, SessionClaim, session_claim
from clew.entries import Body, decode
from clew.source import FileKind, SourceFile, read_lines

_FORKED: Final = b'"forkedFrom":{'
_ROWS: Final = frozenset({b"assi", b"mess", b"user", b"prog", b"syst"})


class OwnedCall(msgspec.Struct, frozen=True, gc=False):
    """A call, and the session that made it."""

    session_id: str
    call: CountedCall


def shared_names(scans: Iterable[FileScan]) -> set[str]:
    """Return the names of the calls that are in several files."""
    seen: set[str] = set()
    shared: set[str] = set()
    for scan in scans:
        names = set(scan.names)
        shared |= names & seen
        seen |= names
    return shared


def resolve_owners(scans: Iterable[FileScan], files: Iterable[SourceFile]) -> Iterator[OwnedCall]:
    """Return each call once, with its largest count, for the session with the smallest claim."""
    copies: dict[str, dict[str, list[CountedCall]]] = {}
    for scan in scans:
        for call in scan.calls:
            copies.setdefault(call.name, {}).setdefault(scan.session_id, []).append(call)
    claims = _Claims(files)
    for by_session in copies.values():
        yield _choose(by_session, claims)


def _choose(by_session: dict[str, list[CountedCall]], claims: "_Claims") -> OwnedCall:
    joined = {name: _join(own) for name, own in by_session.items()}
    if len(joined) == 1:
        return OwnedCall(*joined.popitem())
    ranks = {name: claims.of(name, call.at) for name, call in joined.items()}
    owner = min(ranks, key=ranks.__getitem__)
    # Of equally large ones the first by claim, so that the order of files makes no difference.
    largest = max((joined[name] for name in sorted(ranks, key=ranks.__getitem__)), key=_size)
    own = joined[owner]
    if largest.output_tokens > own.output_tokens:
        own = _with_count_of(own, largest)
    return OwnedCall(owner, own)


def _join(copies: list[CountedCall]) -> CountedCall:
    """Join a session's copies: an agent that starts from its parent's context repeats an answer."""
    if len(copies) == 1:
        return copies[0]
    own = min(copies, key=lambda call: (call.run != MAIN, call.at))
    return _with_count_of(own, max(copies, key=_size))


def _with_count_of(own: CountedCall, other: CountedCall) -> CountedCall:
    return msgspec.structs.replace(
        other, at=own.at, model=own.model, run=own.run, is_ended=own.is_ended or other.is_ended
    )


def _size(call: CountedCall) -> tuple[int, int]:
    written = call.cache_write_5m_tokens + call.cache_write_1h_tokens
    return call.output_tokens, call.input_tokens + call.cache_read_tokens + written


class _Claims:
    """The claims of sessions; transcripts are read only where two sessions share an answer."""

    def __init__(self, files: Iterable[SourceFile]) -> None:
        self._files: dict[str, list[SourceFile]] = {}
        for file in files:
            if file.kind is FileKind.SESSION and file.session_id:
                self._files.setdefault(file.session_id, []).append(file)
        self._known: dict[str, SessionClaim] = {}

    def of(self, session_id: str, at: str) -> Claim:
        """Return a session's claim on an answer that it has at a time."""
        if session_id not in self._known:
            bodies = _claim_bodies(self._files.get(session_id, []))
            self._known[session_id] = session_claim(session_id, bodies)
        return self._known[session_id].on_answer(at)


def _claim_bodies(files: Iterable[SourceFile]) -> Iterator[Body]:
    """Decode the lines that bear on a claim: markers, and rows that say they are of a fork."""
    for file in files:
        for line in read_lines(file.path):
            raw = line.raw if TYPE_KEY in line.raw else compact(line.raw)
            start = raw.find(TYPE_KEY) + len(TYPE_KEY)
            if _FORKED in raw or raw[start : start + TYPE_SIZE] not in _ROWS:
                yield from (entry.body for entry in decode(line))
