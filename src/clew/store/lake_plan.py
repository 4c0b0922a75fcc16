"""The sessions of an archive, and a data set's manifest → which files to write and to keep.

A part has the rows of one or more sessions of a month and project, in one file per table. A session
that may still grow is a part by itself, so that nothing else is written when it does; in a month
and project with many sessions, those that are over share a part.
"""

import datetime as dt
import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, TypeAlias

import msgspec

from clew.clock import parse_time
from clew.store.protocols import Database

MANIFEST: Final = "manifest.json"
SCHEMA: Final = "clew.lake/1"
SETTLED: Final = dt.timedelta(days=7)
"""A session that ended so long ago is not expected to grow."""

# With more settled sessions than this, they share a part.
_MOST_ALONE: Final = 32
# How much of transcripts a part has at most, about.
_PART_BYTES: Final = 64 << 20
_UNKNOWN: Final = "unknown"
_ODD: Final = re.compile(r"[^\w.-]+")
_DIGEST_BYTES: Final = 12

Partition: TypeAlias = tuple[str, str]


class LakeFile(msgspec.Struct, frozen=True):
    """A file of a table; `part` is empty if it has the table of all sessions."""

    table: str
    path: str
    rows: int
    bytes: int
    part: str = ""


class SessionVersion(msgspec.Struct, frozen=True):
    """A session as it was when it was written."""

    id: str
    version: str


class LakePart(msgspec.Struct, frozen=True):
    """Sessions whose rows are in the same files."""

    name: str
    month: str
    project: str
    sessions: tuple[SessionVersion, ...]


class LakeManifest(msgspec.Struct, frozen=True, kw_only=True):
    """Which files make up a data set; `layout` stands for the columns of all tables."""

    schema: str = SCHEMA
    layout: str = ""
    written_at: str = ""
    files: tuple[LakeFile, ...] = ()
    parts: tuple[LakePart, ...] = ()


class LakeSession(msgspec.Struct, frozen=True):
    """A session of the archive, with a version that changes with its rows."""

    key: int
    id: str
    month: str
    project: str
    size_bytes: int
    is_settled: bool
    version: str

    @property
    def partition(self) -> Partition:
        """The month and the project that it belongs to."""
        return self.month, self.project


class NewPart(msgspec.Struct, frozen=True):
    """Sessions that are to be written together."""

    sessions: tuple[LakeSession, ...]

    def as_part(self, layout: str) -> LakePart:
        """Return it as the manifest has it, named after its content."""
        versions = tuple(SessionVersion(each.id, each.version) for each in self.sessions)
        month, project = self.sessions[0].partition
        name = f"part-{digest(layout, *(f'{each.id}={each.version}' for each in versions))}"
        return LakePart(name, month, project, versions)


class LakePlan(msgspec.Struct, frozen=True):
    """What becomes of a data set."""

    kept: tuple[LakePart, ...]
    new: tuple[NewPart, ...]
    written: int
    unchanged: int
    removed: int


def load_sessions(database: Database, now: dt.datetime) -> list[LakeSession]:
    """Read what parts are made of."""
    return [_session(row, now) for row in database.rows("lake_sessions")]


def _session(row: Sequence[object], now: dt.datetime) -> LakeSession:
    key, name, started, ended, project, size = row[:6]
    last = parse_time(str(ended))
    return LakeSession(
        int(str(key)),
        str(name),
        str(started)[:7] or _UNKNOWN,
        _ODD.sub("_", str(project)) or _UNKNOWN,
        int(str(size)),
        is_settled=last is None or now - last > SETTLED,
        version=digest(*map(str, row)),
    )


def digest(*texts: str) -> str:
    """Return a short text that stands for others."""
    joined = "\0".join(texts).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(joined, digest_size=_DIGEST_BYTES).hexdigest()


def plan_parts(sessions: Sequence[LakeSession], manifest: LakeManifest) -> LakePlan:
    """Keep parts whose sessions are all as they were, and put all other sessions in new ones."""
    present = {each.id: each for each in sessions}
    current = [part for part in manifest.parts if _is_current(part, present)]
    merged = _find_crowded(sessions, current)
    kept = [part for part in current if not _is_merged(part, present, merged)]
    in_kept = {each.id for part in kept for each in part.sessions}
    known = {each.id: each.version for part in manifest.parts for each in part.sessions}
    left = [each for each in sessions if each.id not in in_kept]
    return LakePlan(
        tuple(kept),
        tuple(_make_parts(left, merged)),
        written=len(left),
        unchanged=len(in_kept),
        removed=len(known.keys() - present.keys()),
    )


def _is_current(part: LakePart, present: dict[str, LakeSession]) -> bool:
    found = [present.get(each.id) for each in part.sessions]
    return all(
        each is not None
        and each.version == known.version
        and each.partition == (part.month, part.project)
        for each, known in zip(found, part.sessions, strict=True)
    )


def _find_crowded(sessions: Iterable[LakeSession], current: Iterable[LakePart]) -> set[Partition]:
    """Return the partitions with too many settled sessions that are parts by themselves."""
    together = {each.id for part in current if len(part.sessions) > 1 for each in part.sessions}
    alone: defaultdict[Partition, int] = defaultdict(int)
    for each in sessions:
        alone[each.partition] += each.is_settled and each.id not in together
    return {partition for partition, count in alone.items() if count > _MOST_ALONE}


def _is_merged(part: LakePart, present: dict[str, LakeSession], merged: set[Partition]) -> bool:
    is_alone = len(part.sessions) == 1 and present[part.sessions[0].id].is_settled
    return is_alone and (part.month, part.project) in merged


def _make_parts(sessions: Iterable[LakeSession], merged: set[Partition]) -> Iterator[NewPart]:
    together: defaultdict[Partition, list[LakeSession]] = defaultdict(list)
    for each in sessions:
        if each.is_settled and each.partition in merged:
            together[each.partition].append(each)
        else:
            yield NewPart((each,))
    for group in together.values():
        yield from map(NewPart, _split(group))


def _split(sessions: Iterable[LakeSession]) -> Iterator[tuple[LakeSession, ...]]:
    """Split sessions where they are too much for one part."""
    group: list[LakeSession] = []
    size = 0
    for each in sessions:
        if group and size + each.size_bytes > _PART_BYTES:
            yield tuple(group)
            group, size = [], 0
        group.append(each)
        size += each.size_bytes
    if group:
        yield tuple(group)
