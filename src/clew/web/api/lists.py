"""Lists over everything: projects, tool calls, agent runs, files."""

from typing import Annotated

from litestar import Response, get
from litestar.params import QueryParameter

from clew.archive import Order
from clew.errors import UsageError
from clew.store import SORTS
from clew.web.answers import Asked, answer_json
from clew.web.api.shapes import AgentRunList, FileList, FileUseList, ProjectList, ToolCallList, told
from clew.web.asked import Cut, TheCut, TheFilters
from clew.web.state import shelf_of

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
    shelf, order = shelf_of(request), _order("projects", sort, cut)

    def make() -> ProjectList:
        page, following = cut.take(list(shelf.archive.projects(filters, order)))
        return ProjectList(projects=page, next_cursor=following)

    return answer_json(request, shelf, shelf.held_version(), make)


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
    shelf, order = shelf_of(request), _order("tool_calls", sort, cut)

    def make() -> ToolCallList:
        page, following = cut.take(list(shelf.archive.tool_calls(filters, order)))
        return ToolCallList(tool_calls=page, next_cursor=following)

    return answer_json(request, shelf, shelf.held_version(), make)


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
    shelf, order = shelf_of(request), _order("agent_runs", sort, cut)

    def make() -> AgentRunList:
        page, following = cut.take(list(shelf.archive.agent_runs(filters, order)))
        return AgentRunList(agent_runs=page, next_cursor=following)

    return answer_json(request, shelf, shelf.held_version(), make)


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
    shelf, order = shelf_of(request), _order("files", sort, cut)

    def make() -> FileList:
        page, following = cut.take(list(shelf.archive.files(filters, order)))
        return FileList(files=page, next_cursor=following)

    return answer_json(request, shelf, shelf.held_version(), make)


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
    shelf, order = shelf_of(request), _order("files", "when", cut)

    def make() -> FileUseList:
        page, following = cut.take(list(shelf.archive.file_uses(path, filters, order)))
        return FileUseList(path=path, uses=page, next_cursor=following)

    return answer_json(request, shelf, shelf.held_version(), make)


def _order(what: str, sort: str, cut: Cut) -> Order:
    """Ask for one more than the page takes, which tells whether there is another page."""
    if sort not in SORTS[what]:
        raise UsageError(f"there is no order {sort!r}; it is one of {', '.join(SORTS[what])}")
    return Order(sort, cut.start + cut.limit + 1)
