"""Lists over everything: projects, tool calls, agent runs, files."""

from collections.abc import Callable, Iterable
from typing import Annotated, TypeVar

from litestar import Response, get
from litestar.params import QueryParameter

from clew.archive import Archive, Order
from clew.errors import UsageError
from clew.store import SORTS
from clew.web.answers import Asked, answer_list
from clew.web.api.shapes import AgentRunList, FileList, FileUseList, ProjectList, ToolCallList, told
from clew.web.asked import Cut, TheCut, TheFilters
from clew.web.state import shelf_of

T = TypeVar("T")
Sort = Annotated[str, QueryParameter(max_length=20, description="What comes first.")]
Path = Annotated[str, QueryParameter(min_length=1, max_length=4096, description="A file's path.")]


@get(
    "/api/projects",
    sync_to_thread=True,
    tags=["projects"],
    operation_id="projects",
    responses=told(ProjectList, "Projects"),
)
def projects(
    request: Asked,
    filters: TheFilters,
    cut: TheCut,
    sort: Sort = "when",
) -> Response[bytes]:
    """List projects, the one worked on last first."""
    order = _order("projects", sort, cut)
    return _answer(
        request,
        cut,
        lambda archive: archive.projects(filters, order),
        lambda page, cursor: ProjectList(projects=page, next_cursor=cursor),
    )


@get(
    "/api/tool-calls",
    sync_to_thread=True,
    tags=["tool calls"],
    operation_id="toolCalls",
    responses=told(ToolCallList, "Tool calls"),
)
def tool_calls(
    request: Asked,
    filters: TheFilters,
    cut: TheCut,
    sort: Sort = "when",
) -> Response[bytes]:
    """List tool calls, the latest first."""
    order = _order("tool_calls", sort, cut)
    return _answer(
        request,
        cut,
        lambda archive: archive.tool_calls(filters, order),
        lambda page, cursor: ToolCallList(tool_calls=page, next_cursor=cursor),
    )


@get(
    "/api/agent-runs",
    sync_to_thread=True,
    tags=["agent runs"],
    operation_id="agentRuns",
    responses=told(AgentRunList, "Agent runs"),
)
def agent_runs(
    request: Asked,
    filters: TheFilters,
    cut: TheCut,
    sort: Sort = "when",
) -> Response[bytes]:
    """List agent runs, the latest first."""
    order = _order("agent_runs", sort, cut)
    return _answer(
        request,
        cut,
        lambda archive: archive.agent_runs(filters, order),
        lambda page, cursor: AgentRunList(agent_runs=page, next_cursor=cursor),
    )


@get(
    "/api/files",
    sync_to_thread=True,
    tags=["files"],
    operation_id="files",
    responses=told(FileList, "Files"),
)
def files(
    request: Asked,
    filters: TheFilters,
    cut: TheCut,
    sort: Sort = "when",
) -> Response[bytes]:
    """List files that were read or changed, the latest first."""
    order = _order("files", sort, cut)
    return _answer(
        request,
        cut,
        lambda archive: archive.files(filters, order),
        lambda page, cursor: FileList(files=page, next_cursor=cursor),
    )


@get(
    "/api/file-uses",
    sync_to_thread=True,
    tags=["files"],
    operation_id="fileUses",
    responses=told(FileUseList, "Uses of a file"),
)
def file_uses(
    request: Asked,
    filters: TheFilters,
    cut: TheCut,
    path: Path,
) -> Response[bytes]:
    """List which sessions read or changed a file: by its path, the end of one, or its folder."""
    order = _order("files", "when", cut)
    return _answer(
        request,
        cut,
        lambda archive: archive.file_uses(path, filters, order),
        lambda page, cursor: FileUseList(path=path, uses=page, next_cursor=cursor),
    )


def _answer(
    request: Asked,
    cut: Cut,
    find: Callable[[Archive], Iterable[T]],
    tell: Callable[[tuple[T, ...], str | None], object],
) -> Response[bytes]:
    shelf = shelf_of(request)
    return answer_list(request, shelf, shelf.held_version(), cut, lambda: find(shelf.archive), tell)


def _order(what: str, sort: str, cut: Cut) -> Order:
    if sort not in SORTS[what]:
        raise UsageError(f"there is no order {sort!r}; it is one of {', '.join(SORTS[what])}")
    return cut.order(sort)
