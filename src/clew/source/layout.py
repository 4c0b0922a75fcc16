"""The folder layout of Claude Code: from a path to the kind of file and its owner."""

import re
from collections.abc import Collection, Sequence
from typing import Final

import msgspec

from clew.source.kinds import FileKind


class ClassifiedPath(msgspec.Struct, frozen=True):
    """The kind of a file and its owner, by its path.

    `session_id` is what the file or folder is named after; the lines may say otherwise. An agent
    file directly beside the sessions may belong to any of them, so it has none.
    `project_folder` is the encoded name, which several projects may share: it identifies nothing.
    """

    kind: FileKind
    session_id: str | None = None
    agent_id: str | None = None
    workflow_id: str | None = None
    project_folder: str | None = None


PROJECTS: Final = "projects"
AGENT_FILES: Final = "agent-*.jsonl"
ROOT_MARK: Final = "history.jsonl"
DEFAULT_ROOTS: Final = (".claude", ".config/claude")
ROOTS_VARIABLE: Final = "CLAUDE_CONFIG_DIR"

_MEMORY: Final = "memory"
_META: Final = ".meta.json"
_TRANSCRIPT: Final = ".jsonl"
_UUID: Final = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_is_uuid: Final = re.compile(_UUID, re.IGNORECASE).fullmatch
# A transcript that was moved aside keeps its rows under a longer name.
_ASIDE: Final = r"(?:\.(?:orphaned|superseded).*)?"
_match_transcript: Final = re.compile(rf"(.+?){_ASIDE}\.jsonl{_ASIDE}", re.DOTALL).fullmatch
_match_sure: Final = re.compile(
    rf"(?:{_UUID}|agent-(?:a.+-)?[0-9a-f]{{6,}}){_ASIDE}\.jsonl{_ASIDE}", re.IGNORECASE | re.DOTALL
).fullmatch
_match_encoded: Final = re.compile(r"-.*|[a-z]--.*", re.IGNORECASE | re.DOTALL).fullmatch
_match_todo: Final = re.compile(rf"({_UUID})-agent-(.+)\.json", re.IGNORECASE).fullmatch
_match_debug: Final = re.compile(rf"({_UUID})\.txt", re.IGNORECASE).fullmatch
_search_workflow: Final = re.compile(r"wf_[0-9A-Za-z_-]+$").search
_match_private: Final = re.compile(
    r"\.?credentials\.json.*|\.claude\.json.*|(?:remote-|managed-)?settings.*\.json(?:\..*)?",
    re.IGNORECASE | re.DOTALL,
).fullmatch

# Agents that the client starts by itself carry the reason in their id, before a hex number;
# a user's own agent of such a name has a longer one.
_OWN_AGENTS: Final = (
    (re.compile(r"acompact-[0-9a-f]+").fullmatch, FileKind.COMPACTION_AGENT),
    (re.compile(r"aprompt_suggestion-[0-9a-f]+").fullmatch, FileKind.SUGGESTION_AGENT),
    (re.compile(r"aside_question-[0-9a-f]+").fullmatch, FileKind.SIDE_QUESTION_AGENT),
)

# All that is taken from a root besides its projects. A list of what to take, not of what to leave:
# the folder also contains credentials, settings and snapshots of the shell's environment.
_BESIDE_FOLDERS: Final = {
    "agent-memory": FileKind.MEMORY,
    "debug": FileKind.DEBUG,
    "file-history": FileKind.FILE_HISTORY,
    "image-cache": FileKind.IMAGE,
    "jobs": FileKind.JOB,
    "paste-cache": FileKind.PASTE,
    "plans": FileKind.PLAN,
    "tasks": FileKind.TASK,
    "teams": FileKind.TEAM,
    "todos": FileKind.TODO,
    "uploads": FileKind.UPLOAD,
}
_BESIDE_FILES: Final = {
    ROOT_MARK: FileKind.HISTORY,
    "stats-cache.json": FileKind.STATS,
}
_SESSION_FILES: Final = {
    "custom-title.json": FileKind.TITLE,
    "archived.json": FileKind.ARCHIVED,
    "resume-head.jsonl": FileKind.RESUME_CACHE,
}


def classify(relative_path: str) -> ClassifiedPath:
    """Classify a file by its path alone, without reading the disk.

    Args:
        relative_path: With forward slashes; relative to a root, to a project folder, or to
            anything above them, since a `projects` folder is recognised wherever it is.
    """
    parts = [part for part in relative_path.split("/") if part]
    return _below_projects(parts) or _beside_projects(parts) or _from_tail(parts)


def is_private(name: str) -> bool:
    """Return whether a file of this name contains credentials or settings and must be skipped."""
    return _match_private(name) is not None


def is_listed_beside_projects(name: str) -> bool:
    """Return whether an entry of a root is listed: the projects and files of their sessions."""
    return name == PROJECTS or name in _BESIDE_FOLDERS or name in _BESIDE_FILES


def is_shortcut(folder: Sequence[str], name: str) -> bool:
    """Return whether a link only repeats a file beside it, as `debug/latest` does."""
    return (*folder, name) == ("debug", "latest")


def is_transcript_name(name: str) -> bool:
    """Return whether a file may be a transcript, by the end of its name."""
    return name.endswith(_TRANSCRIPT)


def is_sure_transcript_name(name: str) -> bool:
    """Return whether only Claude Code names files like this: by a UUID or an agent's id."""
    return _match_sure(name) is not None


def is_encoded_folder(name: str) -> bool:
    """Return whether a folder's name looks like an encoded path: `-home-me`, `C--Users-me`."""
    return _match_encoded(name) is not None


def is_session_folder(name: str, beside: Collection[str] = ()) -> bool:
    """Return whether a folder contains a session's sidecars, given the names that are beside it."""
    return _is_uuid(name) is not None or f"{name}{_TRANSCRIPT}" in beside


def is_memory_folder(name: str) -> bool:
    """Return whether a folder of a project contains the client's memory."""
    return name == _MEMORY


def session_folder_name(name: str) -> str:
    """Return the name of the folder where the sidecars of a session file are."""
    found = _match_transcript(name)
    return found[1] if found else name


def meta_name(name: str) -> str:
    """Return the name of the file that describes the agent of an agent file."""
    return f"{session_folder_name(name)}{_META}"


def _below_projects(parts: Sequence[str]) -> ClassifiedPath | None:
    """Read the path from the first `projects` folder where it makes sense, else from the first."""
    starts = [index for index, part in enumerate(parts[:-2]) if part == PROJECTS]
    places = [_in_project(parts[start + 2 :], parts[start + 1]) for start in starts]
    known = [place for place in places if place.kind is not FileKind.OTHER]
    return next(iter(known + places), None)


def _beside_projects(parts: Sequence[str]) -> ClassifiedPath | None:
    match parts:
        case [name] if name in _BESIDE_FILES:
            return ClassifiedPath(_BESIDE_FILES[name])
        case ["todos", name] if found := _match_todo(name):
            # The session's own list is filed under its own id as the agent's.
            agent_id = None if found[1] == found[2] else found[2]
            return ClassifiedPath(FileKind.TODO, found[1], agent_id)
        case ["debug", name] if found := _match_debug(name):
            return ClassifiedPath(FileKind.DEBUG, found[1])
        case [folder, owner, _, *_] if folder in _BESIDE_FOLDERS:
            return ClassifiedPath(_BESIDE_FOLDERS[folder], owner if _is_uuid(owner) else None)
        case [folder, _] if folder in _BESIDE_FOLDERS:
            return ClassifiedPath(_BESIDE_FOLDERS[folder])
        case _:
            return None


def _from_tail(parts: Sequence[str]) -> ClassifiedPath:
    """Read the shortest way down that makes sense, as if it began in a project folder."""
    for start, part in enumerate(parts):
        place = _in_project(parts[start:], parts[start - 1] if start else None)
        if place.kind is not FileKind.OTHER or _is_uuid(part):
            return place
    return ClassifiedPath(FileKind.OTHER)


def _in_project(parts: Sequence[str], project: str | None) -> ClassifiedPath:
    match parts:
        case [name]:
            return _at_top(name, project)
        case ["memory", *_]:
            return ClassifiedPath(FileKind.MEMORY, project_folder=project)
        case [session, "subagents", "workflows", workflow, *_, name]:
            return _among_agents(name, session, workflow, project)
        case [session, "subagents", *_, name]:
            return _among_agents(name, session, None, project)
        case [session, "tool-results", *_, _]:
            return ClassifiedPath(FileKind.TOOL_RESULT, session, project_folder=project)
        case [session, "workflows", "scripts", *_, name]:
            found = _search_workflow(name.partition(".")[0])
            workflow_id = found[0] if found else None
            return ClassifiedPath(FileKind.WORKFLOW_SCRIPT, session, None, workflow_id, project)
        case [session, "workflows", name] if name.endswith(".json"):
            return ClassifiedPath(
                FileKind.WORKFLOW, session, None, name.removesuffix(".json"), project
            )
        case [session, name] if name in _SESSION_FILES:
            return ClassifiedPath(_SESSION_FILES[name], session, project_folder=project)
        case [session, *_] if _is_uuid(session):
            return ClassifiedPath(FileKind.OTHER, session, project_folder=project)
        case _:
            return ClassifiedPath(FileKind.OTHER, project_folder=project)


def _at_top(name: str, project: str | None) -> ClassifiedPath:
    if name == "sessions-index.json":
        return ClassifiedPath(FileKind.INDEX, project_folder=project)
    if (agent := _agent_file(name, None, None, project)) is not None:
        return agent
    if found := _match_transcript(name):
        return ClassifiedPath(FileKind.SESSION, found[1], project_folder=project)
    return ClassifiedPath(FileKind.OTHER, project_folder=project)


def _among_agents(
    name: str, session: str, workflow: str | None, project: str | None
) -> ClassifiedPath:
    if name == "journal.jsonl":
        return ClassifiedPath(FileKind.JOURNAL, session, None, workflow, project)
    agent = _agent_file(name, session, workflow, project)
    return agent or ClassifiedPath(FileKind.OTHER, session, None, workflow, project)


def _agent_file(
    name: str, session: str | None, workflow: str | None, project: str | None
) -> ClassifiedPath | None:
    if not name.startswith("agent-"):
        return None
    name = name.removeprefix("agent-")
    if name.endswith(_META):
        agent_id = name.removesuffix(_META)
        return ClassifiedPath(FileKind.META, session, agent_id, workflow, project)
    if found := _match_transcript(name):
        return ClassifiedPath(_agent_kind(found[1], workflow), session, found[1], workflow, project)
    return None


def _agent_kind(agent_id: str, workflow: str | None) -> FileKind:
    for matches, kind in _OWN_AGENTS:
        if matches(agent_id):
            return kind
    return FileKind.AGENT if workflow is None else FileKind.WORKFLOW_AGENT
