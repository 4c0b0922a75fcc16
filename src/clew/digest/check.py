"""A model's reply → a digest of what can be shown to have been said.

Whatever a model replies, only claims with a valid quote are left, in plain text of limited length;
facts decide what a model cannot know better.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from clew.conversation import Conversation
from clew.digest.model import Digest, DigestFacts, Outcome, QuotedClaim
from clew.digest.outcomes import cap_outcome
from clew.digest.plain import flatten, is_plain, strip_lead, strip_markdown
from clew.digest.quotes import Mask, QuoteIndex
from clew.digest.replies import read_reply
from clew.digest.secret_pieces import SecretPieces
from clew.digest.sentences import count_words, sentence_key
from clew.digest.title import SessionWords, check_title, first_title

CLAIM_LENGTH: Final = 300
"""So many characters the text of a claim has at most."""
MOST_CLAIMS: Final = {"summary": 6, "decisions": 10, "open_items": 10}
"""So many claims of each kind a digest has at most."""
_CLAIM_WORDS: Final = 2
_MOST_REFERENCES: Final = 50


class _CheckedClaims(msgspec.Struct):
    """The claims of one kind, and how many others there were."""

    quoted: list[QuotedClaim] = []
    dropped: int = 0


def check_reply(
    text: str,
    conversation: Conversation,
    facts: DigestFacts,
    *,
    mask: Mask = str,
    fallback_title: str = "",
) -> Digest:
    """Make a digest of a model's reply, without what cannot be shown to have been said.

    Args:
        text: The reply.
        conversation: The session that the reply is about.
        facts: What is known of it.
        mask: Replaces the secrets in a text.
        fallback_title: The title if the model's has words that nobody said.

    Raises:
        ReplyError: The reply has not the form of a digest.
    """
    reply = read_reply(text)
    index = QuoteIndex(conversation, mask)
    hide = _hide_pieces(mask, SecretPieces(index.said, index.masked))
    kinds = {
        kind: _check_claims(reply.get(kind), index, hide, most)
        for kind, most in MOST_CLAIMS.items()
    }
    quoted = sum(len(claims.quoted) for claims in kinds.values())
    words = SessionWords(index.said, index.masked)
    own = check_title(reply.get("title"), words, mask)
    return Digest(
        session_id=facts.session_id,
        title=own or first_title((fallback_title, conversation.session.title), mask),
        outcome=_check_outcome(reply.get("outcome"), facts) if quoted else Outcome.UNCLEAR,
        summary=tuple(kinds["summary"].quoted),
        decisions=tuple(kinds["decisions"].quoted),
        open_items=tuple(kinds["open_items"].quoted),
        files=facts.files,
        commits=tuple(replace(one, subject=mask(one.subject)) for one in facts.commits),
        tests=tuple(
            replace(run, command=mask(run.command), result=mask(run.result)) for run in facts.tests
        ),
        claims_quoted=quoted,
        claims_dropped=sum(claims.dropped for claims in kinds.values()),
    )


def _hide_pieces(mask: Mask, pieces: SecretPieces) -> Mask:
    """Return a mask that also masks texts with a piece of a secret."""
    return lambda text: "" if pieces.occur_in(text) else mask(text)


def _check_outcome(value: object, facts: DigestFacts) -> Outcome:
    word = value.strip().lower() if isinstance(value, str) else ""
    outcome = Outcome(word) if word in list(Outcome) else Outcome.UNCLEAR
    return cap_outcome(outcome, facts)


def _check_claims(
    values: Iterable[Any] | None, index: QuoteIndex, mask: Mask, most: int
) -> _CheckedClaims:
    """Return the claims that have a valid quote, each once."""
    claims = _CheckedClaims([])
    seen = set()
    for value in values or ():
        claim = None if len(claims.quoted) >= most else _check_claim(value, index, mask)
        key = sentence_key(claim.text) if claim else ""
        if claim is None or key in seen:
            claims.dropped += 1
        else:
            seen.add(key)
            claims.quoted.append(claim)
    return claims


def _check_claim(value: object, index: QuoteIndex, mask: Mask) -> QuotedClaim | None:
    if not isinstance(value, Mapping):
        return None
    text, quote = _check_text(value.get("text"), mask), value.get("quote")
    if not text or not isinstance(quote, str):
        return None
    found = index.find(quote, _references(value.get("messages")))
    if found is None or mask(found.text) != found.text:
        return None
    return QuotedClaim(text, found.message_ids, found.text, found.speaker)


def _check_text(value: object, mask: Mask) -> str:
    """Return a claim's text without emphasis; nothing if it is no plain text, or too long."""
    if not isinstance(value, str) or "](" in value or len(value) > 2 * CLAIM_LENGTH:
        return ""
    text = strip_markdown(strip_lead(flatten(value)))
    is_fit = len(text) <= CLAIM_LENGTH and count_words(text) >= _CLAIM_WORDS
    return text if is_fit and is_plain(text) and mask(text) == text else ""


def _references(value: object) -> list[str]:
    given = value if isinstance(value, list) else [value]
    return [one.strip("[] ") for one in given[:_MOST_REFERENCES] if isinstance(one, str)]
