"""Sessions on disk: which files make one, what its neighbours know of it, and its conversation."""

import mmap
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from clew.clock import normal_time
from clew.conversation import (
    Claim,
    Conversation,
    Material,
    ModelUsage,
    Surroundings,
    Transcript,
    TranscriptKind,
    build,
    make_quality,
    session_claim,
    total_tokens,
    usage_of_fragments,
)
from clew.entries import (
    AgentMeta,
    Assistant,
    ContinuedIn,
    Entry,
    Marker,
    Row,
    Summary,
    User,
    WorkflowRecord,
    decode,
    decode_all,
    decode_meta,
    decode_title,
    decode_workflow,
    result_links,
)
from clew.errors import SessionNotFoundError, SeveralSessionsError
from clew.source import (
    LATEST,
    FileKind,
    SourceFile,
    discover,
    find_root_above,
    find_roots,
    read_lines,
    read_sidecar,
    split_lines,
)
from clew.storable import storable

_KINDS: Final = {
    FileKind.SESSION: TranscriptKind.SESSION,
    FileKind.AGENT: TranscriptKind.AGENT,
    FileKind.COMPACTION_AGENT: TranscriptKind.COMPACTION,
    FileKind.SUGGESTION_AGENT: TranscriptKind.SUGGESTION,
    FileKind.SIDE_QUESTION_AGENT: TranscriptKind.SIDE_QUESTION,
    FileKind.WORKFLOW_AGENT: TranscriptKind.WORKFLOW,
    FileKind.JOURNAL: TranscriptKind.JOURNAL,
}
_SIDECAR_LIMIT: Final = 64 << 20
_CHUNK: Final = 1 << 18
_LINKING_IDS: Final = 3
_FIRST_ROWS: Final = 50
_OLD_TITLE: Final = b'"type":"summary"'
_SPAWNED: Final = b'"teammate_spawned"'

Opener = Callable[[SourceFile], Iterator[bytes]]


class SessionFiles(msgspec.Struct, frozen=True):
    """All files of one session, its own transcript first."""

    session_id: str
    files: tuple[SourceFile, ...]

    @property
    def modified_ns(self) -> int:
        """When any of its transcripts was last written."""
        return max((file.mtime_ns for file in self.files), default=0)

    @property
    def size(self) -> int:
        """How many bytes its files contain."""
        return sum(file.size for file in self.files)


class Survey(msgspec.Struct, frozen=True):
    """What a session's transcript states about its neighbours.

    `teammates` are those it started as sessions of their own, as `name@team`, `counts` what its
    answers used.
    """

    session_id: str
    claims: dict[str, Claim] = {}
    titles: dict[str, str] = {}
    first_rows: tuple[str, ...] = ()
    last_rows: tuple[str, ...] = ()
    continued_in: str = ""
    teammates: tuple[str, ...] = ()
    counts: dict[str, ModelUsage] = {}


def read_chunks(file: SourceFile) -> Iterator[bytes]:
    """Read a file from disk, piece by piece."""
    with file.path.open("rb", buffering=0) as stream:
        while piece := stream.read(_CHUNK):
            yield piece


def group_sessions(files: Iterable[SourceFile]) -> list[SessionFiles]:
    """Put files into sessions, the one written last first; flat agents go by what they say."""
    groups: dict[str, list[SourceFile]] = {}
    flat: list[SourceFile] = []
    for file in files:
        if file.session_id is not None:
            groups.setdefault(file.session_id, []).append(file)
        elif file.kind in _KINDS:
            flat.append(file)
    for file in flat:
        owner = session_in(file)
        if owner in groups:
            groups[owner].append(file)
        else:
            groups.setdefault(owner or file.path.stem, []).append(file)
    sessions = [SessionFiles(name, tuple(sorted(own, key=_rank))) for name, own in groups.items()]
    return sorted(
        (s for s in sessions if any(f.kind in _KINDS for f in s.files)),
        key=lambda session: (session.modified_ns, session.session_id),
        reverse=True,
    )


def gather(session: SessionFiles, opened: Opener = read_chunks) -> Material:
    """Read a session's transcripts and sidecars."""
    transcripts = []
    metas: dict[str, AgentMeta] = {}
    workflows: dict[str, WorkflowRecord] = {}
    tool_results: dict[str, str] = {}
    title = None
    for file in session.files:
        # A file that went away since it was listed is not there.
        with suppress(FileNotFoundError):
            if file.kind in _KINDS:
                transcripts.append(_transcript(file, opened))
            elif file.kind is FileKind.META and file.agent_id:
                metas[file.agent_id] = decode_meta(_content(file, opened))
            elif file.kind is FileKind.WORKFLOW and file.workflow_id:
                workflows[file.workflow_id] = decode_workflow(_content(file, opened))
            elif file.kind is FileKind.TOOL_RESULT:
                tool_results[file.path.name] = _content(file, opened).decode("utf-8", "replace")
            elif file.kind is FileKind.TITLE:
                title = decode_title(_content(file, opened)) or title
    return Material(session.session_id, tuple(transcripts), metas, workflows, tool_results, title)


def load(target: str | os.PathLike[str], roots: Iterable[Path] | None = None) -> Conversation:
    """Load a conversation: by path, by id or unique prefix under the roots, or the latest.

    Raises:
        SessionNotFoundError: No session has that id, or several have.
    """
    return load_files(*find(target, roots))


def load_files(session: SessionFiles, files: Iterable[SourceFile]) -> Conversation:
    """Build a session's conversation from its files, and the files among which it is."""
    return build(link_neighbours(gather(session), session, files))


def find(
    target: str | os.PathLike[str], roots: Iterable[Path] | None = None
) -> tuple[SessionFiles, list[SourceFile]]:
    """Find one session, and the files among which it is."""
    name = os.fspath(target)
    if is_path(name):
        return _find_at(Path(target))
    files = list_files(roots)
    sessions = group_sessions(files)
    if name == LATEST:
        if not sessions:
            raise SessionNotFoundError(name)
        return sessions[0], files
    exact = [session for session in sessions if session.session_id == name]
    matches = exact or [session for session in sessions if session.session_id.startswith(name)]
    if len(matches) != 1:
        raise SessionNotFoundError(name, {session.session_id for session in matches})
    return matches[0], files


def is_path(name: str) -> bool:
    """Return whether a session is named by a path: what is there, or can be nothing else."""
    return name != LATEST and ("/" in name or name.endswith(".jsonl") or Path(name).exists())


def list_files(roots: Iterable[Path] | None = None) -> list[SourceFile]:
    """List all files under the roots, each once."""
    chosen = find_roots(os.environ, Path.home()) if roots is None else list(roots)
    found: dict[Path, SourceFile] = {}
    for root in chosen:
        for file in discover(root).files:
            found.setdefault(file.path, file)
    return list(found.values())


def link_neighbours(
    material: Material, session: SessionFiles, files: Iterable[SourceFile]
) -> Material:
    """Add what the other sessions of the project know of this one.

    A fork or a resumed copy begins with rows of another session, so a few of the first ids show
    which neighbours are worth reading.
    """
    own = [file for file in session.files if file.kind is FileKind.SESSION]
    folder = {file.path.parent for file in own}
    own_paths = {file.path for file in own}
    ids = _linking_ids(material)
    surveys = [
        survey(file)
        for file in files
        if file.kind is FileKind.SESSION
        and file.path.parent in folder
        and file.path not in own_paths
        and _mentions(file.path, [*ids, _OLD_TITLE])
    ]
    return link_surveyed(material, surveys)


def link_surveyed(material: Material, surveys: Iterable[Survey]) -> Material:
    """Add what surveyed sessions know of this one.

    It continues another session that says so, whose last rows its first rows follow, or whose
    answers it repeats under new uuids; with the uuids, it is a fork.
    """
    others = [other for other in surveys if other.session_id != material.session_id]
    rows = {e.body.uuid for e in _session_entries(material) if isinstance(e.body, Row)}
    titles: dict[str, str] = {}
    claims: dict[str, Claim] = {}
    shares_rows: dict[str, bool] = {}
    for other in others:
        # As an archive has them.
        titles.update({leaf: storable(t) for leaf, t in other.titles.items() if leaf in rows})
        for name, claim in other.claims.items():
            claims[name] = min(claim, claims.get(name, claim))
        shares_rows[other.session_id] = any(uuid in rows for uuid in other.first_rows)
    own = _claims(material.session_id, _session_entries(material))
    inherited = {
        name: claims[name].session.session_id
        for name, claim in own.items()
        if name in claims and claims[name] < claim
    }
    makers = _by_last_answer(claims[name] for name in inherited)
    lost = _lost_parents(material)
    resumed = [
        other.session_id
        for other in others
        if other.continued_in == material.session_id or any(r in lost for r in other.last_rows)
    ]
    name = _teammate_name(material)
    around = Surroundings(
        inherited,
        titles,
        next((maker for maker in makers if shares_rows[maker]), None),
        next((maker for maker in [*makers, *reversed(resumed)] if not shares_rows[maker]), None),
        next((other.session_id for other in others if name in other.teammates), None),
        _largest_copies(own.keys() - inherited.keys(), others),
    )
    return msgspec.structs.replace(material, surroundings=around)


def _by_last_answer(claims: Iterable[Claim]) -> list[str]:
    """Return the makers of answers, the one that made the last of them first.

    A fork of a fork has answers of both: what it was forked from made the later ones.
    """
    last: dict[str, str] = {}
    for claim in claims:
        session_id = claim.session.session_id
        last[session_id] = max(claim.at, last.get(session_id, ""))
    return sorted(sorted(last), key=last.__getitem__, reverse=True)


def _lost_parents(material: Material) -> dict[str, None]:
    """Return the parents that are in none of a session's own rows, in order."""
    rows = [e.body for e in _session_entries(material) if isinstance(e.body, Row)]
    own = {row.uuid for row in rows}
    named = (name for row in rows for name in (row.parent_uuid, row.logical_parent_uuid))
    return dict.fromkeys(name for name in named if name and name not in own)


def _teammate_name(material: Material) -> str:
    """Return the name under which a session works in a team, as its lead knows it."""
    rows = (e.body for e in _session_entries(material) if isinstance(e.body, Row))
    named = (f"{row.agent_name}@{row.team_name}" for row in rows if row.agent_name)
    return next(named, "")


def survey(file: SourceFile) -> Survey:
    """Survey a session's transcript."""
    entries = list(_entries(file, read_chunks))
    name = file.session_id or file.path.stem
    titles = {e.body.leaf_uuid: e.body.summary for e in entries if isinstance(e.body, Summary)}
    rows = [e.body.uuid for e in entries if isinstance(e.body, Row)]
    continued = [e.body.continued_in_session_id for e in entries if isinstance(e.body, ContinuedIn)]
    return Survey(
        name,
        _claims(name, entries),
        titles,
        tuple(rows[:_FIRST_ROWS]),
        tuple(rows[-_FIRST_ROWS:]),
        continued[-1] if continued else "",
        tuple(_spawned(entries)),
        _counts(entries),
    )


def _spawned(entries: Iterable[Entry]) -> Iterator[str]:
    for entry in entries:
        if isinstance(entry.body, User) and _SPAWNED in entry.raw:
            name = result_links(entry.body.tool_use_result).teammate_id
            if name:
                yield name


def _claims(session_id: str, entries: Iterable[Entry]) -> dict[str, Claim]:
    """Return a session's claim on each of its answers."""
    bodies = [entry.body for entry in entries]
    own = session_claim(session_id, bodies)
    claims: dict[str, Claim] = {}
    for body in bodies:
        if isinstance(body, Assistant) and body.message.id:
            claims.setdefault(body.message.id, own.on_answer(normal_time(body.timestamp)))
    return claims


def _counts(entries: Iterable[Entry]) -> dict[str, ModelUsage]:
    """Return the largest count of each answer."""
    found: dict[str, list[Assistant]] = {}
    for entry in entries:
        body = entry.body
        if isinstance(body, Assistant) and body.message.id and body.message.usage:
            found.setdefault(body.message.id, []).append(body)
    counts = {name: _count(fragments) for name, fragments in found.items()}
    return {name: count for name, count in counts.items() if count is not None}


def _count(fragments: list[Assistant]) -> ModelUsage | None:
    is_whole = any(body.message.stop_reason for body in fragments)
    return usage_of_fragments(fragments, make_quality(is_lower_bound=not is_whole))


def _largest_copies(names: Iterable[str], others: Iterable[Survey]) -> dict[str, ModelUsage]:
    """Return the largest count that other sessions have of answers."""
    found: dict[str, list[tuple[ModelUsage, Claim]]] = {}
    for name in names:
        for other in others:
            if name in other.counts:
                found.setdefault(name, []).append((other.counts[name], other.claims[name]))
    return {name: min(copies, key=_by_size)[0] for name, copies in found.items()}


def _by_size(copy: tuple[ModelUsage, Claim]) -> tuple[int, int, Claim]:
    usage, claim = copy
    return -usage.output_tokens, -total_tokens(usage), claim


def _session_entries(material: Material) -> Iterator[Entry]:
    for transcript in material.transcripts:
        if transcript.kind is TranscriptKind.SESSION:
            yield from transcript.entries


def _find_at(path: Path) -> tuple[SessionFiles, list[SourceFile]]:
    files = discover(path).files
    sessions = group_sessions(files)
    if path.is_file():
        own = [s for s in sessions if any(f.path == path.absolute() for f in s.files)]
        sessions, files = own or sessions, discover(path.absolute().parent).files
    if len(sessions) != 1:
        raise SeveralSessionsError(path, len(sessions))
    return _find_in_root(sessions[0]) or (sessions[0], files)


def _find_in_root(session: SessionFiles) -> tuple[SessionFiles, list[SourceFile]] | None:
    """Find a session again among all files of the root that its transcript is in.

    Its agents may be in the folder of another project, as those of worktrees are.
    """
    own = session.files[0]
    root = find_root_above(own.path) if own.kind is FileKind.SESSION else None
    if root is None:
        return None
    files = discover(root).files
    for whole in group_sessions(files):
        if any((file.device, file.inode) == (own.device, own.inode) for file in whole.files):
            return whole, files
    return None


def _rank(file: SourceFile) -> tuple[int, str]:
    return (0 if file.kind is FileKind.SESSION else 1, file.relative)


def _transcript(file: SourceFile, opened: Opener) -> Transcript:
    name = file.path.name.removesuffix(".jsonl")
    return Transcript(
        name,
        _KINDS[file.kind],
        tuple(_entries(file, opened)),
        file.agent_id or "",
        file.workflow_id or "",
        file.relative,
    )


def _entries(file: SourceFile, opened: Opener) -> Iterator[Entry]:
    return decode_all(split_lines(opened(file), file.relative))


def _content(file: SourceFile, opened: Opener) -> bytes:
    if opened is read_chunks:
        return read_sidecar(file.path, _SIDECAR_LIMIT)
    pieces, left = [], _SIDECAR_LIMIT
    for piece in opened(file):
        pieces.append(piece[:left])
        left -= len(piece)
        if left <= 0:
            break
    return b"".join(pieces)


def session_in(file: SourceFile) -> str:
    """Return the session of a flat agent file from its first rows; empty if none states it."""
    if file.kind not in _KINDS:
        return ""
    for line in read_lines(file.path):
        for entry in decode(line):
            if isinstance(entry.body, Row | Marker) and entry.body.session_id:
                return entry.body.session_id
    return ""


def _linking_ids(material: Material) -> list[bytes]:
    """A few of the ids that tie a session to others, as they are in the bytes."""
    entries = list(_session_entries(material))
    answers = [e.body.message.id for e in entries if isinstance(e.body, Assistant)]
    rows = [e.body.uuid for e in entries if isinstance(e.body, Row)]
    lost = list(_lost_parents(material))
    names = [*answers[:_LINKING_IDS], *rows[:_LINKING_IDS], *lost[:_LINKING_IDS]]
    ids = [*names, material.session_id, _teammate_name(material)]
    return [b'"' + name.encode() + b'"' for name in ids if name]


def _mentions(path: Path, ids: list[bytes]) -> bool:
    try:
        with path.open("rb") as stream, _mapped(stream.fileno()) as data:
            return any(data.find(name) >= 0 for name in ids)
    except (OSError, ValueError):
        return False


def _mapped(descriptor: int) -> mmap.mmap:
    return mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ)
