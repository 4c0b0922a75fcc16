"""Extracts: digests that are made of facts and quotes alone."""

import msgspec
import pytest

from clew.digest import (
    Digest,
    DigestFacts,
    ListedTask,
    Outcome,
    QuotedClaim,
    ReportedCommit,
    TestRun,
    TouchedFile,
    describe,
    find_outcome,
    make_extract,
)
from clew.digest.plain import plain_words

PROMPT = QuotedClaim("Fix the parser", ("m1",), "Please fix the old parser now.", "user")
ANSWER = QuotedClaim("All of it works now.", ("m9",), "All of it works now.", "assistant")
DONE = DigestFacts(
    session_id="s",
    title="Fix the parser",
    cwd="/app",
    first_prompt=PROMPT,
    last_answer=(ANSWER,),
    files=(TouchedFile("/app/a.py", 2, 1, "2026-11-01T09:00"),),
    commits=(ReportedCommit("1a2b3c4", "Add it", "main", "m5", "2026-11-01T09:02"),),
    tests=(
        TestRun("pytest -q", has_passed=True, result="3 passed in 0.1s", at="2026-11-01T09:01"),
    ),
    todos=(ListedTask("Parse", "completed"), ListedTask("Test", "completed")),
    has_final_answer=True,
    prompted_at="2026-11-01T08:59",
    listed_at="2026-11-01T09:03",
)
FAILED = (TestRun("pytest", has_passed=False),)
OPEN = (ListedTask("Parse", "completed"), ListedTask("Test", "pending"))


def changed(**fields: object) -> DigestFacts:
    return msgspec.structs.replace(DONE, **fields)


@pytest.mark.parametrize(
    ("facts", "outcome"),
    [
        (DONE, Outcome.DONE),
        (changed(todos=()), Outcome.DONE),
        (changed(todos=(), commits=()), Outcome.DONE),
        (changed(todos=(), tests=()), Outcome.DONE),
        (changed(tests=FAILED), Outcome.PARTLY),
        (changed(todos=OPEN), Outcome.PARTLY),
        (changed(is_interrupted=True), Outcome.PARTLY),
        (changed(has_final_error=True), Outcome.PARTLY),
        (changed(is_interrupted=True, files=(), commits=()), Outcome.ABANDONED),
        (changed(has_final_answer=False), Outcome.UNCLEAR),
        (changed(tests=(), commits=()), Outcome.DONE),
        (changed(tests=(), commits=(), lacks_change=True), Outcome.UNCLEAR),
        (changed(lacks_change=True), Outcome.DONE),
        (changed(todos=(), prompted_at="2026-11-01T10:00"), Outcome.UNCLEAR),
        (changed(todos=(), tests=(), commits=()), Outcome.UNCLEAR),
        (changed(todos=(), files=(TouchedFile("/a", at="2026-11-01T09:09"),)), Outcome.UNCLEAR),
        (changed(tests=FAILED, files=(), commits=(), todos=()), Outcome.UNCLEAR),
        (DigestFacts(session_id="s"), Outcome.UNCLEAR),
    ],
)
def test_a_session_is_done_only_if_facts_show_it_and_none_contradicts(
    facts: DigestFacts, outcome: Outcome
) -> None:
    assert find_outcome(facts) is outcome


def test_the_summary_says_what_happened_in_order() -> None:
    digest = make_extract(DONE)

    assert [claim.text for claim in digest.summary] == [
        'The session began with "Please fix the old parser now".',
        "1 file was changed: a.py.",
        'Git reported 1 commit: 1a2b3c4, "Add it".',
        "The test run passed (pytest -q; 3 passed in 0.1s).",
        "2 of 2 tasks completed.",
        'The last answer says: "All of it works now".',
    ]
    assert [claim.quote for claim in digest.summary if claim.quote] == [PROMPT.quote, ANSWER.quote]
    assert digest.claims_quoted == 2
    assert digest.model == "extract"


def test_an_answer_is_told_by_its_first_sentences() -> None:
    short = QuotedClaim("All green.", ("m9",), "", "assistant")

    facts = changed(last_answer=(short, ANSWER))

    ending = make_extract(facts).summary[-1]
    assert ending.text == 'The last answer says: "All green. All of it works now".'
    assert (ending.quote, ending.message_ids) == (ANSWER.quote, ("m9",))
    assert describe(facts).endswith(" · All green. All of it works now.")


def test_an_empty_session_has_a_summary_too() -> None:
    digest = make_extract(DigestFacts(session_id="s"))

    assert len(digest.summary) == 3
    assert digest.title == ""


def test_open_tasks_are_open_items() -> None:
    assert [item.text for item in make_extract(changed(todos=OPEN)).open_items] == ["Test"]


def test_a_long_title_is_cut_at_a_word() -> None:
    title = make_extract(changed(title="Refactor " * 20)).title

    assert len(title) <= 60
    assert title.endswith("Refactor…")


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("See [the docs](https://a.example/x) and `code`", "See the docs and code"),
        ("Open https://a.example/x?y=1 now", "Open … now"),
        ("The <b>bold</b> <script>alert(1)</script> one", "The …bold… …alert(1)… one"),
        ("a\x1b[31mred\x00\u202eevil\n\nb", "a [31mred evil b"),
        ("an ![image](x.png) **bold", "an image bold"),
        ("List<String> a &amp; b", "List… a … b"),
    ],
)
def test_texts_are_plain(text: str, plain: str) -> None:
    assert plain_words(text) == plain


def test_a_description_says_what_came_out() -> None:
    said = (
        "1 file changed · 1 commit · tests passed · 2 of 2 tasks completed · All of it works now."
    )

    assert describe(DONE) == said
    assert describe(DigestFacts(session_id="s")) == ""
    assert describe(changed(todos=(), tests=FAILED)).startswith(
        "1 file changed · 1 commit · tests failed"
    )


def test_a_description_of_a_model_s_digest_begins_with_facts_and_then_its_account() -> None:
    digest = Digest(
        session_id="s", summary=(QuotedClaim("The parser was fixed."),), files=DONE.files, model="m"
    )

    assert describe(digest) == "1 file changed · The parser was fixed."
