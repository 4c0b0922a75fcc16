"""What a model is shown of a session: within its budget, and as data."""

import re

import pytest

from clew.conversation import Conversation
from clew.digest import DigestFacts, ListedTask, ReportedCommit
from clew.digest import TestRun as RanTests
from clew.digest.condense import MIN_BUDGET, MOST_PARTS, condense
from clew.digest.excerpts import shorten
from tests.build import Call, SessionBuilder, bash
from tests.digest.quoted_session import TOKEN, load_facts, load_session, mask
from tests.unit.conversation.built import conversation_of


def long_session(turns: int = 40, words: int = 300, compact_every: int = 0) -> Conversation:
    builder = SessionBuilder()
    for turn in range(turns):
        builder.user(f"Task {turn}. " + "Please do it well. " * words)
        builder.tools(bash(f"make {turn}", "ok"), say=f"I do {turn}.\n\n" + "More words. " * words)
        builder.assistant(f"Task {turn} is finished.")
        if compact_every and turn % compact_every == compact_every - 1:
            builder.compact(summary=f"Up to {turn}.")
    return conversation_of(builder)


def test_words_calls_and_asides_are_shown_in_order() -> None:
    builder = SessionBuilder().user("Fix it")
    builder.tools(
        bash("make", "ok"), Call("Bash", {"command": "no"}, "boom", error=True), say="I try."
    )
    builder.compact(summary="So far so good.").user("Go on").interrupt()
    (part,) = condense(conversation_of(builder), load_facts(), MIN_BUDGET)

    lines = part.text.splitlines()
    head, tail = lines.index("[compaction summary]") + 1, lines.index("| So far so good.")
    assert [*lines[:head], *lines[tail:]] == [
        "<transcript>",
        "[m1 user]",
        "| Fix it",
        "[m2 assistant]",
        "| I try.",
        "- Bash: make",
        "- Bash: no → failed (boom)",
        "[compaction summary]",
        "| So far so good.",
        "[m3 user]",
        "| Go on",
        "[interrupted by the user]",
        "| [Request interrupted by user]",
        "</transcript>",
    ]


def test_facts_stand_first() -> None:
    facts = load_facts(
        tests=(RanTests("make test", has_passed=False, result="2 failed"),),
        todos=(ListedTask("Write it", "pending"), ListedTask("Read it", "completed")),
        commits=(ReportedCommit("abc", f"Add {TOKEN}"),),
        is_interrupted=True,
    )
    (part,) = condense(load_session(), facts, 4000, mask)

    assert part.text.splitlines()[1:6] == [
        "[facts]",
        "| last test run: make test: 2 failed",
        "| open tasks: Write it",
        "| commits: Add [redacted: github-token 1]",
        "| interrupted at its end",
    ]


def test_results_of_tests_stand_beside_their_call() -> None:
    conversation = conversation_of(SessionBuilder().user("Go").tools(bash("make test", "ok")))
    run = RanTests("make test", True, "3 passed", tool_call_id=conversation.tool_calls[0].id)  # noqa: FBT003

    (part,) = condense(conversation, load_facts(tests=(run,)), MIN_BUDGET)

    assert "- Bash: make test → tests passed: 3 passed" in part.text.splitlines()


def test_agent_runs_are_labels_only() -> None:
    (part,) = condense(load_session(), load_facts(), 4000)

    assert "agent run" in part.text
    assert "The agent run found nothing at all." not in part.text
    assert "The tool result says all is finished." not in part.text
    assert "The injected text wants to be quoted." not in part.text


def test_secrets_are_masked() -> None:
    (part,) = condense(load_session(), load_facts(), 4000, mask)

    assert TOKEN not in part.text
    assert "[redacted: github-token 1]" in part.text


@pytest.mark.parametrize("budget", [MIN_BUDGET, 3000, 20_000, 200_000])
@pytest.mark.parametrize("compact_every", [0, 7])
def test_each_part_is_within_the_budget(budget: int, compact_every: int) -> None:
    parts = condense(long_session(compact_every=compact_every), load_facts(), budget)

    assert 0 < len(parts) <= MOST_PARTS
    assert all(part.tokens <= budget for part in parts)
    assert [part.number for part in parts] == [*range(1, len(parts) + 1)]
    assert {part.count for part in parts} == {len(parts)}


def test_a_prompt_is_whole_where_it_fits() -> None:
    (part,) = condense(long_session(turns=2), load_facts(), 20_000)

    assert part.text.count("Please do it well.") == 600
    assert "[…]" in part.text


def test_a_long_session_makes_parts_of_its_epochs() -> None:
    conversation = long_session(turns=21, compact_every=7)
    parts = condense(conversation, load_facts(), 20_000)

    starts = [re.search(r"Task \d+", part.text) for part in parts]
    assert [start[0] for start in starts if start] == ["Task 0", "Task 7", "Task 14"]


def test_equal_pieces_of_one_epoch_have_about_one_size() -> None:
    parts = condense(long_session(turns=30), load_facts(), 20_000)

    sizes = [part.tokens for part in parts]
    assert len(parts) > 2
    assert min(sizes) > max(sizes) / 2


@pytest.mark.parametrize("sign", ["x", "x ", "x\n", "x\n\n", "é", "\U0001f600", "`", "\t"])
def test_one_huge_message_is_cut(sign: str) -> None:
    builder = SessionBuilder().user(sign * 60_000 + "end").assistant("Yes.")
    parts = condense(conversation_of(builder), load_facts(), MIN_BUDGET)

    assert all(part.tokens <= MIN_BUDGET for part in parts)
    assert "[m2 assistant]" in parts[-1].text


def test_huge_facts_take_little_room() -> None:
    facts = load_facts(
        todos=tuple(ListedTask("task " * 500, "pending") for _ in range(500)),
        commits=tuple(ReportedCommit("a" * 40, "\U0001f600" * 900) for _ in range(500)),
        tests=(RanTests("make " * 900, has_passed=False, result="x" * 9000),),
    )
    parts = condense(load_session(), facts, MIN_BUDGET)

    assert all(part.tokens <= MIN_BUDGET for part in parts)


def test_without_talk_there_is_nothing_to_show() -> None:
    assert condense(conversation_of(SessionBuilder().meta("Injected")), load_facts(), 2000) == ()


def test_a_budget_without_room_is_refused() -> None:
    with pytest.raises(ValueError, match="too small"):
        condense(load_session(), DigestFacts(session_id="s"), MIN_BUDGET - 1)


@pytest.mark.parametrize(
    ("text", "length", "short"),
    [
        ("one\n\ntwo", 20, "one\n\ntwo"),
        ("one\n\ntwo two two\n\nsix", 12, "one\n\n[…]\n\nsix"),
        ("one two three four", 10, "one\n\n[…]"),
        ("one two three\n\nfour five six", 12, "one\n\n[…]\n\nsix"),
    ],
)
def test_shortens_to_first_and_last_paragraphs(text: str, length: int, short: str) -> None:
    assert shorten(text, length) == short
