"""Digests in words: who said what, where an account comes from, how tests went."""

from typing import Final

from clew.analytics import display_name
from clew.digest import Outcome, QuotedClaim, SessionDigest, TestRun
from clew.figures import plural
from clew.parts import Tone

READER: Final = "You"
STALE: Final = "Stale: the session has changed since this digest was made."
QUOTED: Final = "“Quoted” means that somebody said it, not that it is true."
TONES: Final[dict[str, Tone]] = {"done": "good", "partly": "warn", "abandoned": "bad"}
MOST: Final = 10
"""So many files or commits are listed."""
_LAST_TESTS: Final = 10
_SPEAKERS: Final = {"user": READER, "assistant": "the assistant"}
_RESULTS: Final = {True: "passed", False: "failed", None: "no clear result"}
_RESULT_TONES: Final[dict[bool | None, Tone]] = {True: "good", False: "bad", None: ""}


def outcome_of(digest: SessionDigest) -> str:
    """Return what came of a session; most extracts cannot tell, which is not worth a word."""
    is_known = digest.outcome is not Outcome.UNCLEAR or not digest.is_extract
    return str(digest.outcome) if is_known else ""


def speaker_of(claim: QuotedClaim) -> str:
    """Return who said what a claim quotes."""
    return _SPEAKERS.get(claim.speaker, claim.speaker)


def apart_quote(claim: QuotedClaim, digest: SessionDigest) -> str:
    """Return a claim's quote, unless the claim says as much.

    An extract contains its quotes, between quotation marks. What a model puts round a quote may
    turn it round, so that the quote stands by itself.
    """
    quote = claim.quote.removesuffix(".")
    says_it = quote in claim.text if digest.is_extract else quote == claim.text.removesuffix(".")
    return "" if says_it else claim.quote


def origin_of(digest: SessionDigest) -> str:
    """Say who wrote a digest, and at what cost."""
    if digest.is_extract:
        return "Extract of facts; no model was asked."
    return f"Written by {display_name(digest.model)}, ${digest.cost_usd:.4f}."


def claim_lists(digest: SessionDigest) -> list[tuple[str, tuple[QuotedClaim, ...]]]:
    """Return the claims below their headings; the account itself has none."""
    lists = (("", digest.summary), ("Decisions", digest.decisions), ("Open", digest.open_items))
    return [(title, claims) for title, claims in lists if claims]


def listed_tests(digest: SessionDigest) -> tuple[str, tuple[TestRun, ...]]:
    """Return a title that counts all test runs, and the last of them, which are listed."""
    shown = digest.tests[-_LAST_TESTS:]
    more = f", the last {len(shown)}" if len(shown) < len(digest.tests) else ""
    return f"{plural(len(digest.tests), 'test run')}{more}", shown


def test_words(run: TestRun) -> tuple[str, Tone]:
    """Say how tests went."""
    return _RESULTS[run.has_passed], _RESULT_TONES[run.has_passed]
