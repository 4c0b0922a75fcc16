"""Material: all that a conversation is built from, read beforehand, so that building is pure."""

from enum import StrEnum

import msgspec

from clew.conversation.model_usage import ModelUsage
from clew.entries import AgentMeta, Entry, WorkflowRecord


class TranscriptKind(StrEnum):
    """What a transcript contains."""

    SESSION = "session"
    AGENT = "agent"
    COMPACTION = "compaction"
    SUGGESTION = "suggestion"
    SIDE_QUESTION = "side_question"
    WORKFLOW = "workflow"
    JOURNAL = "journal"


class Transcript(msgspec.Struct, frozen=True):
    """One file's entries. `name` is its file name without the ending: it makes ids unique.

    `path` is what its lines call the file.
    """

    name: str
    kind: TranscriptKind
    entries: tuple[Entry, ...]
    agent_id: str = ""
    workflow_id: str = ""
    path: str = ""


class Surroundings(msgspec.Struct, frozen=True):
    """What other sessions know about this one.

    `inherited` maps a message id to the session that owns it; `titles` are old summary rows by the
    uuid they point at. `copies` are what other sessions count of its own answers, where that may
    be more.
    """

    inherited: dict[str, str] = {}
    titles: dict[str, str] = {}
    forked_from: str | None = None
    resumed_from: str | None = None
    teammate_of: str | None = None
    copies: dict[str, ModelUsage] = {}


class Material(msgspec.Struct, frozen=True):
    """A session's transcripts and sidecars."""

    session_id: str
    transcripts: tuple[Transcript, ...]
    metas: dict[str, AgentMeta] = {}
    workflows: dict[str, WorkflowRecord] = {}
    tool_results: dict[str, str] = {}
    custom_title: str | None = None
    surroundings: Surroundings = Surroundings()
