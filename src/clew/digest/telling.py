"""Answers → the sentences that tell what came out, for the line that describes a session.

An answer may begin with an interjection, say what it is about to do, or end with a question; the
last one may do nothing else. Then another sentence, or an earlier answer, tells more.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import filterfalse, islice, pairwise
from typing import Final

import msgspec

from clew.conversation import Message
from clew.digest.model import QuotedClaim
from clew.digest.plain import plain_words
from clew.digest.sentences import QUOTE_LENGTH, count_words, is_quotable, split_sentences
from clew.digest.talk import ASSISTANT, speaker_of

# Sentences near the beginning are enough; a text may be very long.
READ: Final = 2_000
_TOLD_LENGTH: Final = 300
_CLOSED: Final = (".", "!", "?", "。", "\uff01", "\uff1f", '."', ".)", "!)")
_COLONS: Final = (":", "\uff1a")
_SIGNS: Final = "\"'.!?`*-_"
_GAP: Final = "…"
_FEWEST_WORDS: Final = 2
_HEADING_WORDS: Final = 3
_FEW: Final = 6
# So many answers are looked through: those that ended a turn, and others.
_MOST_REPORTS: Final = 6
_MOST_OTHERS: Final = 10
_HEADING: Final = re.compile(r"\s{0,3}#{1,6}\s|\s*\*\*.*(?:\*\*|:)\s*\Z")
_ITEM: Final = re.compile(rf"\s*(?:[-*+•]|\d{{1,3}}[.)])\s+|\s*\||{_HEADING.pattern}")
_FRAME: Final = re.compile(r"[\u2500-\u259f]")
_LED_IN: Final = (
    r"(?:(?:ok|okay|good|great|perfect|excellent|alright|right|sure|yes|now|next|first|then|so|and"
    r"|but|also|finally)\b[\s,.!:\u2014-]*)*"
)
# What an answer says of itself, of what it is about to do, or of what is no work of the session.
_EMPTY: Final = (
    r"let me\b|let(?:'s| us)\b|i(?:'ll| will)\b|i(?:'m| am) (?:now )?(?:going|about) to\b",
    r"i(?: still)? need to\b|i should\b|time to\b|i(?: can)?(?: now)? see\b",
    r"i(?: now)? understand\b|i(?: now)? have (?:now )?(?:all|enough|everything|what i need)\b",
    r"i(?: now)? have a \w+ (?:picture|understanding)|looking at |based on .*\blet me\b",
    r"here(?:'s| is| are) |below (?:is|are) |no response requested|(?:just )?let me know\b",
    r"(?:i )?apologi[sz]e|(?:i(?:'m| am) )?(?:so |very )?sorry\b|my apologies",
    r"you(?:'re| are) (?:very )?welcome|feel free\b|ready (?:for|to|when)\b",
    r"no action (?:is )?needed|the (?:only )?remaining (?:unstaged|uncommitted|untracked)",
)
_ANNOUNCED: Final = re.compile(_LED_IN + f"(?:{'|'.join(_EMPTY)})", re.IGNORECASE)
# Answers to notifications that come late.
_DISMISSED: Final = re.compile(
    r"(?:that|this)(?:'s| is| was) (?:just |only )?(?:a|an|the) (?:(?:\w+ ){0,6}notification\b"
    r"|(?:earlier|first|initial|old|previous)\b)",
    re.IGNORECASE,
)
_EXCLAIMED: Final = re.compile(
    r"(?:good|great|nice|excellent|perfect|absolutely|exactly|understood|got it|fair|thanks"
    r"|thank you|you(?:'re| are) (?:absolutely |quite )?right|of course|sure|looks good|sounds good"
    r"|no problem|interesting|yes|yeah|yep|no(?! \w)|nope|hmm?|oh|ah|wow|oops|ok(?:ay)?)\b",
    re.IGNORECASE,
)
# Words of sentences that only say that work ended well, as counts of commits and tests do.
_STATUS_WORDS: Final = """
a ahead all and are as at been both branch build builds clean cleanly commit commits committed
complete completed done everything failures finished fmt format formatting fully goes good green has
have in including integration is issues it lint linter locally no now of origin pass passed passes
passing push pushed ready remote run runs still successful successfully suite test tests that the
there they this to too typecheck unit up with work working works zero
"""
_STATUS: Final = frozenset(_STATUS_WORDS.split())
_TOKEN: Final = re.compile(r"[^\s,;:()/]+")
_NUMBER: Final = re.compile(
    r"[\W_]*(?:\d[\d.,/%x]*|(?=[a-f]*\d)[0-9a-f]{6,40})?[\W_]*", re.IGNORECASE
)


class TellingWords(msgspec.Struct, frozen=True):
    """The sentences that tell what an answer says, and whether they say anything."""

    sentences: tuple[str, ...] = ()
    has_news: bool = False


def find_told(main: Sequence[Message]) -> tuple[QuotedClaim, ...]:
    """Return what a session's answers tell of what came out: the last ones that say something."""
    for message in _candidates(main):
        is_dismissal = _DISMISSED.match(_straight(message.text.lstrip()[:READ]))
        told = TellingWords() if is_dismissal else tell(message.text)
        if told.has_news:
            return quote_told(told, message.id)
    return ()


def quote_told(told: TellingWords, message_id: str) -> tuple[QuotedClaim, ...]:
    """Return sentences as claims, each with itself as quote if it may be quoted."""
    said = [(text, text.removeprefix(f"{_GAP} ")) for text in told.sentences]
    return tuple(
        QuotedClaim(text, (message_id,), quote if is_quotable(quote) else "", ASSISTANT)
        for text, quote in said
    )


def tell(text: str) -> TellingWords:
    """Return how an answer begins, without what only leads to it.

    Headings and items of lists say less than sentences do. A beginning that is too short to be
    quoted is followed by the next sentence that is not.
    """
    sentences = read_sentences(text)
    prose = read_sentences(_without_items(text)) if sentences else []
    headings = list(filter(_has_words, sentences))
    told, told_prose = list(filter(_is_told, sentences)), list(filter(_is_told, prose))
    leads = [one for one in prose if one.endswith(_COLONS) and is_quotable(one)]
    below = read_sentences(_without_headings(text)) if sentences else []
    items = [one for one in below if _has_words(one) and _is_more_than_label(one)]
    for pool in (told_prose, leads, told, items, list(filter(_is_more_than_label, headings))):
        opening = next(filter(_is_news, pool), None)
        if opening is not None:
            return TellingWords(_with_next(opening, pool, sentences), has_news=True)
    headings.sort(key=is_quotable, reverse=True)
    return TellingWords(_with_next(told[0], told, sentences) if told else tuple(headings[:1]))


def read_sentences(text: str, *, is_typed: bool = False) -> list[str]:
    """Return the sentences at the beginning of a text, without tables and one that was cut."""
    is_cut = len(text) > READ
    lines = text[:READ].split("\n")
    prose = "\n".join("" if line.lstrip().startswith("|") else line for line in lines)
    found = split_sentences(prose, is_typed=is_typed)
    return [sentence.text for sentence in (found[:-1] if is_cut else found)]


def _candidates(main: Sequence[Message]) -> Iterator[Message]:
    """Return answers, newest first: those that ended their turn, then those between calls."""
    answers = [message for message in main if speaker_of(message) == ASSISTANT]
    yield from islice(filter(is_final, reversed(answers)), _MOST_REPORTS)
    yield from islice(filterfalse(is_final, reversed(answers)), _MOST_OTHERS)


def is_final(message: Message) -> bool:
    """Return whether a message is an answer that came to its end, and not a request for a tool."""
    has_calls = any(block.kind == "tool_use" for block in message.blocks)
    is_answer = message.kind == "answer" and not message.is_aborted
    return is_answer and not has_calls and bool(message.text.strip())


def _with_next(opening: str, pool: Sequence[str], sentences: Sequence[str]) -> tuple[str, ...]:
    """Return a sentence, and the next one: any that can be quoted if it is too short for that."""
    following = pool[pool.index(opening) + 1 :]
    if is_quotable(opening):
        following = [one for one in following[:1] if (opening, one) in pairwise(sentences)]
    elif opening in sentences:
        following = [*following, *sentences[sentences.index(opening) + 1 :]]
    for sentence in following:
        is_short = len(opening) + len(sentence) < _TOLD_LENGTH
        if is_short and _is_told(sentence) and is_quotable(sentence) and _is_news(sentence):
            is_next = (opening, sentence) in pairwise(sentences)
            return opening, sentence if is_next else f"{_GAP} {sentence}"
    return (opening,)


def _without_items(text: str) -> str:
    """Put blank lines in place of headings and items of lists, and what belongs to them."""
    lines = []
    in_item = False
    for line in text[: READ + 1].split("\n"):
        is_item = bool(_ITEM.match(line))
        in_item = is_item or (in_item and (not line.strip() or line[:1].isspace()))
        lines.append("" if in_item else line)
    return "\n".join(lines)


def _without_headings(text: str) -> str:
    """Put blank lines in place of headings, and of lines in bold that stand for some."""
    lines = text[: READ + 1].split("\n")
    return "\n".join("" if _HEADING.match(line) else line for line in lines)


def _is_told(sentence: str) -> bool:
    return sentence.endswith(_CLOSED) and _has_words(sentence)


def _has_words(sentence: str) -> bool:
    return len(sentence) <= QUOTE_LENGTH and count_words(plain_words(sentence)) >= _FEWEST_WORDS


def _is_more_than_label(heading: str) -> bool:
    is_label = heading.endswith(_COLONS) or count_words(heading) < _HEADING_WORDS
    return not (is_label or _FRAME.search(heading))


def _is_news(sentence: str) -> bool:
    """Return whether a sentence says something that is not an announcement or a question."""
    straight = _straight(sentence)
    if sentence.endswith(("?", "\uff1f")) or _ANNOUNCED.match(straight):
        return False
    if _EXCLAIMED.match(straight) and count_words(sentence) <= _FEW:
        return False
    return not sentence.isascii() or not _is_status(sentence)


def _straight(text: str) -> str:
    return text.replace("\u2019", "'")


def _is_status(sentence: str) -> bool:
    """Return whether a sentence says no more than that something is done, passed or committed."""
    words = (token.strip(_SIGNS).casefold() for token in _TOKEN.findall(sentence))
    telling = (word for word in words if word not in _STATUS and not _NUMBER.fullmatch(word))
    return not any(telling)
