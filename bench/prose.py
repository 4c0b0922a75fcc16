"""Sentences, prompts, answers and titles about a project, in its own words."""

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import cycle
from typing import Final

from bench.dice import Dice, Weighted, zipf
from bench.vocabulary import (
    ADJECTIVES,
    ADVERBS,
    FOREIGN,
    NOUNS,
    VERBS,
    invent,
    past,
    progressive,
    third_person,
)

POOL: Final = 4_000
PARAGRAPH: Final = 240

# N noun, A adjective, R adverb; W V G D are a verb's forms; X and P are names and paths.
PATTERNS: Final = (
    "The N V the A N before the N V it.",
    "I R see that X V a A N instead of the N.",
    "Let me W the N and W how P V it.",
    "Now I'll W X so that the N R V.",
    "This V because the A N is R D by the N N.",
    "We should W the N in P, since the A N can W twice.",
    "The N is A, but the N N still V the A one.",
    "If the N is A, X V and the N is never D.",
    "Good, the N N now V. Next I W the N in P.",
    "There are two Ns to W: the A N and the N that V X.",
    "It R V when G a N with a A N.",
    "Looking at P, the N V X for each N and the A N is D.",
    "That N was D by the N N; the A N V nothing.",
    "The test for X expects a A N, yet the N is A.",
    "G the N here would W the A N that other Ns need.",
    "So the N must be A and the N must W before G.",
    "Each N V its own N, which keeps the N N A.",
    "I want to W whether the N V a N when X is A.",
    "Without the N, the N N V an A N and the N is lost.",
    "All Ns pass except the one in P that V the A N.",
    "Both X and X W the same N, so one N is enough.",
    "First W the N, then W the A N, R W the rest.",
    "My guess is that P R V what X already D.",
    "The N \u2014 and only that one \u2014 is A.",
    "X \u2192 P \u2192 N: \u2713",
    'The client says "N is A", so X must W.',
    "You are right: X V too early, so the N stays A.",
    "Before G anything, I'd like to know who V the N.",
    "Note that X and P disagree about the A N.",
    "Done. The N in P is A again and every N V.",
    "Hm, that still V; perhaps the N is D twice.",
    "Nothing else V X, hence it is safe to W it.",
    "According to P, a A N is only D once per N.",
    "One quick look shows that the N of X is A.",
    "Then P can W its N without G the other ones.",
)
PROMPTS: Final = (
    "W the N in P",
    "why does X W the A N?",
    "please W the N so that the N N is A",
    "the N is still A, can you W it",
    "add a test for X",
    "W the A N and W the Ns that V it",
    "commit this",
    "yes",
    "continue",
    "run the tests again",
    "I get an error when G the N: the N is A. W it",
    "how does the N N W with P?",
    "looks good, now W the N N",
)
TITLES: Final = ("W N N", "W A N in N N", "A N N", "G the N N", "W N for A Ns")
NUMBERS: Final = ("%d lines", "line %d", "%d ms", "step %d", "%d bytes", "v%d", "#%d", "port %d")
FORMS: Final[Mapping[str, Callable[[str], str]]] = {
    "W": str,
    "V": third_person,
    "G": progressive,
    "D": past,
}
SLOT: Final = re.compile(r"\b[NARWVGDXP](?=s?\b)")


class Prose:
    """A project's way of speaking: its own favourite words, sentences and names."""

    def __init__(self, dice: Dice, names: Sequence[str], paths: Sequence[str]) -> None:
        self._dice = dice
        self._words = [zipf(words) for words in _favourites(dice)]
        self._open = [
            *dice.picks(zipf(_compounds(dice, self._words[0]), shift=20), 9_000),
            *(f"`{name}`" for name in dice.picks(zipf(names, shift=20), 4_000)),
            *(f"`{path}`" for path in dice.picks(zipf(paths), 1_500)),
            *(dice.choice(NUMBERS) % dice.size(40, 1.5, 2, 99_999) for _ in range(1_500)),
        ]
        self._sentences = self._draft(PATTERNS, POOL, 0.85)
        self._prompts = self._draft(PROMPTS, 400, 0.85)
        self._titles = self._draft(TITLES, 400, 0.0)

    def text(self, length: int) -> str:
        """Give whole sentences of about this length together."""
        count = max(1, round(length / 78))
        return self._fill(" ".join(self._dice.choices(self._sentences, k=count)))

    def paragraphs(self, length: int) -> str:
        """Give text of about this length, with a break every few sentences."""
        if length < PARAGRAPH:
            return self.text(length)
        return "\n\n".join(self.text(PARAGRAPH) for _ in range(round(length / PARAGRAPH)))

    def prompt(self, length: int) -> str:
        """Give what a person types: a short request, or one with its background."""
        if self._dice.chance(0.02):
            return self._dice.choice(FOREIGN)
        request = self._fill(self._dice.choice(self._prompts))
        return request if length <= len(request) + 40 else f"{request}\n\n{self.paragraphs(length)}"

    def title(self) -> str:
        """Give a session's name in a few words."""
        return self._dice.choice(self._titles)

    def answer(self, length: int) -> str:
        """Give an answer as a model writes it: plain when short, else with headings and lists."""
        if length < 400:  # noqa: PLR2004 (about five sentences)
            return self.text(length)
        blocks = [self.text(160)]
        size = 160
        while size < length:
            blocks.append(self._block(min(length - size, 500)))
            size += len(blocks[-1])
        return "\n\n".join(blocks)

    def _block(self, length: int) -> str:
        if self._dice.chance(0.15):
            return f"## {self.title()}\n\n{self.text(length)}"
        if self._dice.chance(0.15):
            rows = [f"| {self.title()} | {self._dice.randint(1, 900)} |" for _ in range(4)]
            return "\n".join(["| what | count |", "|---|---|", *rows])
        if self._dice.chance(0.4):
            return self.paragraphs(length)
        items = [self.text(80) for _ in range(max(2, length // 90))]
        return "\n".join(f"- **{self.title()}**: {item}" for item in items)

    def _fill(self, text: str) -> str:
        holes = text.count("%s")
        return text % tuple(self._dice.choices(self._open, k=holes)) if holes else text

    def _draft(self, patterns: Sequence[str], count: int, openness: float) -> list[str]:
        """Put words into patterns, but leave some nouns open until the sentence is used."""
        frames = [(SLOT.sub("%s", pattern), SLOT.findall(pattern)) for pattern in patterns]
        drawn = {slot: cycle(words) for slot, words in self._draw(count, openness).items()}
        sentences = (
            frame % tuple([next(drawn[slot]) for slot in slots])
            for frame, slots in self._dice.choices(frames, k=count)
        )
        return [sentence[:1].upper() + sentence[1:] for sentence in sentences]

    def _draw(self, count: int, openness: float) -> dict[str, list[str]]:
        nouns, verbs, adjectives, adverbs = self._words
        closed = int(count * (1 - openness))
        drawn = {
            "N": [*self._dice.picks(nouns, closed), *["%s"] * (count - closed)],
            "A": self._dice.picks(adjectives, count),
            "R": self._dice.picks(adverbs, count),
            "X": ["%s"],
            "P": ["%s"],
        }
        self._dice.shuffle(drawn["N"])
        for slot, inflect in FORMS.items():
            drawn[slot] = [inflect(verb) for verb in self._dice.picks(verbs, count)]
        return drawn


def _favourites(dice: Dice) -> tuple[list[str], ...]:
    """Order the words anew: what one project speaks of all day, another never mentions."""
    nouns = [*NOUNS[:40], *dice.sample(NOUNS[40:], len(NOUNS) - 40), *invent(dice, 400)]
    verbs = [*VERBS[:20], *dice.sample(VERBS[20:], len(VERBS) - 20)]
    return nouns, verbs, dice.sample(ADJECTIVES, len(ADJECTIVES)), list(ADVERBS)


def _compounds(dice: Dice, nouns: Weighted[str]) -> list[str]:
    """Give nouns alone and in pairs, as technical prose stacks them."""
    pairs = zip(dice.picks(nouns, 3_000), dice.picks(nouns, 3_000), strict=True)
    return list(dict.fromkeys(f"{a} {b}" if dice.chance(0.5) else a for a, b in pairs))
