"""How API routes are declared, and how a list is sorted, paged and sent."""

from collections.abc import Callable, Iterable
from typing import Annotated, Any, TypeAlias, TypeVar

from litestar import Response, get
from litestar.handlers.http_handlers.decorators import get as Route  # noqa: N812 (a class)
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import PathParameter, QueryParameter

from clew.archive import Archive, Order
from clew.errors import UsageError
from clew.store import SORTS
from clew.web.errors import ErrorAnswer
from clew.web.params import PageRange
from clew.web.responses import AppRequest, respond_json
from clew.web.state import cache_of

T = TypeVar("T")

Sort: TypeAlias = Annotated[str, QueryParameter(max_length=20, description="Sort order.")]
Number: TypeAlias = Annotated[int, PathParameter(ge=0, le=1_000_000)]


def json_route(path: str, operation_id: str, tag: str, body: Any, description: str) -> Route:
    """Declare a route that responds with JSON, documented with its response and its errors."""
    return get(
        path,
        sync_to_thread=True,
        tags=[tag],
        operation_id=operation_id,
        responses=documented(body, description),
    )


def documented(body: Any, description: str) -> dict[int, ResponseSpec]:
    """Describe the responses of a route: its body, and its errors."""
    return {
        200: ResponseSpec(body, description=description, generate_examples=False),
        400: ResponseSpec(ErrorAnswer, description="Bad request", generate_examples=False),
        404: ResponseSpec(ErrorAnswer, description="Not found", generate_examples=False),
        409: ResponseSpec(
            ErrorAnswer, description="Several sessions match", generate_examples=False
        ),
        503: ResponseSpec(ErrorAnswer, description="No archive yet", generate_examples=False),
    }


def documented_bytes() -> dict[int, ResponseSpec]:
    """Describe the responses of a route that sends a file."""
    file = ResponseSpec(
        bytes, description="The file's bytes", generate_examples=False, media_type="*/*"
    )
    return {**documented(bytes, ""), 200: file}


def respond_list(
    request: AppRequest,
    page: PageRange,
    find: Callable[[Archive], Iterable[T]],
    make: Callable[[tuple[T, ...], str | None], object],
    version: str = "",
) -> Response[bytes]:
    """Respond with one page of a list; `make` gets its items and the cursor of the next page.

    The version is that of the whole archive unless the list is of one session.
    """
    cache = cache_of(request)
    return respond_json(
        request,
        cache,
        version or cache.catalogue_version(),
        lambda: make(*page.take(find(cache.archive))),
    )


def read_order(kind: str, sort: str, page: PageRange) -> Order:
    """Return the order in which to list things of a kind, up to the end of the page.

    Raises:
        UsageError: They cannot be sorted that way.
    """
    if sort not in SORTS[kind]:
        raise UsageError(f"invalid sort {sort!r}; use one of {', '.join(SORTS[kind])}")
    return page.order(sort)
