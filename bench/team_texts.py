"""A seed → texts as a team's archive has them: few words everywhere, most words hardly anywhere.

Texts are made of sentences that are made beforehand, so that a million of them take a minute; each
has some words of its own, as names and numbers are.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

from bench.dice import Dice, Weighted, zipf
from bench.vocabulary import ADJECTIVES, ADVERBS, NOUNS, VERBS, identifiers, invent

_STOP_WORDS: Final = tuple(
    """
    the to a of and is in it that for this be on with not are as by from at or if we so i an can
    but was all no you its there when should will have one which then
    """.split()  # noqa: SIM905 (a list of words is easier to read)
)
_INVENTED: Final = 60_000
_SENTENCES: Final = 200_000
# How often each field is one of a text, and how many sentences it has in the middle.
_FIELDS: Final = {
    "prompt": (0.04, 2.0),
    "answer": (0.16, 3.0),
    "thinking": (0.10, 4.0),
    "input": (0.20, 2.0),
    "result": (0.46, 5.0),
    "injection": (0.04, 8.0),
}
_MOST_SENTENCES: Final = 120


class MadeText(NamedTuple):
    """The text of a block."""

    field: str
    text: str


def made_texts(seed: str, count: int) -> Iterator[MadeText]:
    """Make texts, the same for the same seed."""
    dice = Dice(seed)
    words = _vocabulary(dice)
    many = min(count, _SENTENCES)
    sentences = [" ".join(dice.picks(words, dice.randint(6, 18))) for _ in range(many)]
    fields = Weighted({field: share for field, (share, _) in _FIELDS.items()})
    for field in _picked(dice, fields, count):
        length = dice.size(_FIELDS[field][1], 0.9, 1, _MOST_SENTENCES)
        own = f"{dice.choice(words.things)} {dice.hexadecimal(10)}"
        yield MadeText(field, ". ".join([*dice.choices(sentences, k=length), own]))


def _vocabulary(dice: Dice) -> Weighted[str]:
    known = [*NOUNS, *VERBS, *ADJECTIVES, *ADVERBS]
    names = [*invent(dice, _INVENTED), *identifiers(dice, (), _INVENTED, camel=False)]
    others = dict.fromkeys([*known, *names])
    return zipf([*_STOP_WORDS, *(word for word in others if word not in _STOP_WORDS)])


def _picked(dice: Dice, fields: Weighted[str], count: int) -> Iterator[str]:
    for _ in range(count):
        yield dice.pick(fields)
