"""Failed, denied and interrupted calls: what their text says, and how they are shown."""

import re
from collections.abc import Iterator
from typing import Final

import msgspec

from clew.conversation import ToolCall
from clew.parts import Note, Output, Part
from clew.tools.decisions import is_by_person
from clew.tools.display import denied
from clew.tools.tool import CallState

_EXIT_CODE: Final = re.compile(r"Exit code (-?\d{1,9})(?:\r?\n|$)")
_FEEDBACK: Final = re.compile(
    r"the user said:\s*|The user provided the following reason for the rejection:\s*"
)
_LONGEST_NOTE: Final = 240
_EXIT: Final = re.compile(r"(?:Error: )?Exit code -?\d{1,9}(?:\r?\n|$)")
_INTERRUPT: Final = re.compile(r"\[Request interrupted by user(?: for tool use)?\]")
_TIMED_OUT: Final = re.compile(r"(?:Error: )?(?:Exit code \d+\s+)?Command timed out after ")


class ToolError(msgspec.Struct, frozen=True):
    """A call that failed, was denied or was interrupted.

    `denied` means that a person, a rule or a hook prevented the call; `feedback` is the person's
    explanation.
    """

    text: str
    exit_code: int | None = None
    denied: bool = False
    interrupted: bool = False
    feedback: str = ""


def read_error(text: str, reason: str = "", status: str = "failed") -> ToolError:
    """Read an error from what the model was shown, or from the client's `reason` without it.

    `status` is the status of the call; it is not guessed from the text.
    """
    shown = _without_tags(text)
    said = _without_prefix(_without_tags(reason))
    cause = _without_prefix(shown) or said
    return ToolError(
        text=shown or said,
        exit_code=_exit_code(cause),
        denied=status == "denied",
        interrupted=status == "interrupted",
        feedback=_feedback(cause) if status == "denied" else "",
    )


def _without_tags(text: str) -> str:
    return text.strip().removeprefix("<tool_use_error>").removesuffix("</tool_use_error>")


def _without_prefix(text: str) -> str:
    return text.removeprefix("Error: ")


def _exit_code(cause: str) -> int | None:
    match = _EXIT_CODE.match(cause)
    return None if match is None else int(match[1])


def _feedback(cause: str) -> str:
    match = _FEEDBACK.search(cause)
    return "" if match is None else cause[match.end() :]


def error_state(error: ToolError) -> CallState:
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

    The feedback of a person is not repeated: it is shown as the reply to the call.
    """
    cause = error.text.removeprefix("Error: ")
    if error.denied:
        yield Note(denied(call, cause), "warn")
        if not is_by_person(cause):
            yield from _text(error.text)
        return
    if error.exit_code is not None:
        yield Note(f"Exit code {error.exit_code}", "bad")
    if error.interrupted:
        yield Note(f"Interrupted{_by_user(error.text)}", "warn")
        yield from _text(_INTERRUPT.sub("", _EXIT.sub("", error.text, count=1)))
        return
    yield from _text(_EXIT.sub("", error.text, count=1))


def _by_user(text: str) -> str:
    """A call can also be cancelled because another one failed, or because the session ended."""
    return " by the user" if _INTERRUPT.search(text) else ""


def _text(text: str) -> Iterator[Part]:
    bare = text.strip()
    if not bare:
        return
    if len(bare) <= _LONGEST_NOTE and "\n" not in bare and "\x1b" not in bare:
        yield Note(bare, "bad")
    else:
        yield Output(text.strip("\n"), is_error=True)
