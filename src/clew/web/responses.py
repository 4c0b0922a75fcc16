"""Responses: rendered once per version of the data, compressed once, with an ETag."""

import gzip
import hashlib
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias
from urllib.parse import parse_qsl

import msgspec
from litestar import Request, Response

from clew.archive import FilterSet
from clew.web.cache import ArchiveCache
from clew.web.state import cache_of

AppRequest: TypeAlias = Request[Any, Any, Any]

JSON: Final = "application/json"
_MIN_COMPRESSED: Final = 1_000
_NOT_MODIFIED: Final = 304
_FAST: Final = 5


class ResponseBody(msgspec.Struct, frozen=True, gc=False):
    """A response body, compressed unless it is short."""

    content: bytes
    is_gzip: bool = False


def compress(plain: bytes) -> ResponseBody:
    """Compress a response body once for all requests."""
    if len(plain) < _MIN_COMPRESSED:
        return ResponseBody(plain)
    return ResponseBody(gzip.compress(plain, _FAST, mtime=0), is_gzip=True)


def respond(
    request: AppRequest,
    cache: ArchiveCache,
    version: str,
    make: Callable[[], bytes],
    media_type: str = JSON,
    headers: Mapping[str, str] | None = None,
) -> Response[bytes]:
    """Respond with the bytes that `make` returns, or with 304 when the client has them.

    The body is cached under the request's URL until the version changes.
    """
    key = ("body", path_and_query(request))
    return respond_body(
        request,
        version,
        lambda: cache.get_or_make(key, version, lambda: compress(make())),
        media_type,
        headers,
    )


def respond_body(
    request: AppRequest,
    version: str,
    get_body: Callable[[], ResponseBody],
    media_type: str = JSON,
    headers: Mapping[str, str] | None = None,
) -> Response[bytes]:
    """Respond with a body of this version, or with 304 when the client has it."""
    tag = _tag(f"{cache_of(request).viewer} {path_and_query(request)}", version)
    if tag in request.headers.get("if-none-match", ""):
        return Response(b"", status_code=_NOT_MODIFIED, headers={"etag": tag})
    return _respond(request, get_body(), media_type, {**(headers or {}), "etag": tag})


def respond_json(
    request: AppRequest, cache: ArchiveCache, version: str, make: Callable[[], object]
) -> Response[bytes]:
    """Respond with a struct as JSON."""
    return respond(request, cache, version, lambda: msgspec.json.encode(make()))


def respond_uncached(request: AppRequest, plain: bytes, media_type: str = JSON) -> Response[bytes]:
    """Respond with bytes that are not cached."""
    return _respond(request, compress(plain), media_type, {})


def query_params(request: AppRequest) -> list[tuple[str, str]]:
    """Return the query parameters as they were sent, without empty ones."""
    return parse_qsl(request.scope["query_string"].decode("latin-1"))


def filter_params(request: AppRequest) -> list[tuple[str, str]]:
    """Return the filters among the query parameters, and their time zone, as they were sent."""
    names = {*FilterSet.__struct_fields__, "tz"}
    return [pair for pair in query_params(request) if pair[0] in names]


def path_and_query(request: AppRequest) -> str:
    """Return path and query of a request as they were sent."""
    scope = request.scope
    return f"{scope['path']}?{scope['query_string'].decode('latin-1')}"


def _respond(
    request: AppRequest, body: ResponseBody, media_type: str, headers: Mapping[str, str]
) -> Response[bytes]:
    sent = {**headers, "vary": "accept-encoding"}
    content = body.content
    if body.is_gzip and "gzip" in request.headers.get("accept-encoding", ""):
        sent["content-encoding"] = "gzip"
    elif body.is_gzip:
        content = gzip.decompress(content)
    return Response(content, media_type=media_type, headers=sent)


def _tag(key: str, version: str) -> str:
    digest = hashlib.blake2b(f"{version}\n{key}".encode("utf-8", "replace"), digest_size=12)
    return f'"{digest.hexdigest()}"'
