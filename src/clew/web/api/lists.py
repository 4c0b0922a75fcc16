"""Lists: sessions, projects, tool calls, agent runs, files, and search hits."""

import datetime as dt
from typing import Annotated

import msgspec
from litestar import Response
from litestar.params import QueryParameter

from clew.clock import LocalZone
from clew.store import AgentRunOverview, FileUse, ToolCallOverview
from clew.web.api.routes import Sort, json_route, read_order, respond_list
from clew.web.api.schemas import (
    AgentRunList,
    FileList,
    FileUseList,
    HitList,
    ProjectList,
    SessionList,
    ToolCallList,
)
from clew.web.params import Flag, Id, PageParam, TheFilters, make_cursor
from clew.web.responses import AppRequest, respond_json
from clew.web.session_query import SessionQueryParam, find_sessions
from clew.web.state import archived_session_of, cache_of

Path = Annotated[str, QueryParameter(min_length=1, max_length=4096, description="A file's path.")]
Text = Annotated[str, QueryParameter(min_length=1, max_length=1000)]


@json_route("/api/sessions", "sessions", "sessions", SessionList, "Sessions")
def sessions(
    request: AppRequest, session_query: SessionQueryParam, page: PageParam
) -> Response[bytes]:
    """List sessions, the latest first."""
    cache = cache_of(request)
    catalogue = cache.catalogue()

    def make() -> SessionList:
        found, hidden = find_sessions(cache, catalogue, session_query)
        items, cursor = page.take(found)
        cache.note_titles(session.id for session in items)
        return SessionList(sessions=items, total=len(found), hidden=hidden, next_cursor=cursor)

    return respond_json(request, cache, cache.listed_version(catalogue.version), make)


@json_route("/api/projects", "projects", "projects", ProjectList, "Projects")
def projects(
    request: AppRequest, filters: TheFilters, page: PageParam, sort: Sort = "when"
) -> Response[bytes]:
    """List projects, the one worked on last first."""
    order = read_order("projects", sort, page)
    return respond_list(
        request,
        page,
        lambda archive: archive.projects(filters, order),
        lambda items, cursor: ProjectList(projects=items, next_cursor=cursor),
    )


@json_route("/api/tool-calls", "toolCalls", "tool calls", ToolCallList, "Tool calls")
def tool_calls(
    request: AppRequest, filters: TheFilters, page: PageParam, sort: Sort = "when"
) -> Response[bytes]:
    """List tool calls, the latest first."""
    cache, order = cache_of(request), read_order("tool_calls", sort, page)

    def make(items: tuple[ToolCallOverview, ...], cursor: str | None) -> ToolCallList:
        cache.note_listed(tool_call.session_id for tool_call in items)
        return ToolCallList(tool_calls=items, next_cursor=cursor)

    return respond_list(
        request,
        page,
        lambda archive: archive.tool_calls(filters, order),
        make,
        cache.listed_version(),
    )


@json_route("/api/agent-runs", "agentRuns", "agent runs", AgentRunList, "Agent runs")
def agent_runs(
    request: AppRequest, filters: TheFilters, page: PageParam, sort: Sort = "when"
) -> Response[bytes]:
    """List agent runs, the latest first."""
    cache, order = cache_of(request), read_order("agent_runs", sort, page)

    def make(items: tuple[AgentRunOverview, ...], cursor: str | None) -> AgentRunList:
        cache.note_listed(agent_run.session_id for agent_run in items)
        return AgentRunList(agent_runs=items, next_cursor=cursor)

    return respond_list(
        request,
        page,
        lambda archive: archive.agent_runs(filters, order),
        make,
        cache.listed_version(),
    )


@json_route("/api/files", "files", "files", FileList, "Files")
def files(
    request: AppRequest, filters: TheFilters, page: PageParam, sort: Sort = "when"
) -> Response[bytes]:
    """List files that were read or changed, the latest first."""
    order = read_order("files", sort, page)
    return respond_list(
        request,
        page,
        lambda archive: archive.files(filters, order),
        lambda items, cursor: FileList(files=items, next_cursor=cursor),
    )


@json_route("/api/file-uses", "fileUses", "files", FileUseList, "Sessions that used a file")
def file_uses(
    request: AppRequest, filters: TheFilters, page: PageParam, path: Path
) -> Response[bytes]:
    """List the sessions that read or changed a file: by its path, the end of it, or a folder."""
    cache, order = cache_of(request), page.order()

    def make(items: tuple[FileUse, ...], cursor: str | None) -> FileUseList:
        cache.note_titles(use.session_id for use in items)
        return FileUseList(path=path, uses=items, next_cursor=cursor)

    return respond_list(
        request,
        page,
        lambda archive: archive.file_uses(path, filters, order),
        make,
        cache.listed_version(),
    )


@json_route(
    "/api/sessions/{session_id:str}/tool-calls",
    "sessionToolCalls",
    "tool calls",
    ToolCallList,
    "Tool calls",
)
def session_tool_calls(request: AppRequest, session_id: Id, page: PageParam) -> Response[bytes]:
    """List a session's tool calls, the latest first."""
    cache, version = archived_session_of(request, session_id)
    filters, order = cache.session_filter(session_id), page.order()
    return respond_list(
        request,
        page,
        lambda archive: archive.tool_calls(filters, order),
        lambda items, cursor: ToolCallList(tool_calls=items, next_cursor=cursor),
        version,
    )


@json_route(
    "/api/sessions/{session_id:str}/agent-runs",
    "sessionAgentRuns",
    "agent runs",
    AgentRunList,
    "Agent runs",
)
def session_agent_runs(request: AppRequest, session_id: Id, page: PageParam) -> Response[bytes]:
    """List a session's agent runs, the latest first, hidden ones included."""
    cache, version = archived_session_of(request, session_id)
    filters, order = cache.session_filter(session_id), page.order(with_hidden=True)
    return respond_list(
        request,
        page,
        lambda archive: archive.agent_runs(filters, order),
        lambda items, cursor: AgentRunList(agent_runs=items, next_cursor=cursor),
        version,
    )


@json_route("/api/search", "search", "search", HitList, "Hits, the best first")
def search(
    request: AppRequest,
    q: Text,
    filters: TheFilters,
    page: PageParam,
    *,
    with_hidden: Flag = False,
) -> Response[bytes]:
    """Find words, "phrases", prefix*, -not, OR, /regex/i and filters such as `tool:Bash`."""
    cache = cache_of(request)
    now = dt.datetime.now(LocalZone())

    def make() -> HitList:
        found = cache.archive.search(
            q,
            now=now,
            limit=page.limit,
            offset=page.start,
            with_hidden=with_hidden,
            filters=filters,
        )
        following = found.next_offset
        cursor = None if following is None else make_cursor(following)
        return HitList(**msgspec.structs.asdict(found), next_cursor=cursor)

    # A query may contain `after:12h`, so that a response is valid for a minute only.
    version = f"{cache.catalogue_version()}-{now:%Y%m%d%H%M}"
    return respond_json(request, cache, version, make)
