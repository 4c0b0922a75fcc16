"""LSP: a question to a language server."""

from collections.abc import Iterator
from typing import Final

import msgspec

from clew.conversation import ToolCall
from clew.parts import Part
from clew.tools.paths import short_path
from clew.tools.pieces import facts, options, output
from clew.tools.tool import Number, Tool


class LspInput(msgspec.Struct, frozen=True, rename="camel"):
    """Which question, about which place in a file."""

    operation: str
    file_path: str = ""
    line: Number | None = None
    character: Number | None = None
    query: str = ""


class LspResult(msgspec.Struct, frozen=True, rename="camel"):
    """The answer as text, and how much it holds."""

    operation: str
    result: str
    file_path: str = ""
    result_count: Number | None = None
    file_count: Number | None = None


def read_text(arguments: LspInput, text: str) -> LspResult:
    """Take the text as the answer."""
    return LspResult(arguments.operation, text, arguments.file_path)


def label(lsp: LspInput, cwd: str) -> str:
    """Tell the question, and the place it is about."""
    at = f":{lsp.line}" if lsp.line is not None else ""
    return f"{lsp.operation} {lsp.query or short_path(lsp.file_path, cwd) + at}"


def parts(_lsp: object, result: LspResult | None, call: ToolCall) -> Iterator[Part]:
    """Show the answer, and how much it holds."""
    yield from options(call)
    if result is not None:
        yield from output(result.result)
        yield from facts(("results", result.result_count), ("files", result.file_count))


LSP: Final = Tool(
    names=("LSP",),
    input=LspInput,
    result=LspResult,
    label=label,
    parts=parts,
    read_text=read_text,
)
