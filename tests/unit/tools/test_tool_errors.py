"""What the words of an error tell."""

import pytest

from clew.tools import ToolError
from clew.tools.tool_errors import read_error

REJECTED = "The user doesn't want to proceed with this tool use. The tool use was rejected."


@pytest.mark.parametrize("status", ["failed", "denied", "interrupted"])
def test_an_error_is_what_its_call_came_to_whatever_its_words(status: str) -> None:
    error = read_error(REJECTED, status=status)

    assert (error.denied, error.interrupted) == (status == "denied", status == "interrupted")


@pytest.mark.parametrize(
    ("text", "exit_code"),
    [("Exit code 5", 5), ("Exit code 127\nnot found", 127), ("Exit code 5 is bad", None)],
)
def test_the_first_line_tells_the_exit_code(text: str, exit_code: int | None) -> None:
    assert read_error(text).exit_code == exit_code


def test_what_the_person_said_is_kept_apart() -> None:
    said = read_error(
        f"{REJECTED} To tell you how to proceed, the user said:\nuse a map", status="denied"
    )
    reason = read_error(
        f"{REJECTED} The user provided the following reason for the rejection:  keep the name",
        status="denied",
    )

    assert said.feedback == "use a map"
    assert reason.feedback == "keep the name"


def test_the_words_shown_to_the_model_win_over_the_short_reason() -> None:
    error = read_error(REJECTED, "User rejected tool use", "denied")

    assert error == ToolError(REJECTED, denied=True)
