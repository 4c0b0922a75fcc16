"""What the words of an error tell."""

import pytest

from clew.tools import ToolError
from clew.tools.tool_error import looks_like_error, read_error, says_error

REJECTED = "The user doesn't want to proceed with this tool use. The tool use was rejected."
INTERRUPTED = "[Request interrupted by user for tool use]"

DENIALS = [
    REJECTED,
    "The user doesn't want to take this action right now. STOP what you are doing.",
    "User rejected tool use",
    "Claude requested permissions to write to /w/a b.md, but you haven't granted it yet.",
    "This command requires approval",
    "This Bash command contains multiple operations. The following part requires approval: x",
    "ls in '~/.claude' was blocked. For security, Claude Code may only list files here.",
    "touch in '/w/a.txt' needs approval. The path is inside.",
    "PreToolUse:Write hook error: no writing",
    "Write operation blocked by hook:\n- no writing",
    "Permission to use Bash with command rm -rf /tmp has been denied.",
    "Permission for this action has been denied. Reason: risky.",
    "Exit plan mode?",
]

FAILURES = [
    "File does not exist.",
    "(eval):1: permission denied: x",
    "The page says: The user doesn't want to proceed with this tool use",
    "Sibling tool call errored",
]


@pytest.mark.parametrize("text", DENIALS)
def test_a_call_that_was_kept_from_running_is_denied(text: str) -> None:
    assert read_error(text).denied
    assert read_error("", f"Error: {text}").denied
    assert read_error(f"<tool_use_error>{text}</tool_use_error>").denied


@pytest.mark.parametrize("text", FAILURES)
def test_a_call_that_ran_and_failed_is_not_denied(text: str) -> None:
    assert read_error(text) == ToolError(text)


@pytest.mark.parametrize(
    "text",
    [
        INTERRUPTED,
        f"Exit code 137\n{INTERRUPTED}\n=== RUN",
        f"half a line\n{INTERRUPTED}",
        "[Tool call interrupted: the session ended before this call's result was recorded]",
    ],
)
def test_an_interrupt_is_told_from_a_failure(text: str) -> None:
    assert read_error(text).interrupted


def test_a_quoted_interrupt_is_output() -> None:
    assert not read_error(f"a\n{INTERRUPTED}\nb").interrupted


@pytest.mark.parametrize(
    ("text", "exit_code"),
    [("Exit code 5", 5), ("Exit code 127\nnot found", 127), ("Exit code 5 is bad", None)],
)
def test_the_first_line_tells_the_exit_code(text: str, exit_code: int | None) -> None:
    assert read_error(text).exit_code == exit_code


def test_what_the_person_said_is_kept_apart() -> None:
    said = read_error(f"{REJECTED} To tell you how to proceed, the user said:\nuse a map")
    reason = read_error(
        f"{REJECTED} The user provided the following reason for the rejection:  keep the name"
    )

    assert said.feedback == "use a map"
    assert reason.feedback == "keep the name"


def test_the_words_shown_to_the_model_win_over_the_short_reason() -> None:
    assert read_error(REJECTED, "User rejected tool use") == ToolError(REJECTED, denied=True)


def test_only_unmistakable_words_make_a_text_an_error() -> None:
    assert says_error("<tool_use_error>No.</tool_use_error>")
    assert says_error("Exit code 1\nno")
    assert says_error(REJECTED)
    assert not says_error("touch in '/w/a.txt' needs approval.")
    assert not says_error("Error: a page about errors")


def test_a_string_in_place_of_a_result_is_an_error_by_its_start() -> None:
    assert looks_like_error("Error: tiny failure")
    assert looks_like_error("User rejected tool use")
    assert not looks_like_error('{"n":7}')
