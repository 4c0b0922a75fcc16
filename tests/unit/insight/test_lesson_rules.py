"""A rule that would have avoided what went wrong."""

import pytest

from clew.insight.lesson_rules import propose_rule
from clew.insight.signatures import error_signature


def rule_for(tool: str, error: str) -> str:
    """Return the rule against an error."""
    return propose_rule(error_signature(tool, "make test", error))


@pytest.mark.parametrize(
    ("tool", "error", "words"),
    [
        ("Bash", "Command timed out after 2m 0.0s\nok", "in the background"),
        ("Read", "File content (26910 tokens) exceeds maximum allowed tokens (25000).", "`offset`"),
        ("Read", "File content (806.5KB) exceeds maximum allowed size (256KB).", "`offset`"),
        ("Write", "File has not been read yet. Read it first.", "Read a file before"),
        ("Bash", "Exit code 127\nbash: line 1: tree: command not found", "`tree` is not installed"),
        ("Skill", "Unknown skill: review", "do not guess their names"),
    ],
)
def test_a_known_cause_has_a_rule_of_its_own(tool: str, error: str, words: str) -> None:
    assert words in rule_for(tool, error)


@pytest.mark.parametrize(
    ("tool", "error"),
    [
        ("mcp__browser__wait_for", "TimeoutError: locator.waitFor: Timeout 5000ms exceeded."),
        ("mcp__tracker__list", "result (289,664 characters) exceeds maximum allowed tokens."),
        ("Bash", "Exit code 1\nError: connection timeout to database"),
    ],
)
def test_other_causes_of_similar_words_have_none(tool: str, error: str) -> None:
    assert "find the cause before the next try" in rule_for(tool, error)
