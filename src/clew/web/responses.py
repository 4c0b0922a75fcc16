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

AppRequest: TypeAlias = Request[Any, Any, Any]

JSON: Final = "application/json"
_MIN_COMPRESSED: Final = 1_000
_NOT_MODIFIED: Final = 304
_FAST: Final = 5


class _CachedBody(msgspec.Struct, frozen=True, gc=False):
    """A response body, and its gzip where that is smaller."""

    plain: bytes
    packed: bytes | None


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
    key = path_and_query(request)
    tag = _tag(key, version)
    if tag in request.headers.get("if-none-match", ""):
        return Response(b"", status_code=_NOT_MODIFIED, headers={"etag": tag})
    body = cache.get_or_make(("body", key), version, lambda: _compress(make()))
    return _respond(request, body, media_type, {**(headers or {}), "etag": tag})


def respond_json(
    request: AppRequest, cache: ArchiveCache, version: str, make: Callable[[], object]
) -> Response[bytes]:
    """Respond with a struct as JSON."""
    return respond(request, cache, version, lambda: msgspec.json.encode(make()))


def respond_uncached(request: AppRequest, plain: bytes, media_type: str = JSON) -> Response[bytes]:
    """Respond with bytes that are not cached."""
    return _respond(request, _compress(plain), media_type, {})


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
    request: AppRequest, body: _CachedBody, media_type: str, headers: Mapping[str, str]
) -> Response[bytes]:
    sent = {**headers, "vary": "accept-encoding"}
    accepts_gzip = "gzip" in request.headers.get("accept-encoding", "")
    if body.packed is not None and accepts_gzip:
        sent["content-encoding"] = "gzip"
        return Response(body.packed, media_type=media_type, headers=sent)
    return Response(body.plain, media_type=media_type, headers=sent)


def _compress(plain: bytes) -> _CachedBody:
    if len(plain) < _MIN_COMPRESSED:
        return _CachedBody(plain, None)
    return _CachedBody(plain, gzip.compress(plain, _FAST, mtime=0))


def _tag(key: str, version: str) -> str:
    digest = hashlib.blake2b(f"{version}\n{key}".encode("utf-8", "replace"), digest_size=12)
    return f'"{digest.hexdigest()}"'
