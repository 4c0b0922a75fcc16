"""How a call ended is decided from its result row, once for everybody."""

from typing import Any

import msgspec
import pytest

from clew.conversation import Permission
from clew.conversation.outcome import Evidence, outcome
from clew.entries import result_links

REJECTED = "The user doesn't want to proceed with this tool use. The tool use was rejected."
INTERRUPTED = "[Request interrupted by user for tool use]"

DENIALS = [
    REJECTED,
    "The user doesn't want to take this action right now. STOP what you are doing.",
    "User rejected tool use",
    "The agent proposed a plan that was rejected by the user. The user chose to stay.",
    "Claude requested permissions to write to /w/a b.md, but you haven't granted it yet.",
    "This command requires approval",
    "This Bash command contains multiple operations. The following part requires approval: x",
    "ls in '~/.claude' was blocked. For security, Claude Code may only list files here.",
    "touch in '/w/a.txt' needs approval. The path is inside.",
    "PreToolUse:Write hook error: no writing",
    "Write operation blocked by hook:\n- no writing",
    "Permission to use Bash with command rm -rf /tmp has been denied.",
    "Permission to use Bash with command a\nb has been denied.",
    "Permission for this action has been denied. Reason: risky.",
    "Exit plan mode?",
    "Answer questions?",
]
FAILURES = [
    "File does not exist.",
    "(eval):1: permission denied: x",
    "The page says: The user doesn't want to proceed with this tool use",
    f"a\n{INTERRUPTED}\nb",
    "Exit code 1",
]
STOPS = [
    INTERRUPTED,
    f"Exit code 137\n{INTERRUPTED}\n=== RUN",
    f"half a line\n{INTERRUPTED}",
    "[Tool call interrupted: the session ended before this call's result was recorded]",
    "<tool_use_error>Sibling tool call errored</tool_use_error>",
    "<tool_use_error>Cancelled: parallel tool call Bash(ls) errored</tool_use_error>",
]


def ended(record: object = None, **fields: Any) -> str:
    """Decide it for a result with this record of the client."""
    raw = msgspec.Raw(msgspec.json.encode(record))
    return outcome(Evidence(record=raw, links=result_links(raw), **fields))


@pytest.mark.parametrize("text", DENIALS)
def test_an_error_in_the_words_of_a_refusal_is_a_denial(text: str) -> None:
    assert ended(text=text, is_error=True) == "denied"
    assert ended(f"Error: {text}", is_error=True) == "denied"
    assert ended(text=f"<tool_use_error>{text}</tool_use_error>", is_error=True) == "denied"


@pytest.mark.parametrize("text", FAILURES)
def test_any_other_error_is_a_failure(text: str) -> None:
    assert ended(text=text, is_error=True) == "failed"


@pytest.mark.parametrize("text", STOPS)
def test_a_call_that_was_stopped_or_called_off_is_interrupted(text: str) -> None:
    assert ended(text=text, is_error=True) == "interrupted"


@pytest.mark.parametrize("text", [*DENIALS, *FAILURES, *STOPS])
def test_a_result_that_says_it_is_no_error_may_hold_any_words(text: str) -> None:
    assert ended(text=text, is_error=False) == "done"
    assert ended({"stdout": text}, text=text) == "done"


@pytest.mark.parametrize(
    ("record", "text", "status"),
    [
        (None, "<tool_use_error>No.</tool_use_error>", "failed"),
        (None, "Exit code 1\nno", "failed"),
        (None, REJECTED, "denied"),
        (None, INTERRUPTED, "interrupted"),
        (None, "touch in '/w/a.txt' needs approval.", "done"),
        (None, "Error: a page about errors", "done"),
        ("Error: tiny failure", "tiny failure", "failed"),
        ("User rejected tool use", "no", "denied"),
        ("- a.py", "- a.py", "done"),
        ("Error: result (9 characters) exceeds maximum allowed tokens. Saved.", "", "done"),
    ],
)
def test_without_a_flag_only_unmistakable_words_count(
    record: object, text: str, status: str
) -> None:
    assert ended(record, text=text) == status


@pytest.mark.parametrize(
    ("decision", "kind", "status"),
    [
        ("reject", "user-rejected", "denied"),
        ("reject", "", "denied"),
        ("", "automode-unavailable", "denied"),
        ("", "interrupted", "interrupted"),
        ("accept", "", "failed"),
    ],
)
def test_the_clients_own_record_wins_over_words(decision: str, kind: str, status: str) -> None:
    permission = Permission(decision=decision) if decision else None

    assert ended(text="Oh no", is_error=True, permission=permission, denial_kind=kind) == status


def test_a_call_that_was_allowed_may_fail_in_the_words_of_a_refusal() -> None:
    allowed = Permission(decision="accept", source="config")

    assert ended(text="Permission to use the camera", is_error=True, permission=allowed) == "failed"
    assert ended(text="Permission to use the camera", is_error=True) == "denied"


@pytest.mark.parametrize(
    ("record", "status"),
    [
        ({"success": False, "error": "no such task"}, "failed"),
        ({"success": True, "error": ""}, "done"),
        ({"error": "cell not found"}, "failed"),
        ({"isError": True, "content": []}, "failed"),
        ({"timedOutAfterMs": 5000}, "failed"),
        ({"timedOutAfterMs": 5000, "backgroundTaskId": "b1"}, "done"),
        ({"interrupted": True}, "interrupted"),
        ({"wasInterrupted": True}, "interrupted"),
    ],
)
def test_a_typed_result_may_say_that_nothing_was_done(record: object, status: str) -> None:
    assert ended(record) == status


def test_a_row_that_was_cut_off_is_interrupted() -> None:
    assert ended(text="half", is_error=True, is_aborted=True) == "interrupted"
