"""What the words of an error tell: its exit code, and what a person said to it.

How a call ended is not read from words here: the conversation has decided it.
"""

import re
from typing import Final

import msgspec

_EXIT_CODE: Final = re.compile(r"Exit code (-?\d{1,9})(?:\r?\n|$)")
_FEEDBACK: Final = re.compile(
    r"the user said:\s*|The user provided the following reason for the rejection:\s*"
)


class ToolError(msgspec.Struct, frozen=True):
    """A call that failed, was denied or was interrupted.

    `denied` tells that a person, a rule or a hook kept the call from running; `feedback` is
    what the person said to it.
    """

    text: str
    exit_code: int | None = None
    denied: bool = False
    interrupted: bool = False
    feedback: str = ""


def read_error(text: str, reason: str = "", status: str = "failed") -> ToolError:
    """Read an error from what the model was shown, or from the client's `reason` without it.

    `status` is how the call ended, as its conversation tells.
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
