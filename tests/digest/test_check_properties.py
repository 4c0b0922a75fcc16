"""Whatever a model replies: an error, or a digest that breaks no rule."""

import json
from contextlib import suppress
from typing import Final

from hypothesis import given
from hypothesis import strategies as st

from clew.digest import DigestFacts, ListedTask
from clew.digest import TestRun as RanTests
from clew.digest.check import check_reply
from clew.digest.errors import ReplyError
from tests.digest.quoted_session import (
    SENTENCES,
    TOKEN,
    UNQUOTABLE,
    broken_rules,
    load_facts,
    load_session,
    mask,
)

SESSION: Final = load_session()
MARKUP: Final = (
    *("<script>", "</p>", "**", "`", "~~", "](javascript:x)", "![", "https://a.example", "www."),
    *("&lt;", "&#60;", "\u202e", "\u200b", "\x1b[31m", "\x00", "\u2028", "# ", "> ", "- ", "|"),
    *(TOKEN, TOKEN[:20], "\u0301" * 9, "m1", "…", "```", "\n"),
)
WORDS: Final = (*SENTENCES, *UNQUOTABLE, *MARKUP, "retry", "bug", "not", "the", "done", "pwned")

anything: Final = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=20,
)


@st.composite
def mixed_texts(draw: st.DrawFn) -> str:
    """Join whole and cut sentences, markup and other text."""
    pieces = draw(st.lists(st.sampled_from(WORDS) | st.text(max_size=12), max_size=6))
    joined = draw(st.sampled_from(["", " ", "\n"])).join(pieces)
    return joined[draw(st.integers(0, 8)) if draw(st.booleans()) else 0 :]


quotes: Final = st.sampled_from([*SENTENCES, *UNQUOTABLE]) | mixed_texts()
claims: Final = st.fixed_dictionaries(
    {"text": mixed_texts() | anything, "quote": quotes | anything},
    optional={"messages": st.lists(st.sampled_from(["m1", "m2", "m9", ""])) | anything},
)
lists: Final = st.lists(claims | anything, max_size=14) | anything
replies: Final = st.fixed_dictionaries(
    {"summary": lists},
    optional={
        "title": mixed_texts() | anything,
        "outcome": st.sampled_from(["done", "partly", "abandoned", "unclear"]) | anything,
        "decisions": lists,
        "open_items": lists,
        "files": anything,
        "claims_quoted": anything,
    },
)
tasks: Final = st.builds(ListedTask, st.just("a"), st.sampled_from(["completed", "pending"]))
test_runs: Final = st.builds(RanTests, st.just("make"), st.sampled_from([True, False, None]))
facts: Final = st.builds(
    load_facts,
    todos=st.lists(tasks, max_size=3).map(tuple),
    tests=st.lists(test_runs, max_size=3).map(tuple),
    is_interrupted=st.booleans(),
    has_final_error=st.booleans(),
)


@given(st.text() | mixed_texts() | anything.map(json.dumps) | replies.map(json.dumps), facts)
def test_a_reply_is_an_error_or_a_digest_that_breaks_no_rule(text: str, facts: DigestFacts) -> None:
    with suppress(ReplyError):
        digest = check_reply(text, SESSION, facts, mask=mask)
        assert broken_rules(digest, SESSION, facts) == []
        assert TOKEN not in repr(digest)


@given(st.lists(claims, min_size=1, max_size=14), facts)
def test_each_claim_is_either_quoted_or_dropped(given: list[object], facts: DigestFacts) -> None:
    text = json.dumps({"summary": given, "outcome": "done", "open_items": given})
    with suppress(ReplyError):
        digest = check_reply(text, SESSION, facts, mask=mask)
        assert broken_rules(digest, SESSION, facts) == []
        assert digest.claims_quoted + digest.claims_dropped == 2 * len(given)
