"""Requests to models, rebuilt from the rows of clients that write them, and proved by hashes.

A request is the first messages of an earlier one and some more. All requests of a session are
therefore a tree: each message is a node below the one before it, however many requests have it.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import msgspec

from clew.conversation import Material, Transcript
from clew.entries import (
    ApiRequest,
    ApiRequestShape,
    Assistant,
    Entry,
    is_null,
    read_cache_places,
    read_params,
    read_shape,
    read_tail,
)
from clew.insight.context.sources import MessageSource, find_sources

UNKNOWN: Final = ""
"""The hash of a message of which not even that is known."""
_MOST_UNKNOWN: Final = 10_000


class SentNode(msgspec.Struct, gc=False):
    """A message of requests, below those before it."""

    hash: str
    parent: "SentNode | None"
    depth: int
    # What counts of the messages up to this one; whoever counts sets it once.
    sums: tuple[int, ...] | None = None

    def back_to(self, depth: int) -> "SentNode | None":
        """Return the message at a depth; None for what comes before all messages."""
        node: SentNode | None = self
        while node is not None and node.depth > depth:
            node = node.parent
        return node

    def path(self) -> "list[SentNode]":
        """Return all messages up to this one."""
        found = []
        node: SentNode | None = self
        while node is not None:
            found.append(node)
            node = node.parent
        return found[::-1]


class RequestShape(msgspec.Struct, frozen=True):
    """The system prompt and the tools of requests, as JSON."""

    system: msgspec.Raw = msgspec.Raw(b"null")
    tools: msgspec.Raw = msgspec.Raw(b"null")


class LoggedRequest(msgspec.Struct, frozen=True):
    """A request as a row describes it; `is_cut` if the client left something out of it.

    `cached` are the positions of messages at which a part ends that the API caches.
    """

    id: str
    at: str
    agent_run_id: str | None
    source: str
    shape_hash: str
    params: dict[str, bytes]
    last: SentNode | None
    cached: frozenset[int]
    is_cut: bool


class MissingMessage(msgspec.Struct, frozen=True):
    """A message of a request that no row has: its position, and its hash where that is known."""

    index: int
    hash: str | None


class RebuiltRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A request as it was sent, with the answer that it led to.

    `proved` is the share of its messages whose hash is right. A message that no row has is in
    `messages` with neither role nor content, and listed in `missing`.
    """

    id: str
    message_id: str | None
    agent_run_id: str | None
    at: str
    source: str
    params: dict[str, msgspec.Raw]
    shape_hash: str
    messages: list[dict[str, Any]]
    proved: float
    missing: list[MissingMessage]
    is_cut: bool


class RequestLog:
    """All requests that rows of a session describe."""

    def __init__(self, material: Material) -> None:
        self.requests: dict[str, LoggedRequest] = {}
        self.shapes: dict[str, RequestShape] = {}
        self.answers: dict[str, str] = {}
        self._material = material
        self._sources: dict[str, MessageSource] | None = None
        for transcript in material.transcripts:
            for entry in transcript.entries:
                self._read(entry, transcript)

    @property
    def sources(self) -> dict[str, MessageSource]:
        """The messages of requests by their hashes, as far as rows have them."""
        if self._sources is None:
            wanted = {node.hash for node in self._nodes()}
            self._sources = find_sources(self._material, wanted) if wanted else {}
        return self._sources

    def request_of(self, message_id: str) -> LoggedRequest | None:
        """Return the request that an answer came of."""
        return self.requests.get(self.answers.get(message_id, ""))

    def rebuild(
        self, is_wanted: Callable[[str | None], bool] = lambda _: True
    ) -> Iterator[RebuiltRequest]:
        """Rebuild requests one by one, in the order in which they were sent.

        A request without an answer comes without one; `is_wanted` says of which answers.
        """
        answered: dict[str, list[str]] = {}
        for message_id, request_id in self.answers.items():
            answered.setdefault(request_id, []).append(message_id)
        for request in self.requests.values():
            names: Sequence[str | None] = answered.get(request.id) or [None]
            yield from (self.rebuild_one(request, name) for name in names if is_wanted(name))

    def rebuild_one(self, request: LoggedRequest, message_id: str | None) -> RebuiltRequest:
        """Return one request with its messages."""
        path = [] if request.last is None else request.last.path()
        found = [self.sources.get(node.hash) for node in path]
        proved = sum(source is not None and source.is_proved for source in found)
        return RebuiltRequest(
            id=request.id,
            message_id=message_id,
            agent_run_id=request.agent_run_id,
            at=request.at,
            source=request.source,
            params={name: msgspec.Raw(value) for name, value in request.params.items()},
            shape_hash=request.shape_hash,
            messages=[
                {"role": None, "content": None}
                if source is None
                else _as_sent(source.message, is_cached=number in request.cached)
                for number, source in enumerate(found)
            ],
            proved=proved / len(path) if path else 0.0,
            missing=[
                MissingMessage(number, node.hash or None)
                for number, (node, source) in enumerate(zip(path, found, strict=True))
                if source is None
            ],
            is_cut=request.is_cut,
        )

    def _nodes(self) -> Iterator[SentNode]:
        seen: set[int] = set()
        for request in self.requests.values():
            node = request.last
            while node is not None and id(node) not in seen:
                seen.add(id(node))
                yield node
                node = node.parent

    def _read(self, entry: Entry, transcript: Transcript) -> None:
        body = entry.body
        match body:
            case ApiRequest():
                self._add(body, transcript)
            case ApiRequestShape():
                system, tools = read_shape(body)
                shape = RequestShape(msgspec.Raw(system), msgspec.Raw(tools))
                self.shapes.setdefault(body.shape_hash, shape)
            case Assistant() if body.request_ref and body.message.id:
                self.answers.setdefault(body.message.id, body.request_ref)
            case _:
                pass

    def _add(self, row: ApiRequest, transcript: Transcript) -> None:
        tail = read_tail(row)
        base = self.requests.get(row.base or "")
        last = _first_messages(None if base is None else base.last, row.keep or 0)
        for name in (UNKNOWN,) if tail is None else tail:
            last = _below(last, name)
        self.requests.setdefault(
            row.id,
            LoggedRequest(
                id=row.id,
                at=row.timestamp or "",
                agent_run_id=row.agent_id or transcript.agent_id or None,
                source=row.query_source,
                shape_hash=row.shape_hash,
                params=read_params(row),
                last=last,
                cached=frozenset(read_cache_places(row)),
                is_cut=not (is_null(row.withheld) and is_null(row.cut)) or tail is None,
            ),
        )


def _first_messages(last: SentNode | None, count: int) -> SentNode | None:
    """Return the first messages of a request; of those that it lacks, nothing is known."""
    node = None if last is None else last.back_to(count - 1)
    depth = -1 if node is None else node.depth
    # A row may claim any number.
    for _ in range(min(count - 1 - depth, _MOST_UNKNOWN)):
        node = _below(node, UNKNOWN)
    return node


def _as_sent(message: dict[str, Any], *, is_cached: bool) -> dict[str, Any]:
    """Return a message in the form in which clients send it: rows and blobs may have another.

    Only a block can end what is cached; a system message is a string otherwise.
    """
    match message:
        case {"content": str(text)} if is_cached:
            return {**message, "content": [{"type": "text", "text": text}]}
        case {"role": "system", "content": [{"type": "text", "text": str(text)}]} if not is_cached:
            return {**message, "content": text}
        case _:
            return message


def _below(parent: SentNode | None, name: str) -> SentNode:
    return SentNode(name, parent, 0 if parent is None else parent.depth + 1)
