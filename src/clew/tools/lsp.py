"""LSP: a question to a language server."""

from typing import Final

import msgspec

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


LSP: Final = Tool(names=("LSP",), input=LspInput, result=LspResult, read_text=read_text)
