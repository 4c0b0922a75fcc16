"""What requests were made with besides their messages: a change of it empties the prompt cache."""

from typing import Final

import msgspec

from clew.conversation import Material
from clew.entries import ApiRequest, ApiRequestShape, Assistant, read_params, read_shape

# They do not matter to the cache, or are compared by themselves.
_OTHER_PARAMS: Final = frozenset({"model", "max_tokens", "metadata", "stream"})


class RequestHead(msgspec.Struct, frozen=True):
    """What the rows of a client say of one request; what they do not say is None."""

    at: str = ""
    effort: str | None = None
    params: dict[str, bytes] | None = None
    system: bytes | None = None
    tools: bytes | None = None


NO_HEAD: Final = RequestHead()


def request_heads(material: Material) -> dict[str, RequestHead]:
    """Return what is known of requests, by the ids of their answers."""
    requests: dict[str, ApiRequest] = {}
    shapes: dict[str, tuple[bytes, bytes]] = {}
    answers: dict[str, Assistant] = {}
    for transcript in material.transcripts:
        for entry in transcript.entries:
            body = entry.body
            if isinstance(body, Assistant):
                if body.request_ref or body.effort:
                    answers.setdefault(body.message.id, body)
            elif isinstance(body, ApiRequest):
                requests[body.id] = body
            elif isinstance(body, ApiRequestShape):
                shapes[body.shape_hash] = read_shape(body)
    return {
        name: _head(answer, requests.get(answer.request_ref), shapes)
        for name, answer in answers.items()
    }


def _head(
    answer: Assistant, request: ApiRequest | None, shapes: dict[str, tuple[bytes, bytes]]
) -> RequestHead:
    effort = answer.effort or None
    if request is None:
        return RequestHead(effort=effort)
    params = {n: value for n, value in read_params(request).items() if n not in _OTHER_PARAMS}
    system, tools = shapes.get(request.shape_hash, (None, None))
    return RequestHead(request.timestamp or "", effort, params, system, tools)
