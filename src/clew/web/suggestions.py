"""Suggestions for what is being typed in a query: filters, and the values they may have."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

import msgspec

from clew.analytics import ALL_FILTERS, FILTERS, find_checkout
from clew.search import FIELD_NAMES, quote_value

_PERIODS: Final = ("today", "yesterday", "7d", "30d", "90d")
_TIMES: Final = ("since", "until", "after", "before")
_SHORTEST_NAME: Final = 2
# Fewer letters begin a word of nearly every value.
_SHORTEST_VALUE: Final = 3
_EACH: Final = 3
_BETWEEN_WORDS: Final = re.compile(r"[\W_]+")
SESSIONS: Final = "sessions"
SEARCH: Final = "search"
_OTHERS: Final = {
    "file": "Only with this file: a name or a part of it, the end of a path, or a folder.",
    "is": "Only with errors: is:error.",
    "after": "Only on or after: 2026-11-14, yesterday, 12h, 7d, 2w.",
    "before": "Only before.",
}
_IN: Final = ("in", "Only in prompts, answers, inputs, results, digests … or in all of them.")
_STATES: Final = {
    SESSIONS: (
        ("error", "Sessions with errors"),
        ("running", "Grew in the last five minutes"),
        ("waiting", "Wait for you"),
    ),
    SEARCH: (("error", "Failed tool calls and other errors"),),
}
Values = Callable[[str], Sequence[str]]
"""Returns the values of a filter, the most used first."""


class Suggestion(msgspec.Struct, frozen=True):
    """What may be typed: `text` is that of a whole term, `value` that of its filter."""

    text: str
    value: str = ""
    help: str = ""


def suggest_terms(
    text: str, values: Values, *, page: str = SESSIONS, is_team: bool = False
) -> Iterator[Suggestion]:
    """Suggest terms for the last word of a text, the best first: filters, then values that match.

    What names no filter is a word to search for unless a filter or a word of a value begins so.
    """
    word = _last_word(text)
    minus = "-" if word.startswith("-") else ""
    typed = word.removeprefix("-")
    helps = _helps(page, is_team=is_team)
    name, colon, value = typed.partition(":")
    if colon:
        if name in helps:
            yield from suggest_values(name, value.strip('"'), values, page=page, minus=minus)
        return
    folded = typed.casefold()
    if len(folded) >= _SHORTEST_NAME:
        for word, what in helps.items():
            if word.startswith(folded):
                yield Suggestion(f"{minus}{word}:", help=what)
    if len(folded) >= _SHORTEST_VALUE:
        for word in helps:
            found = suggest_values(word, typed, values, page=page, minus=minus)
            yield from _first((one for one in found if _begins(one.value, folded)), _EACH)


def _last_word(text: str) -> str:
    """Return what follows the last space that is not in quotation marks."""
    start, is_quoted = 0, False
    for place, sign in enumerate(text):
        if sign == '"':
            is_quoted = not is_quoted
        elif sign.isspace() and not is_quoted:
            start = place + 1
    return text[start:]


def suggest_values(
    word: str, text: str, values: Values, *, page: str = SESSIONS, minus: str = ""
) -> Iterator[Suggestion]:
    """Suggest the values of a filter that contain a text: those whose name begins with it first."""
    folded = text.casefold()
    matching = [pair for pair in _pairs(word, values, page) if folded in pair[0].casefold()]
    # The order by use stays within both.
    matching.sort(key=lambda pair: not _name_of(pair[0]).casefold().startswith(folded))
    for value, what in matching:
        quoted = quote_value(value)
        if quoted is not None:
            yield Suggestion(f"{minus}{word}:{quoted}", value, what)


def _pairs(word: str, values: Values, page: str) -> Iterable[tuple[str, str]]:
    """Return the values of a filter, each with what it is."""
    if word in _TIMES:
        return [(period, "") for period in _PERIODS]
    match word:
        case "is":
            return _STATES[page]
        case "in":
            return [(name, "") for name in (*FIELD_NAMES, "all")]
        case "file":
            return ()
        case "starred" | "hidden":
            return [("yes", ""), ("no", "")]
        case "project":
            return [(path, _describe_project(path)) for path in values("project")]
        case _:
            return [(value, "") for value in values(word.replace("-", "_"))]


def _describe_project(path: str) -> str:
    checkout = find_checkout(path)
    return f"worktree of {checkout.name}" if checkout.worktree else checkout.name


def _begins(value: str, folded: str) -> bool:
    """Tell whether a value, the last part of its path or a word in it begins with what was typed.

    The folders above are those of many values and say little about one, but for a worktree's.
    """
    names = (_name_of(value).casefold(), find_checkout(value).name.casefold())
    return value.casefold().startswith(folded) or any(
        name.startswith(folded, place)
        for name in names
        for place in (0, *(gap.end() for gap in _BETWEEN_WORDS.finditer(name)))
    )


def _name_of(value: str) -> str:
    return value.replace("\\", "/").rpartition("/")[2]


def _helps(page: str, *, is_team: bool) -> dict[str, str]:
    """Return what each filter of a page selects."""
    own = {each.word: each.help for each in (ALL_FILTERS if is_team else FILTERS)}
    return {**own, **_OTHERS, **(dict([_IN]) if page == SEARCH else {})}


def _first(found: Iterable[Suggestion], count: int) -> Iterator[Suggestion]:
    for _, suggestion in zip(range(count), found, strict=False):
        yield suggestion
