"""WebFetch: what a model found on a page."""

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from clew.conversation import ToolCall
from clew.parts import Link, Links, Part
from clew.tools.pieces import facts, options, prose, words
from clew.tools.tool import Number, Standing, Tool

_FIRST_ERROR: Final = 400


class WebFetchInput(msgspec.Struct, frozen=True):
    """Which page, and what to look for on it."""

    url: str
    prompt: str = ""
    offset: Number | None = None


class WebFetchResult(msgspec.Struct, frozen=True, rename="camel"):
    """The answer, and how the page came; `code` is the HTTP status."""

    result: str
    url: str = ""
    code: int | None = None
    code_text: str = ""
    size_bytes: Number | None = msgspec.field(default=None, name="bytes")
    duration_ms: Number | None = None
    artifact_read: Any = None


def read_text(arguments: WebFetchInput, text: str) -> WebFetchResult:
    """Take the text as the answer."""
    return WebFetchResult(text, arguments.url)


def parts(fetch: WebFetchInput, result: WebFetchResult | None, call: ToolCall) -> Iterator[Part]:
    """Show the address, the question to the page, and the answer."""
    yield Links((Link(fetch.url),))
    yield from words(fetch.prompt)
    yield from options(call, "url", "prompt")
    if result is None:
        return
    yield from facts(
        ("status", " ".join(filter(None, (str(result.code or ""), result.code_text)))),
        ("bytes", result.size_bytes),
        ("fetched", result.url if result.url != fetch.url else ""),
    )
    yield from prose(result.result)


def _state(result: WebFetchResult) -> Standing:
    is_bad = result.code is not None and result.code >= _FIRST_ERROR
    return (str(result.code), "bad") if is_bad else ("", "")


WEB_FETCH: Final = Tool(
    names=("WebFetch",),
    input=WebFetchInput,
    result=WebFetchResult,
    label=lambda fetch, _: fetch.url,
    parts=parts,
    state=_state,
    read_text=read_text,
)
