"""How a call that went wrong shows: as failed, as denied, as interrupted."""

import re
from collections.abc import Iterator
from typing import Final

from clew.conversation import ToolCall
from clew.parts import Note, Output, Part
from clew.tools.permissions import denied, is_by_person
from clew.tools.tool import Standing
from clew.tools.tool_error import ToolError

_LONGEST_NOTE: Final = 240
_EXIT: Final = re.compile(r"(?:Error: )?Exit code -?\d{1,9}(?:\r?\n|$)")
_INTERRUPT: Final = re.compile(r"\[Request interrupted by user(?: for tool use)?\]")
_TIMED_OUT: Final = re.compile(r"(?:Error: )?(?:Exit code \d+\s+)?Command timed out after ")


def error_state(error: ToolError) -> Standing:
    """Say in a word or two what went wrong."""
    if error.denied:
        return "denied", "warn"
    if error.interrupted:
        return "interrupted", "warn"
    if _TIMED_OUT.match(error.text):
        return "timed out", "bad"
    if error.exit_code is not None:
        return f"exit {error.exit_code}", "bad"
    return "failed", "bad"


def error_parts(error: ToolError, call: ToolCall) -> Iterator[Part]:
    """Show who or what stopped a call, and what it printed before.

    What a person said to it is not repeated: it is the reply to the call.
    """
    cause = error.text.removeprefix("Error: ")
    if error.denied:
        yield Note(denied(call, cause), "warn")
        if not is_by_person(cause):
            yield from _text(error.text)
        return
    if error.exit_code is not None:
        yield Note(f"exit code {error.exit_code}", "bad")
    if error.interrupted:
        yield Note(f"interrupted{_by_user(error.text)}", "warn")
        yield from _text(_INTERRUPT.sub("", _EXIT.sub("", error.text, count=1)))
        return
    yield from _text(_EXIT.sub("", error.text, count=1))


def _by_user(text: str) -> str:
    """A call may also be called off because one beside it failed, or the session ended."""
    return " by the user" if _INTERRUPT.search(text) else ""


def _text(text: str) -> Iterator[Part]:
    bare = text.strip()
    if not bare:
        return
    if len(bare) <= _LONGEST_NOTE and "\n" not in bare and "\x1b" not in bare:
        yield Note(bare, "bad")
    else:
        yield Output(text.strip("\n"), is_error=True)
