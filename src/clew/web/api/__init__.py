"""The API: the archive as JSON, under `/api`."""

from clew.web.api.events import events, session_events
from clew.web.api.health import health
from clew.web.api.lists import agent_runs, file_uses, files, projects, tool_calls
from clew.web.api.search import find
from clew.web.api.session import (
    conversation,
    facts,
    message,
    message_lines,
    messages,
    page,
    section,
    session,
    session_agent_runs,
    session_tool_calls,
    transcript,
    transcripts,
)
from clew.web.api.sessions import sessions
from clew.web.api.usage import usage

__all__ = ["HANDLERS"]

HANDLERS = (
    health,
    projects,
    sessions,
    session,
    conversation,
    page,
    section,
    messages,
    message,
    message_lines,
    session_tool_calls,
    session_agent_runs,
    facts,
    transcripts,
    transcript,
    tool_calls,
    agent_runs,
    files,
    file_uses,
    find,
    usage,
    events,
    session_events,
)
