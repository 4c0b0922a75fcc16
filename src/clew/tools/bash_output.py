"""BashOutput: what a command in the background has printed since the last look."""

from collections.abc import Iterator
from typing import Final

import msgspec

from clew.conversation import ToolCall
from clew.parts import Code, Part
from clew.tools.pieces import exit_note, exit_state, facts, options, output
from clew.tools.tags import read_body, read_tag
from clew.tools.tool import Number, Standing, Tool


class BashOutputInput(msgspec.Struct, frozen=True):
    """Which shell, a pattern that lines must match, and how long to wait for output."""

    bash_id: str
    filter: str = ""
    block: bool | None = None
    wait_up_to: Number | None = None


class BashOutputResult(msgspec.Struct, frozen=True, rename="camel"):
    """The new output; a running command has no exit code."""

    status: str
    shell_id: str = ""
    command: str = ""
    stdout: str = ""
    stderr: str = ""
    stdout_lines: Number | None = None
    stderr_lines: Number | None = None
    exit_code: int | None = None
    timestamp: str = ""
    filter_pattern: str = ""


def read_text(arguments: BashOutputInput, text: str) -> BashOutputResult | None:
    """Read the tags; those after `stdout` are looked for behind it, as output may quote them."""
    head, stdout_tag, _ = text.partition("<stdout>")
    status = read_tag(head, "status")
    if status is None:
        return None
    tail = text[text.rfind("</stdout>") :] if stdout_tag else text
    exit_code = (read_tag(head, "exit_code") or "")[:9]
    return BashOutputResult(
        status,
        arguments.bash_id,
        stdout=read_body(text, "stdout"),
        stderr=read_body(tail, "stderr"),
        exit_code=int(exit_code) if exit_code.isdecimal() else None,
        timestamp=read_tag(tail, "timestamp") or "",
    )


def parts(_asked: object, result: BashOutputResult | None, call: ToolCall) -> Iterator[Part]:
    """Show the command, what it printed since, and how it stands."""
    yield from options(call)
    if result is None:
        return
    if result.command:
        yield Code(result.command, "bash", is_command=True)
    yield from output(result.stdout)
    yield from output(result.stderr, "stderr", is_error=True)
    yield from exit_note(result.exit_code)
    yield from facts(
        ("status", result.status), ("filter", result.filter_pattern), ("at", result.timestamp)
    )


def _state(result: BashOutputResult) -> Standing:
    return exit_state(result.status, result.exit_code)


BASH_OUTPUT: Final = Tool(
    names=("BashOutput",),
    input=BashOutputInput,
    result=BashOutputResult,
    label=lambda asked, _: asked.bash_id,
    label_result=lambda result, told: f"{told}: {result.command}" if result.command else told,
    parts=parts,
    state=_state,
    read_text=read_text,
)
