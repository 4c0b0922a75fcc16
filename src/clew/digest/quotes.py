"""A conversation → the sentences that claims may quote, and where they were said."""

from collections.abc import Callable, Collection
from typing import Final, TypeAlias

import msgspec

from clew.conversation import Conversation
from clew.digest.sentences import (
    QUOTE_LENGTH,
    Sentence,
    is_quotable,
    sentence_key,
    split_sentences,
)
from clew.digest.talk import USER, Spoken, find_spoken

Mask: TypeAlias = Callable[[str], str]
"""Replaces the secrets in a text."""
_MOST_MESSAGES: Final = 5
# A quote is one sentence; models add those beside it. More of them are compared for nothing.
_MOST_SENTENCES: Final = 10
_LONGEST_KEY: Final = 4 * QUOTE_LENGTH


class FoundQuote(msgspec.Struct, frozen=True):
    """A quote as it was said, by whom, and in which messages."""

    text: str
    speaker: str
    message_ids: tuple[str, ...]


class QuoteIndex:
    """Finds quotes in the prompts and answers of a session's main thread."""

    def __init__(self, conversation: Conversation, mask: Mask) -> None:
        self._spoken = find_spoken(conversation)
        self._names = _message_names(self._spoken)
        self.said = [spoken.text for spoken in self._spoken]
        self.masked = [mask(text) for text in self.said]
        self._sentences = [
            _quotable(spoken, masked)
            for spoken, masked in zip(self._spoken, self.masked, strict=True)
        ]
        self._places: dict[str, list[tuple[int, int]]] = {}
        for number, sentences in enumerate(self._sentences):
            for position, sentence in enumerate(sentences):
                if sentence.key:
                    self._places.setdefault(sentence.key, []).append((number, position))

    def find(self, quote: str, references: Collection[str] = ()) -> FoundQuote | None:
        """Find a whole sentence; of several adjacent ones, the longest is taken.

        `references` name the messages to prefer.
        """
        if len(quote) > _LONGEST_KEY:
            return None
        places = self._find_places(quote)
        named = {self._names[name] for name in references if name in self._names}
        preferred = [place for place in places if place[0] in named] or places
        text = self._longest(*preferred[0]) if preferred else ""
        return self._found(text, [place[0] for place in preferred]) if text else None

    def _found(self, text: str, numbers: list[int]) -> FoundQuote:
        spoken = [self._spoken[number] for number in numbers]
        speaker = spoken[0].speaker
        ids = dict.fromkeys(one.message_id for one in spoken if one.speaker == speaker)
        return FoundQuote(text, speaker, tuple(ids)[:_MOST_MESSAGES])

    def _find_places(self, quote: str) -> list[tuple[int, int, int]]:
        """Return where a quote was said: the message, its first sentence, how many there are."""
        whole = self._places.get(sentence_key(quote))
        if whole:
            return [(*place, 1) for place in whole]
        keys = [sentence.key for sentence in split_sentences(quote)]
        is_fit = 0 < len(keys) <= _MOST_SENTENCES
        starts = self._places.get(keys[0], ()) if is_fit else ()
        return [
            (number, position, len(keys))
            for number, position in starts
            if [s.key for s in self._sentences[number][position : position + len(keys)]] == keys
        ]

    def _longest(self, number: int, position: int, count: int) -> str:
        texts = [one.text for one in self._sentences[number][position : position + count]]
        return max(filter(is_quotable, texts), key=len, default="")


def _message_names(spoken: Collection[Spoken]) -> dict[str, int]:
    """Return the number of each message, by its reference and by its id."""
    ids = {one.message_id: number for number, one in enumerate(spoken)}
    return ids | {one.reference: number for number, one in enumerate(spoken)}


def _quotable(spoken: Spoken, masked: str) -> list[Sentence]:
    """Return the sentences of a message; in place of one with a secret there is an empty one."""
    is_typed = spoken.speaker == USER
    sentences = split_sentences(spoken.text, is_typed=is_typed)
    if masked == spoken.text:
        return sentences
    left = {sentence.key for sentence in split_sentences(masked, is_typed=is_typed)}
    return [s if s.key in left else Sentence("", "") for s in sentences]
