"""The tables of a session, and the version of the parser that makes their rows."""

from typing import Final

PARSER_VERSION: Final = 13
SESSION_TABLES: Final = (
    "transcript",
    "old_title",
    "entry",
    "hook_entry",
    "message",
    "block",
    "tool_call",
    "agent_run",
    "thread",
    "turn",
    "epoch",
    "model_call",
    "cache_break",
    "missing_transcript",
    "file_change",
    "git_report",
    "edge",
    "problem",
)
"""The tables with rows of one session, in the order in which they are written."""


def rows_statement(table: str) -> str:
    """Return the name of the statement that reads what a table or view has of some sessions."""
    return "keyed_rows_of_table" if table == "session" else "session_rows_of_table"
