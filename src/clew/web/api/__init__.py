"""The API: the archive as JSON, under `/api`."""

from clew.web.api.events import events, session_events
from clew.web.api.health import health
from clew.web.api.lists import (
    agent_runs,
    file_uses,
    files,
    projects,
    search,
    session_agent_runs,
    session_tool_calls,
    sessions,
    tool_calls,
)
from clew.web.api.session import (
    conversation,
    facts,
    message,
    message_lines,
    messages,
    page_frame,
    page_section,
    session,
    transcript,
    transcripts,
)
from clew.web.api.usage import usage
from clew.web.api.whole_session import raw_file, raw_files, session_stats, session_transcript

__all__ = ["HANDLERS"]

HANDLERS = (
    health,
    projects,
    sessions,
    session,
    conversation,
    page_frame,
    page_section,
    messages,
    message,
    message_lines,
    session_tool_calls,
    session_agent_runs,
    facts,
    transcripts,
    transcript,
    session_transcript,
    raw_files,
    raw_file,
    session_stats,
    tool_calls,
    agent_runs,
    files,
    file_uses,
    search,
    usage,
    events,
    session_events,
)
