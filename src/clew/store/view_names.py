"""The views that queries have besides tables, in the order in which they are made."""

from typing import Final

VIEWS: Final = (
    "command",
    "edit",
    "file_read",
    "web_fetch",
    "todo",
    "hook",
    "permission",
    "daily_cost",
    "session_total",
    "transcript_message",
    "content_block",
)
"""Views that are no tables; `tool_call` is both, and has more columns as a view."""
