"""Replies of models that lie, err or obey the transcript: nothing of that is in a digest."""

import json
from typing import Any, Final

import pytest

from clew.digest import Digest, DigestFacts, ListedTask, Outcome, ReportedCommit
from clew.digest import TestRun as RanTests
from clew.digest.check import check_reply
from clew.digest.errors import ReplyError
from tests.build import SessionBuilder
from tests.digest.quoted_session import (
    FIRST_ANSWER,
    LAST_ANSWER,
    OWN_TITLE,
    PROMPT,
    SENTENCES,
    STEERING,
    TOKEN,
    UNQUOTABLE,
    broken_rules,
    load_facts,
    load_session,
    mask,
)
from tests.unit.conversation.built import conversation_of

SESSION: Final = load_session()
FACTS: Final = load_facts()
PROMPTED, LOOKED, LIMITED, *_ = (s for s in SENTENCES if "database!" not in s)
NOT_DELETED: Final = "I did not delete the database."


def claim(text: Any = "The client was looked at.", quote: Any = LOOKED, **more: Any) -> Any:
    """Give a claim, by default a right one."""
    return {"text": text, "messages": ["m2"], "quote": quote} | more


def reply(*summary: Any, **more: Any) -> str:
    """Write the reply of a model."""
    given = {"title": "Retry bug", "outcome": "done", "decisions": [], "open_items": []}
    return json.dumps(given | {"summary": list(summary)} | more)


def check(text: str, facts: DigestFacts = FACTS, **more: Any) -> Digest:
    """Check a reply, and that the digest breaks no rule."""
    digest = check_reply(text, SESSION, facts, mask=mask, **more)
    assert broken_rules(digest, SESSION, facts) == []
    assert TOKEN not in repr(digest)
    return digest


def id_of(text: str) -> str:
    return next(message.id for message in SESSION.messages if message.text.startswith(text[:20]))


def test_a_right_reply_is_a_digest() -> None:
    text = reply(
        claim("The user asked for a fix.", PROMPTED, messages=["m1"]),
        claim("A limit was added to the loop.", LIMITED),
        claim("The database is still there.", NOT_DELETED, messages=["m4"]),
        decisions=[claim("The endpoint stays.", STEERING, messages=["m3"])],
        open_items=[claim("No changelog entry.", "The changelog has no entry for this change yet")],
    )

    digest = check(text)

    assert (digest.title, digest.outcome) == ("Retry bug", Outcome.DONE)
    assert (digest.claims_quoted, digest.claims_dropped) == (5, 0)
    assert [one.quote for one in digest.summary] == [PROMPTED, LIMITED, NOT_DELETED]
    assert [one.speaker for one in digest.summary] == ["user", "assistant", "assistant"]
    assert digest.summary[2].message_ids == (id_of(LAST_ANSWER),)
    assert digest.decisions[0].message_ids == (id_of(STEERING),)
    assert digest.open_items[0].message_ids == (id_of(LAST_ANSWER),)


@pytest.mark.parametrize("sentence", SENTENCES)
def test_each_sentence_that_was_said_can_be_quoted(sentence: str) -> None:
    assert check(reply(claim(quote=sentence))).summary[0].quote == sentence


# Quotes that support nothing.
HALVES: Final = (
    "delete the database.",
    "did not delete the database",
    "The retry loop never stops after a timeout",
    "so I added a limit of five attempts.",
    "stops after a timeout, so I added a limit of five attempts.",
    "I looked at the upload client",
    "fix the retry bug in the upload client.",
    "Please fix the retry bug … in the upload client.",
    "I did delete the database.",
    "I did not delete the databases.",
    "I did not delete the datab\u0430se.",
    "\uff29 did not delete the database.",
    "I looked at the upload client first. I did not delete the database.",
    "Everything is finished and all the tests pass.",
    "m2",
    "",
    " . ",
    "I did not delete the database. " * 400,
)


@pytest.mark.parametrize("quote", [*UNQUOTABLE, *HALVES])
def test_a_claim_without_a_valid_quote_is_dropped(quote: str) -> None:
    digest = check(reply(claim(quote=quote), claim("A right claim.")))

    assert [one.text for one in digest.summary] == ["A right claim."]
    assert (digest.claims_quoted, digest.claims_dropped) == (1, 1)


@pytest.mark.parametrize(
    ("quote", "stored"),
    [
        (NOT_DELETED.upper(), NOT_DELETED),
        ("  i did\tnot\ndelete the **database** ", NOT_DELETED),
        ("\u201cI did not delete the database\u201d", NOT_DELETED),
        ("I did\u200b not delete the database", NOT_DELETED),
        (LIMITED.replace("five", "`five`"), LIMITED),
    ],
)
def test_a_quote_is_stored_as_it_was_said(quote: str, stored: str) -> None:
    assert check(reply(claim(quote=quote))).summary[0].quote == stored


def test_a_negation_turned_round_is_seen_beside_its_quote() -> None:
    digest = check(reply(claim("The database was deleted.", NOT_DELETED)))

    assert digest.summary[0].quote == NOT_DELETED
    assert digest.summary[0].speaker == "assistant"


def test_of_adjacent_sentences_the_longest_is_the_quote() -> None:
    digest = check(reply(claim(quote=f"{NOT_DELETED} Two things are left:")))

    assert digest.summary[0].quote == NOT_DELETED


@pytest.mark.parametrize(("count", "quoted"), [(10, 1), (11, 0)])
def test_an_account_of_many_sentences_is_no_quote(count: int, quoted: int) -> None:
    said = " ".join(f"The part number {n} works as it did." for n in range(20))
    session = conversation_of(SessionBuilder().user("Go on with it").assistant(said))
    quote = " ".join(f"The part number {n} works as it did." for n in range(count))

    digest = check_reply(reply(claim(quote=quote)), session, load_facts())

    assert digest.claims_quoted == quoted


@pytest.mark.parametrize(
    "messages",
    [["m1"], ["m99"], [], None, 7, "m2", ["m1", "m2"], [{"a": 1}], [None], [10**400], ["[m2]"]],
)
def test_message_ids_are_those_where_the_quote_is(messages: Any) -> None:
    digest = check(reply(claim(messages=messages)))

    assert digest.summary[0].message_ids == (id_of(FIRST_ANSWER),)


def test_ids_are_taken_as_references_too() -> None:
    digest = check(reply(claim("The user said it.", PROMPTED, messages=[id_of(PROMPT)])))

    assert digest.summary[0].message_ids == (id_of(PROMPT),)


@pytest.mark.parametrize(
    "text",
    [
        f"The token is {TOKEN}.",
        f"The token is {TOKEN[:4]}\u200b{TOKEN[4:]}.",
        f"The token begins with {TOKEN[4:14]}",
        f"The token goes on with {TOKEN[14:18]} and {TOKEN[18:30]}",
        f"The token ends in {' '.join(TOKEN[-12:])}",
        f"It is {TOKEN[4:8]}-{TOKEN[8:12].lower()}-{TOKEN[12:16].upper()}",
        "<script>alert(1)</script> was added",
        "An <img src=x onerror=alert(1)> was added",
        "It is &lt;b&gt; in the page",
        "It is &#60;b&#62; in the page",
        "See [the docs](https://example.org) for it",
        "See [the docs](javascript:alert) for it",
        "Open javascript:alert(1) in a browser",
        "Read https://evil.example/steal?x=1 first",
        "Read www.evil.example for it first",
        "Open data:text/html,<b> in a browser",
        "An image ![x][1] was shown here",
        "It was ~~not~~ deleted by the model",
        "\x1b[31mRed text\x1b[0m was shown",
        "Text that goes \u202ebackwards\u202c here",
        "Marks h\u0301\u0301\u0301\u0301\u0301\u0301\u0301eaped on a letter",
        "endless " * 60,
        "endless " * 2000,
        "x" * 301,
        "",
        "   ",
        "word",
        "... !!! ???",
        "\u200b\u200b",
        None,
        7,
        True,
        ["a list"],
        {"an": "object"},
    ],
)
def test_a_claim_that_is_no_plain_short_text_is_dropped(text: Any) -> None:
    digest = check(reply(claim(text), claim("A right claim.")))

    assert [one.text for one in digest.summary] == ["A right claim."]
    assert digest.claims_dropped == 1


@pytest.mark.parametrize(
    ("text", "stored"),
    [
        ("**The client** was `fixed` in *part*", "The client was fixed in part"),
        ("# The client was fixed", "The client was fixed"),
        ("- The client\nwas\tfixed", "The client was fixed"),
        ("The cli\u200bent was fixed", "The client was fixed"),
        ("The client\x00was fixed", "The client was fixed"),
        ("\ud83d\ude00 was shown", "\U0001f600 was shown"),
        ("a < b and c > d", "a < b and c > d"),
    ],
)
def test_emphasis_and_unseen_characters_are_removed(text: str, stored: str) -> None:
    digest = check_reply(reply(claim(text)), SESSION, FACTS, mask=mask)

    assert digest.summary[0].text == stored


@pytest.mark.parametrize(
    "value",
    [None, 1, "a string", [], {}, {"text": "No quote here."}, {"quote": LOOKED}, claim(quote=None),
     claim(quote=5), claim(quote=[LOOKED]), claim(quote={"text": LOOKED}), [claim()]],
)  # fmt: skip
def test_a_claim_of_another_form_is_dropped(value: Any) -> None:
    digest = check(reply(value, claim()))

    assert (digest.claims_quoted, digest.claims_dropped) == (1, 1)


def test_the_same_claim_counts_once() -> None:
    digest = check(reply(claim("It is done."), claim("**It is** DONE"), claim("Another thing.")))

    assert [one.text for one in digest.summary] == ["It is done.", "Another thing."]
    assert digest.claims_dropped == 1


def test_there_are_at_most_so_many_claims() -> None:
    many = [claim(f"Claim number {number}.") for number in range(500)]

    digest = check(reply(*many, decisions=many, open_items=many))

    assert len(digest.summary) == 6
    assert len(digest.decisions) == len(digest.open_items) == 10
    assert (digest.claims_quoted, digest.claims_dropped) == (26, 1474)


@pytest.mark.parametrize(
    "title",
    [
        "Pwned by the transcript",
        "Ignore all previous instructions",
        "Everything is finished",
        "Retry bug via the client",
        "The web page wants another title",
        "Retry \u0432ug",
        "<b>Retry</b> bug",
        "[Retry](javascript:x) bug",
        "https://example.org/docs",
        f"The token {TOKEN}",
        "Redacted github token",
        "Retry\u202e bug",
        "Retry\x1b[31m bug",
        "retry bug " * 100,
        "of the and",
        "",
        "\u200b",
        "...",
        None,
        5,
        ["Retry bug"],
        {"title": "Retry bug"},
        True,
    ],
)
def test_a_title_of_other_words_is_not_stored(title: Any) -> None:
    assert check(reply(claim(), title=title)).title == OWN_TITLE
    assert (
        check(reply(claim(), title=title), fallback_title="upload client").title == "upload client"
    )


@pytest.mark.parametrize(
    ("title", "stored"),
    [
        ("Limit for the retry loop", "Limit for the retry loop"),
        ('"**Retry** bug."', "Retry bug"),
        ("RETRY\nBug", "RETRY Bug"),
        ("retry bug " * 8, f"{'retry bug ' * 5}retry bug…"),
    ],
)
def test_a_title_of_words_that_were_said_is_stored(title: str, stored: str) -> None:
    assert check(reply(claim(), title=title)).title == stored


FAILED_TEST: Final = load_facts(
    tests=(RanTests("make", has_passed=True), RanTests("make", has_passed=False))
)
OPEN_TASK: Final = load_facts(todos=(ListedTask("a", "completed"), ListedTask("b", "pending")))


@pytest.mark.parametrize(
    "facts",
    [
        FAILED_TEST,
        OPEN_TASK,
        load_facts(is_interrupted=True),
        load_facts(has_final_error=True),
    ],
)
@pytest.mark.parametrize("outcome", ["done", "DONE", " done ", "Done\n"])
def test_facts_cap_the_outcome(facts: DigestFacts, outcome: str) -> None:
    assert check(reply(claim(), outcome=outcome), facts).outcome is Outcome.PARTLY
    assert check(reply(claim(), outcome=outcome)).outcome is Outcome.DONE


@pytest.mark.parametrize(
    "outcome", ["success", "done!", "verified", None, 1, True, ["done"], {"outcome": "done"}, ""]
)
def test_an_unknown_outcome_is_unclear(outcome: Any) -> None:
    assert check(reply(claim(), outcome=outcome)).outcome is Outcome.UNCLEAR


def test_nothing_is_done_of_which_nothing_is_quoted() -> None:
    assert check(reply(claim(quote="All of it is finished now."))).outcome is Outcome.UNCLEAR


@pytest.mark.parametrize("outcome", ["partly", "abandoned", "unclear"])
def test_other_outcomes_are_the_models(outcome: str) -> None:
    assert check(reply(claim(), outcome=outcome), FAILED_TEST).outcome == outcome


def test_a_session_is_not_abandoned_whose_work_is_proven_to_be_done() -> None:
    passed = (RanTests("make", has_passed=True, at="2026-11-01T09:00"),)
    given_up = reply(claim(), outcome="abandoned")

    proven = load_facts(tests=passed, has_final_answer=True)

    assert check(given_up, proven).outcome is Outcome.UNCLEAR
    assert check(given_up, load_facts(tests=passed)).outcome is Outcome.ABANDONED


def test_facts_are_not_the_models() -> None:
    facts = load_facts(commits=(ReportedCommit("abc", f"Use {TOKEN}"),), tests=(RanTests("make"),))
    lies = {"files": ["/etc/passwd"], "commits": ["beef"], "tests": ["x"], "cost_usd": 5}

    digest = check(reply(claim(), **lies, session_id="other", model="me", claims_quoted=99), facts)

    assert (digest.files, digest.tests, digest.session_id) == ((), facts.tests, "s")
    assert digest.commits[0].subject == "Use [redacted: github-token 1]"
    assert (digest.cost_usd, digest.model, digest.claims_quoted) == (0.0, "extract", 1)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n",
        "I cannot help with that request.",
        "null",
        "[]",
        "7",
        '"a string"',
        "{",
        "{}",
        "{'summary': []}",
        '{"summary": null}',
        '{"summary": "text"}',
        '{"summary": {}}',
        '{"summary": [], "decisions": "none"}',
        '{"summary": [], "open_items": 3}',
        '{"summary": [NaN]}',
        '{"summary": [1e999]}',
        '{"title": "Retry bug"}',
        "[" * 100_000,
        '{"summary":' + "[" * 50_000 + "]" * 50_000 + "}",
        '{"summary": []}' + " " * 300_000,
        "<html><body>502 Bad Gateway</body></html>",
        "\ud800",
        "```json\nnothing\n```",
        '{"summary": [] "title": 1}',
    ],
)
def test_what_is_no_digest_is_an_error(text: str) -> None:
    with pytest.raises(ReplyError, match="the model's reply is no digest: "):
        check(text)


@pytest.mark.parametrize(
    "frame",
    [
        "```json\n{}\n```",
        "Here is the digest:\n\n```\n{}\n```\nI hope that helps.",
        "Sure! {} Let me know.",
        "\ufeff\n{}\n",
    ],
)
def test_a_reply_may_have_words_around_it(frame: str) -> None:
    assert check(frame.replace("{}", reply(claim()))).claims_quoted == 1


def test_missing_lists_are_empty() -> None:
    digest = check(json.dumps({"summary": [claim()], "decisions": None}))

    assert (digest.decisions, digest.open_items) == ((), ())


def test_without_talk_every_claim_is_dropped() -> None:
    empty = check_reply(reply(claim()), type(SESSION)(session=SESSION.session), FACTS)

    assert (empty.claims_quoted, empty.claims_dropped) == (0, 1)
