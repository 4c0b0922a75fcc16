"""Of several sessions that contain an answer, one made it."""

import pytest

from clew.conversation import Claim, SessionClaim, session_claim
from tests.unit.conversation.built import entries_of

ROW = b'{"type":"user","uuid":"u","timestamp":"2026-11-02T10:00:00.000Z","message":{"role":"user"}}'
FORKED = ROW.replace(b'"uuid"', b'"forkedFrom":{"sessionId":"old","messageUuid":"m"},"uuid"')
MARKERS = b"""{"type":"mode","mode":"plan","timestamp":"2026-11-02T11:00:00.000Z"}
{"type":"mode","mode":"plan","timestamp":"2026-11-02T09:00:00.000Z"}
{"type":"mode","mode":"plan"}"""

EARLY = "2026-11-02T09:00:00.000Z"
LATE = "2026-11-02T10:00:00.000Z"
PLAIN = SessionClaim(is_fork=False, first_marker_at="~", session_id="b")
FORK = SessionClaim(is_fork=True, first_marker_at="~", session_id="a")
MARKED = SessionClaim(is_fork=False, first_marker_at=EARLY, session_id="c")


@pytest.mark.parametrize(
    ("content", "claim"),
    [
        (b"", SessionClaim(is_fork=False, first_marker_at="~", session_id="s")),
        (ROW, SessionClaim(is_fork=False, first_marker_at="~", session_id="s")),
        (FORKED, SessionClaim(is_fork=True, first_marker_at="~", session_id="s")),
        (MARKERS, SessionClaim(is_fork=False, first_marker_at=EARLY, session_id="s")),
        (b"no record\n" + FORKED + b"\n" + MARKERS, SessionClaim(True, EARLY, "s")),  # noqa: FBT003
    ],
)
def test_a_claim_is_read_from_rows_and_markers(content: bytes, claim: SessionClaim) -> None:
    assert session_claim("s", [entry.body for entry in entries_of(content)]) == claim


@pytest.mark.parametrize(
    ("stronger", "weaker"),
    [
        (FORK.on_answer(EARLY), PLAIN.on_answer(LATE)),
        (PLAIN.on_answer(EARLY), FORK.on_answer(EARLY)),
        (MARKED.on_answer(EARLY), PLAIN.on_answer(EARLY)),
        (PLAIN.on_answer(LATE), PLAIN.on_answer("")),
        (PLAIN.on_answer(EARLY), SessionClaim(False, "~", "c").on_answer(EARLY)),  # noqa: FBT003
    ],
)
def test_claims_compare_as_the_texts_of_the_archive_do(stronger: Claim, weaker: Claim) -> None:
    assert stronger < weaker
    assert _text(stronger) < _text(weaker)


def _text(claim: Claim) -> str:
    """Return a claim as the archive compares it, where an answer without a time has none."""
    return f"{claim.at.removeprefix('~')}{claim.session.text}"
