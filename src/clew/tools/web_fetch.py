"""WebFetch: what a model found on a page."""

from typing import Any, Final

import msgspec

from clew.tools.tool import Number, Tool


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


WEB_FETCH: Final = Tool(
    names=("WebFetch",), input=WebFetchInput, result=WebFetchResult, read_text=read_text
)
