"""A digest as Markdown: a line below the facts, and the claims of a model with their quotes."""

from collections.abc import Iterator

from clew.digest import QuotedClaim, SessionDigest, TestRun
from clew.render.digest_words import (
    QUOTED,
    STALE,
    apart_quote,
    claim_lists,
    listed_tests,
    origin_of,
    outcome_of,
    speaker_of,
    test_words,
)
from clew.render.markdown.inline import code_span, inline


def digest_line(digest: SessionDigest) -> str:
    """Write what came of a session in one line."""
    stale = f"*{inline(STALE)}*" if digest.is_stale else ""
    outcome = outcome_of(digest)
    words = (outcome and f"**{outcome}**", inline(digest.description), stale)
    return " · ".join(filter(None, words))


def digest_blocks(digest: SessionDigest) -> Iterator[str]:
    """Write the digest of a model; an extract says no more than its line and the page."""
    if digest.is_extract:
        return
    yield "## Digest"
    for title, claims in claim_lists(digest):
        if title:
            yield f"**{title}**"
        yield "\n".join(_claim(claim, digest) for claim in claims)
    yield from _facts(digest)
    made = (digest.made_at or "")[: len("2026-11-14")]
    yield f"*{inline(' '.join(filter(None, (origin_of(digest), made and f'{made}.', QUOTED))))}*"


def _claim(claim: QuotedClaim, digest: SessionDigest) -> str:
    if not claim.quote:
        return f"- {inline(claim.text)}"
    quote = inline(apart_quote(claim, digest))
    said = f"quoted, {speaker_of(claim)}" + (f": “{quote}”" if quote else "")
    return f"- {inline(claim.text)}  \n  {said}"


def _facts(digest: SessionDigest) -> Iterator[str]:
    if digest.commits:
        yield "**Commits**"
        yield "\n".join(f"- {code_span(c.hash)} {inline(c.subject)}" for c in digest.commits)
    if digest.tests:
        title, tests = listed_tests(digest)
        yield f"**{title}**"
        yield "\n".join(map(_test, tests))


def _test(run: TestRun) -> str:
    return f"- {test_words(run)[0]}: {code_span(run.command)} {inline(run.result)}".rstrip()
