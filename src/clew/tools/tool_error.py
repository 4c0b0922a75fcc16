"""What went wrong with a call: its exit code, or who kept it from running."""

import re
from typing import Final

import msgspec

from clew.tools.persisted import find_persisted

_INTERRUPTED: Final = "[Request interrupted by user for tool use]"
_INTERRUPTS: Final = (_INTERRUPTED, "[Request interrupted by user]", "[Tool call interrupted:")
_EXIT_CODE: Final = re.compile(r"Exit code (-?\d{1,9})(?:\r?\n|$)")

# Words of the client, each at the very start. A hook's own reason, which some clients give
# without a word of theirs, cannot be told from a failure.
_DENIED: Final = re.compile(
    r"The user doesn't want to (?:proceed with this tool use|take this action)"
    r"|User rejected tool use"
    r"|The agent proposed a plan that was rejected by the user"
    r"|Permission (?:to|for) [^\n]{1,2000}? (?:has been|was) (?:auto-)?denied"
    r"|Claude requested permissions? to [^\n]{1,4000}? but you haven't granted it yet"
    r"|This command requires approval"
    r"|This \w{1,40} command contains multiple operations\."
    r"|\S{1,200} in '[^\n]{1,4000}?' (?:was blocked\. For security|needs approval\.)"
    r"|PreToolUse:[^\n]{1,200}? hook error"
    r"|\S{1,200} operation blocked by hook"
    r"|(?:Exit plan mode|Answer questions)\?$"
)
_ERRORS: Final = (
    "Error:",
    "InputValidationError",
    "Sibling tool call errored",
    "User rejected tool use",
)
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


def read_error(text: str, reason: str = "") -> ToolError:
    """Read an error from what the model was shown, or from the client's `reason` without it."""
    shown = _without_tags(text)
    said = _without_prefix(_without_tags(reason))
    cause = _without_prefix(shown) or said
    return ToolError(
        text=shown or said,
        exit_code=_exit_code(cause),
        denied=any(_DENIED.match(words) for words in (cause, said)),
        interrupted=_is_interrupt(cause) or _is_interrupt(said),
        feedback=_feedback(cause),
    )


def says_error(text: str) -> bool:
    """Tell whether a text can only be that of an error."""
    return (
        text.startswith(("<tool_use_error>", "The user doesn't want to "))
        or _EXIT_CODE.match(text) is not None
        or _is_interrupt(text)
    )


def looks_like_error(string: str) -> bool:
    """Tell whether a string in place of a result is an error, not a result in words."""
    if find_persisted(string) is not None:
        return False
    return string.startswith(_ERRORS) or says_error(string)


def _without_tags(text: str) -> str:
    return text.strip().removeprefix("<tool_use_error>").removesuffix("</tool_use_error>")


def _without_prefix(text: str) -> str:
    return text.removeprefix("Error: ")


def _exit_code(cause: str) -> int | None:
    match = _EXIT_CODE.match(cause)
    return None if match is None else int(match[1])


def _is_interrupt(cause: str) -> bool:
    exit_code = _EXIT_CODE.match(cause)
    start = 0 if exit_code is None else exit_code.end()
    return cause.startswith(_INTERRUPTS, start) or cause.endswith("\n" + _INTERRUPTED)


def _feedback(cause: str) -> str:
    if _DENIED.match(cause) is None:
        return ""
    match = _FEEDBACK.search(cause)
    return "" if match is None else cause[match.end() :]
