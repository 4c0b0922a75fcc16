"""The API: the archive as JSON, under `/api`."""

from clew.web.api.agents import agents
from clew.web.api.blame import blame
from clew.web.api.changes import changes, file_at, file_versions
from clew.web.api.context import session_context
from clew.web.api.events import events, session_events
from clew.web.api.export import export_contents
from clew.web.api.health import health
from clew.web.api.insight import compare, lessons, permissions
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
from clew.web.api.live import live_sessions
from clew.web.api.notes import NOTE_ROUTES
from clew.web.api.palette import palette, session_around
from clew.web.api.resume import open_resumed, resume
from clew.web.api.session import (
    conversation,
    digest,
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
from clew.web.api.settings import settings
from clew.web.api.suggest import suggest
from clew.web.api.usage import cache_usage, usage
from clew.web.api.whole_session import raw_file, raw_files, session_stats, session_transcript

__all__ = ["HANDLERS", "LOCAL_HANDLERS"]

HANDLERS = (
    health,
    live_sessions,
    projects,
    sessions,
    session,
    conversation,
    digest,
    page_frame,
    page_section,
    messages,
    message,
    message_lines,
    session_tool_calls,
    session_agent_runs,
    agents,
    resume,
    facts,
    session_context,
    changes,
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
    file_versions,
    file_at,
    search,
    palette,
    session_around,
    suggest,
    usage,
    cache_usage,
    permissions,
    lessons,
    compare,
    export_contents,
    settings,
    events,
    session_events,
    NOTE_ROUTES,
)
LOCAL_HANDLERS = (blame, open_resumed)
"""What only the app of one's own machine has: a team server has no repositories, no terminals."""
