"""Telling words are found as a plain search finds them, in fewer passes."""

from hypothesis import given
from hypothesis import strategies as st

from clew.redact.contexts import PLACE_RULES
from clew.redact.keywords import WORDS, find_needle, find_words
from clew.redact.rules import MIDDLE_RULES

NEEDLES = [
    *(rule.command or rule.sign or rule.needle for rule in PLACE_RULES),
    *(rule.needle.lower() for rule in MIDDLE_RULES),
    *("private key", "private-lines: ", "cookie"),
]
# Parts of words too, so that one begins where another ends.
PIECES = [*WORDS, *NEEDLES, *(word[1:] for word in WORDS), *(word[:-1] for word in WORDS), " "]
signs = st.characters(max_codepoint=127)
texts = st.lists(st.one_of(st.sampled_from(PIECES), signs), max_size=12).map("".join)


def places(word: str, text: str) -> list[int]:
    return [at for at in range(len(text)) if text.startswith(word, at)]


@given(texts)
def test_every_word_is_found_where_it_stands(text: str) -> None:
    expected = {word: places(word, text) for word in WORDS if word in text}

    assert find_words(text) == expected


@given(texts)
def test_a_needle_is_found_by_the_word_in_it(text: str) -> None:
    words = find_words(text)

    assert {needle: find_needle(needle, text, words) for needle in NEEDLES} == {
        needle: places(needle, text) for needle in NEEDLES
    }
