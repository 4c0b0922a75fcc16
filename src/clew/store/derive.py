"""A session's files → its rows: the whole of them, or only the end where that is all that changed.

Both ways give the same rows: what the second one cannot be sure of, it leaves to the first.
"""

import re
from typing import Final

import msgspec

from clew.conversation import Conversation, Material, Transcript, TranscriptKind, build
from clew.entries import decode_all
from clew.sessions import SessionFiles, gather
from clew.source import TRANSCRIPT_KINDS, FileKind, SourceFile, split_lines
from clew.store.blobs import FolderBlobs
from clew.store.content import Held
from clew.store.cut import FIRST_BYTES, GROWN_BYTES, STEP_BYTES, find_cut, main_transcript
from clew.store.fits import fits, is_apart
from clew.store.past import Cut, Known, Past
from clew.store.place import Whole
from clew.store.queued import queue_operations
from clew.store.rows import SessionRows, to_rows
from clew.store.tail import rows_after

_TRANSCRIPTS: Final = TRANSCRIPT_KINDS | {FileKind.JOURNAL}
_WHOLE_ONLY: Final = (FileKind.WORKFLOW, FileKind.TITLE)


class Derived(msgspec.Struct):
    """Rows, the past that they stand behind if they are only an end, and where to cut next."""

    rows: SessionRows
    entries: int
    since: Past | None = None
    cut: Cut | None = None


def derive(session_id: str, files: list[Held], blobs: FolderBlobs, known: Known | None) -> Derived:
    """Give a session's rows, those of its end alone if the rest stays as it is."""
    end = None if known is None else _derive_end(session_id, files, blobs, known)
    return end or _derive_whole(session_id, files, blobs)


def _derive_whole(session_id: str, files: list[Held], blobs: FolderBlobs) -> Derived:
    material = _gather(session_id, files, blobs)
    conversation = build(material)
    rows = to_rows(material, conversation)
    # What has grown once is likely to grow again.
    worth = GROWN_BYTES if any(held.has_grown for held in files) else FIRST_BYTES
    main = main_transcript(material)
    cut = None
    if main is not None and main.entries and main.entries[-1].offset > worth:
        queued = queue_operations(main.entries)
        cut = find_cut(Whole(material, main, conversation, rows, queued), worth)
    return Derived(rows, count_entries(material), None, cut)


def _gather(session_id: str, files: list[Held], blobs: FolderBlobs) -> Material:
    content = {held.source.path: held.content for held in files}
    session = SessionFiles(session_id, tuple(held.source for held in files))
    return gather(session, lambda file: content[file.path].read(blobs))


def count_entries(material: Material) -> int:
    """Count the entries that were decoded."""
    return sum(len(transcript.entries) for transcript in material.transcripts)


def _derive_end(
    session_id: str, files: list[Held], blobs: FolderBlobs, known: Known
) -> Derived | None:
    """Give the rows of a session's end, or None when the whole is needed."""
    past = known.past
    if not _is_growth(files, past):
        return None
    material = _gather_end(session_id, files, blobs, past)
    conversation = build(material)
    wanted = _wanted(conversation)
    results = [held for held in files if held.source.kind is FileKind.TOOL_RESULT]
    if any(held.is_changed and held.source.path.name not in wanted for held in results):
        return None
    shown = [held for held in results if held.source.path.name in wanted]
    if shown:
        texts = _gather(session_id, shown, blobs).tool_results
        material = msgspec.structs.replace(material, tool_results=texts)
        conversation = build(material)
    if not fits(past, material, conversation):
        return None
    if not is_apart(known.names, known.said, material, conversation):
        return None
    rows = rows_after(past, material, conversation, known.session)
    main = material.transcripts[0]
    queued = queue_operations(main.entries)
    whole = Whole(material, main, conversation, rows, queued, past, known.names, known.said)
    cut = find_cut(whole, STEP_BYTES)
    return Derived(rows, count_entries(material), past, cut)


def _is_growth(files: list[Held], past: Past) -> bool:
    """Tell whether all that changed are transcripts that grew, and what stands beside them."""
    paths = tuple(h.source.relative for h in files if h.source.kind in _TRANSCRIPTS)
    agents = {h.source.agent_id for h in files if h.source.relative in past.agents}
    return paths == past.transcripts and all(
        _may_change(held, past, agents) for held in files if held.is_changed
    )


def _may_change(held: Held, past: Past, agents: set[str | None]) -> bool:
    source = held.source
    if source.kind in _TRANSCRIPTS:
        return held.has_grown and source.relative in (past.path, *past.agents)
    if source.kind is FileKind.META:
        return source.agent_id in agents
    return source.kind not in _WHOLE_ONLY


def _gather_end(session_id: str, files: list[Held], blobs: FolderBlobs, past: Past) -> Material:
    """Read a session's transcript from the cut on, and whole what belongs to the tail."""
    agents = {h.source.agent_id for h in files if h.source.relative in past.agents}
    own = [held for held in files if _belongs(held.source, past, agents)]
    others = _gather(session_id, own, blobs)
    main = next(h for h in files if h.source.relative == past.path)
    pieces = main.content.read(blobs, past.offset)
    lines = split_lines(pieces, past.path, offset=past.offset, number=past.line)
    transcript = Transcript(
        main.source.path.name.removesuffix(".jsonl"),
        TranscriptKind.SESSION,
        tuple(decode_all(lines)),
        path=past.path,
    )
    return msgspec.structs.replace(others, transcripts=(transcript, *others.transcripts))


def _belongs(source: SourceFile, past: Past, agents: set[str | None]) -> bool:
    is_meta = source.kind is FileKind.META and source.agent_id in agents
    return is_meta or source.relative in past.agents


def _wanted(conversation: Conversation) -> set[str]:
    """Give the names of files in which long results of calls may stand."""
    paths = (call.persisted_path for call in conversation.tool_calls if call.persisted_path)
    names = {re.split(r"[/\\]", path)[-1] for path in paths}
    return names | {f"{call.id}.txt" for call in conversation.tool_calls}
