"""ListAgents: who can be written to; no result of it has been seen, so it is kept plain."""

from collections.abc import Iterator
from typing import Final

import msgspec

from clew.conversation import ToolCall
from clew.parts import Part
from clew.tools.pieces import options
from clew.tools.plain import PlainResult, plain_result_parts
from clew.tools.tool import Tool


class ListAgentsInput(msgspec.Struct, frozen=True):
    """What to look for."""

    channel: str = ""
    q: str = ""


def parts(_asked: object, result: PlainResult | None, call: ToolCall) -> Iterator[Part]:
    """Show all there is."""
    yield from options(call)
    if result is not None:
        yield from plain_result_parts(result)


LIST_AGENTS: Final = Tool(
    names=("ListAgents",),
    input=ListAgentsInput,
    result=PlainResult,
    label=lambda asked, _: asked.q or asked.channel,
    parts=parts,
)
