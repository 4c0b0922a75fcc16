"""Answers: bytes made once per state of the rows, packed once, and not sent twice."""

import gzip
import hashlib
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, TypeAlias, TypeVar
from urllib.parse import parse_qsl

import msgspec
from litestar import Request, Response

from clew.web.asked import Cut
from clew.web.shelf import Shelf

T = TypeVar("T")
Asked: TypeAlias = Request[Any, Any, Any]

JSON: Final = "application/json"
_WORTH_PACKING: Final = 1_000
_NOT_MODIFIED: Final = 304
_FAST: Final = 5


class _Body(msgspec.Struct, frozen=True, gc=False):
    """An answer's bytes, and the same packed where that saves anything."""

    plain: bytes
    packed: bytes | None


def answer(
    request: Asked,
    shelf: Shelf,
    version: str,
    make: Callable[[], bytes],
    media_type: str = JSON,
    headers: Mapping[str, str] | None = None,
) -> Response[bytes]:
    """Answer with what `make` gives, or with nothing when the asker has it already.

    What is made is kept under the request's address for as long as the version stays.
    """
    key = address_of(request)
    tag = _tag(key, version)
    if tag in request.headers.get("if-none-match", ""):
        return Response(b"", status_code=_NOT_MODIFIED, headers={"etag": tag})
    body = shelf.share(("body", key), version, lambda: _pack(make()))
    return _respond(request, body, media_type, {**(headers or {}), "etag": tag})


def answer_json(
    request: Asked, shelf: Shelf, version: str, make: Callable[[], object]
) -> Response[bytes]:
    """Answer with a struct as JSON."""
    return answer(request, shelf, version, lambda: msgspec.json.encode(make()))


def answer_list(
    request: Asked,
    shelf: Shelf,
    version: str,
    cut: Cut,
    find: Callable[[], Iterable[T]],
    tell: Callable[[tuple[T, ...], str | None], object],
) -> Response[bytes]:
    """Answer with one page of what is found; `tell` gets its things, and the next page's cursor."""
    return answer_json(request, shelf, version, lambda: tell(*cut.take(find())))


def answer_once(request: Asked, plain: bytes, media_type: str = JSON) -> Response[bytes]:
    """Answer with bytes that are not kept for the next asker."""
    return _respond(request, _pack(plain), media_type, {})


def asked_of(request: Asked) -> list[tuple[str, str]]:
    """Give what a request asks for, as it stands in the address, without what is empty."""
    return parse_qsl(request.scope["query_string"].decode("latin-1"))


def address_of(request: Asked) -> str:
    """Give path and query of a request, as they were sent."""
    scope = request.scope
    return f"{scope['path']}?{scope['query_string'].decode('latin-1')}"


def _respond(
    request: Asked, body: _Body, media_type: str, headers: Mapping[str, str]
) -> Response[bytes]:
    told = {**headers, "vary": "accept-encoding"}
    takes_packed = "gzip" in request.headers.get("accept-encoding", "")
    if body.packed is not None and takes_packed:
        told["content-encoding"] = "gzip"
        return Response(body.packed, media_type=media_type, headers=told)
    return Response(body.plain, media_type=media_type, headers=told)


def _pack(plain: bytes) -> _Body:
    if len(plain) < _WORTH_PACKING:
        return _Body(plain, None)
    return _Body(plain, gzip.compress(plain, _FAST, mtime=0))


def _tag(key: str, version: str) -> str:
    digest = hashlib.blake2b(f"{version}\n{key}".encode("utf-8", "replace"), digest_size=12)
    return f'"{digest.hexdigest()}"'
