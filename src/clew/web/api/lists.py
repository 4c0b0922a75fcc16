"""Lists over everything: projects, tool calls, agent runs, files."""

from collections.abc import Callable, Iterable
from typing import Annotated, TypeVar

from litestar import Response, get
from litestar.params import QueryParameter

from clew.archive import Filters, Order
from clew.errors import UsageError
from clew.store import SORTS
from clew.web.answers import Asked, answer_json
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
    archive = shelf_of(request).archive

    def make() -> ProjectList:
        page, following = _page(archive.projects, filters, _order("projects", sort, cut), cut)
        return ProjectList(projects=page, next_cursor=following)

    return answer_json(request, shelf_of(request), shelf_of(request).held_version(), make)


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
    archive = shelf_of(request).archive

    def make() -> ToolCallList:
        page, following = _page(archive.tool_calls, filters, _order("tool_calls", sort, cut), cut)
        return ToolCallList(tool_calls=page, next_cursor=following)

    return answer_json(request, shelf_of(request), shelf_of(request).held_version(), make)


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
    archive = shelf_of(request).archive

    def make() -> AgentRunList:
        page, following = _page(archive.agent_runs, filters, _order("agent_runs", sort, cut), cut)
        return AgentRunList(agent_runs=page, next_cursor=following)

    return answer_json(request, shelf_of(request), shelf_of(request).held_version(), make)


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
    archive = shelf_of(request).archive

    def make() -> FileList:
        page, following = _page(archive.files, filters, _order("files", sort, cut), cut)
        return FileList(files=page, next_cursor=following)

    return answer_json(request, shelf_of(request), shelf_of(request).held_version(), make)


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
    archive = shelf_of(request).archive

    def make() -> FileUseList:
        found = list(archive.file_uses(path, filters, _order("files", "when", cut)))
        page, following = cut.take(found)
        return FileUseList(path=path, uses=page, next_cursor=following)

    return answer_json(request, shelf_of(request), shelf_of(request).held_version(), make)


def _page(
    find: Callable[[Filters, Order], Iterable[T]], filters: Filters, order: Order, cut: Cut
) -> tuple[tuple[T, ...], str | None]:
    return cut.take(list(find(filters, order)))


def _order(what: str, sort: str, cut: Cut) -> Order:
    """Ask for one more than the page takes, which tells whether there is another page."""
    if sort not in SORTS[what]:
        raise UsageError(f"there is no order {sort!r}; it is one of {', '.join(SORTS[what])}")
    return Order(sort, cut.start + cut.limit + 1)
