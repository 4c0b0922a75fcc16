"""The kinds of files that Claude Code leaves behind."""

from enum import StrEnum
from typing import Final


class FileKind(StrEnum):
    """The kind of a file, by its path."""

    SESSION = "session"
    AGENT = "agent"
    COMPACTION_AGENT = "compaction_agent"
    SUGGESTION_AGENT = "suggestion_agent"
    SIDE_QUESTION_AGENT = "side_question_agent"
    WORKFLOW_AGENT = "workflow_agent"
    JOURNAL = "journal"
    META = "meta"
    WORKFLOW = "workflow"
    WORKFLOW_SCRIPT = "workflow_script"
    TOOL_RESULT = "tool_result"
    TITLE = "title"
    ARCHIVED = "archived"
    RESUME_CACHE = "resume_cache"
    INDEX = "index"
    MEMORY = "memory"
    HISTORY = "history"
    PLAN = "plan"
    TODO = "todo"
    TASK = "task"
    FILE_HISTORY = "file_history"
    TEAM = "team"
    JOB = "job"
    PASTE = "paste"
    IMAGE = "image"
    UPLOAD = "upload"
    STATS = "stats"
    DEBUG = "debug"
    OTHER = "other"


AGENT_KINDS: Final = frozenset(
    {
        FileKind.AGENT,
        FileKind.COMPACTION_AGENT,
        FileKind.SUGGESTION_AGENT,
        FileKind.SIDE_QUESTION_AGENT,
        FileKind.WORKFLOW_AGENT,
    }
)
TRANSCRIPT_KINDS: Final = AGENT_KINDS | {FileKind.SESSION}
SESSION_KINDS: Final = frozenset(FileKind) - {
    FileKind.RESUME_CACHE,
    FileKind.INDEX,
    FileKind.MEMORY,
    FileKind.HISTORY,
    FileKind.TEAM,
    FileKind.PASTE,
    FileKind.STATS,
}
"""What belongs to one session: other kinds mix sessions or projects, or are a cache."""
