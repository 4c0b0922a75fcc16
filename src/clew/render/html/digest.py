"""Digest → markup: one line until it is opened, then each claim with its quote."""

from collections.abc import Iterable

import msgspec

from clew.digest import QuotedClaim, SessionDigest, TestRun
from clew.render.digest_words import (
    MOST,
    QUOTED,
    STALE,
    TONES,
    apart_quote,
    claim_lists,
    listed_tests,
    origin_of,
    outcome_of,
    speaker_of,
    test_words,
)
from clew.render.html.escaping import anchor
from clew.render.html.formatting import day_and_clock, utc
from clew.render.html.options import HtmlOptions
from clew.render.html.templates import draw


class _DigestClaim(msgspec.Struct, frozen=True):
    text: str
    speaker: str
    quote: str
    href: str


class _DigestFact(msgspec.Struct, frozen=True):
    name: str
    text: str
    note: str = ""
    tone: str = ""
    href: str = ""


def render_digest(digest: SessionDigest, options: HtmlOptions) -> str:
    """Draw a digest; its texts are plain words, whatever they look like."""
    tests_title, tests = listed_tests(digest)
    return draw(
        "digest.html",
        digest=digest,
        outcome=outcome_of(digest),
        tone=TONES.get(digest.outcome, "quiet"),
        origin=origin_of(digest),
        made_at=utc(digest.made_at or ""),
        day=day_and_clock(digest.made_at or ""),
        stale=STALE,
        quoted=QUOTED if digest.claims_quoted else "",
        lists=[
            (title, [_claim(claim, digest, options) for claim in claims])
            for title, claims in claim_lists(digest)
        ],
        files=digest.files[:MOST],
        more_files=len(digest.files[MOST:]),
        commits=[
            _DigestFact(one.hash, one.subject, href=_href(one.message_id))
            for one in digest.commits[-MOST:]
        ],
        tests_title=tests_title,
        tests=[*map(_test, tests)],
    )


def _claim(claim: QuotedClaim, digest: SessionDigest, options: HtmlOptions) -> _DigestClaim:
    speaker = options.name_of(speaker_of(claim)) if claim.quote else ""
    return _DigestClaim(claim.text, speaker, apart_quote(claim, digest), _first(claim.message_ids))


def _test(run: TestRun) -> _DigestFact:
    words, tone = test_words(run)
    return _DigestFact(words, run.command, run.result, tone, _href(run.message_id))


def _first(message_ids: Iterable[str]) -> str:
    return next(map(_href, message_ids), "")


def _href(message_id: str) -> str:
    return f"#{anchor('m', message_id)}" if message_id else ""
