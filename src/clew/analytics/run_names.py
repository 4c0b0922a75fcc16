"""The names of agents whose runs are counted from the files alone."""

from typing import Final

from clew.analytics.facts import agent_name
from clew.analytics.file_scan import FileScan
from clew.analytics.sums import CountedCall
from clew.conversation import build
from clew.entries import decode_meta
from clew.sessions import SessionFiles, gather, group_sessions
from clew.source import FileKind, SourceFile, read_sidecar

ANY_AGENT: Final = "(agent)"
_META_LIMIT: Final = 1 << 20
_WARMUP: Final = "(warmup)"
_KINDS: Final = {
    FileKind.COMPACTION_AGENT: "(compaction)",
    FileKind.SUGGESTION_AGENT: "(suggestion)",
    FileKind.SIDE_QUESTION_AGENT: "(side_question)",
}


class RunNames:
    """Finds the name of a run's agent.

    It is in the file beside the run's transcript or in its rows, else in the call that started
    it: for that the whole session must be read.
    """

    def __init__(self, files: list[SourceFile], scans: list[FileScan]) -> None:
        self._files = files
        self._names = _stated_names(files, scans)
        self._sessions: dict[str, SessionFiles] | None = None
        self._read: dict[str, dict[str, str]] = {}

    def of(self, session_id: str, call: CountedCall) -> str:
        """Return the name of the agent that made a call."""
        stated = self._names.get((session_id, call.run))
        if stated:
            return stated
        if session_id not in self._read:
            self._read[session_id] = self._read_names(session_id)
        return self._read[session_id].get(call.name.partition("#")[0], ANY_AGENT)

    def _read_names(self, session_id: str) -> dict[str, str]:
        """Return the agent of each answer that a run made."""
        if self._sessions is None:
            self._sessions = {own.session_id: own for own in group_sessions(self._files)}
        files = self._sessions.get(session_id)
        if files is None:
            return {}
        conversation = build(gather(files))
        runs = {run.id: agent_name(run) for run in conversation.agent_runs}
        return {
            message.id: runs[message.agent_run_id]
            for message in conversation.messages
            if message.agent_run_id in runs
        }


def _stated_names(files: list[SourceFile], scans: list[FileScan]) -> dict[tuple[str, str], str]:
    metas = {(f.session_id, f.agent_id): f for f in files if f.kind is FileKind.META}
    kinds = {str(file.path): file.kind for file in files}
    names = {}
    for scan in scans:
        if not scan.run:
            continue
        meta = metas.get((scan.session_id, scan.run))
        name = decode_meta(read_sidecar(meta.path, _META_LIMIT)).agent_type if meta else ""
        kind = _KINDS.get(kinds[scan.path]) or (_WARMUP if scan.is_warmup else "")
        names[scan.session_id, scan.run] = name or scan.agent or kind
    return names
