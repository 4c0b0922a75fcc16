"""What the user typed → tokens: words, phrases, patterns, filters and signs, with their places."""

import re
from typing import Final, Literal

import msgspec

from clew.analytics import ALL_FILTERS
from clew.search.errors import QueryError

FILTER_WORDS: Final = (
    *(each.word for each in ALL_FILTERS),
    "file",
    "is",
    "before",
    "after",
    "in",
)
_OPERATORS: Final = ("OR", "AND")
# `::` is C++ or Rust and `://` a URL: neither gives a filter its value.
_FILTER: Final = re.compile(rf"({'|'.join(FILTER_WORDS)}):(?!:|//)")
_REGEX: Final = re.compile(
    r"/(?P<source>(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)+\])+)/(?P<flags>[A-Za-z]*)(?=[\s)]|$)"
)
# Letters that are flags in some language. With any other, two or more are the end of a path.
_FLAGS: Final = frozenset("dgimnosuvxyAJLU")
_LIKE_FILTER: Final = re.compile(r"-?(?P<name>[a-z][a-z_-]+):[^:/\\\s]")
# `claude -p`: one letter behind a word is an option of a command, and hardly ever left out.
_OPTION: Final = re.compile(r"-[A-Za-z0-9](?=[\s)]|$)")
_SPACE: Final = re.compile(r"\s*")


class Word(msgspec.Struct, frozen=True):
    """What stands between spaces, or between quotation marks."""

    text: str
    position: int
    is_prefix: bool = False


class Pattern(msgspec.Struct, frozen=True):
    """A regular expression between slashes."""

    source: str
    position: int
    flags: str
    flags_at: int


class FilterToken(msgspec.Struct, frozen=True):
    """A filter's name and value; `position` is the name's, `value_at` the value's."""

    name: str
    value: str
    position: int
    value_at: int


class Sign(msgspec.Struct, frozen=True):
    """A parenthesis, a minus or an operator."""

    sign: Literal["(", ")", "-", "OR", "AND"]
    position: int


Token = Word | Pattern | FilterToken | Sign


def split(text: str) -> list[Token]:
    """Cut a query into tokens.

    Raises:
        QueryError: A quotation mark is not closed, or a filter has no value.
    """
    tokens: list[Token] = []
    position = _skip_space(text, 0)
    while position < len(text):
        is_option = bool(tokens) and isinstance(tokens[-1], Word) and _OPTION.match(text, position)
        token, position = (_read_word if is_option else _read_token)(text, position)
        tokens.append(token)
        position = _skip_space(text, position)
    return tokens


def describe_unknown_filters(text: str) -> str:
    """Say that words that look like filters are none, and which there are; nothing if none do."""
    found = (_LIKE_FILTER.match(piece) for piece in text.split())
    names = dict.fromkeys(one["name"] for one in found if one and one["name"] not in FILTER_WORDS)
    if not names:
        return ""
    said = ", ".join(f"{name}:" for name in names)
    what = "is no filter" if len(names) == 1 else "are no filters"
    return f"{said} {what}; the filters are {', '.join(f'{word}:' for word in FILTER_WORDS)}"


def _read_token(text: str, start: int) -> tuple[Token, int]:
    """Return the token that begins at `start`, and where the next may begin."""
    match text[start]:
        case "(":
            return Sign("(", start), start + 1
        case ")":
            return Sign(")", start), start + 1
        case '"':
            quoted, end = _read_quoted(text, start)
            is_prefix = text.startswith("*", end)
            return Word(quoted, start, is_prefix), end + is_prefix
        case "-" if _negates(text, start + 1):
            return Sign("-", start), start + 1
        case "/" if found := _match_regex(text, start):
            return Pattern(
                found["source"], start, found["flags"], found.start("flags")
            ), found.end()
        case _:
            return _read_word(text, start)


def _match_regex(text: str, start: int) -> re.Match[str] | None:
    """Match a regular expression; `/usr/bin` is a path."""
    found = _REGEX.match(text, start)
    if found is None or len(found["flags"]) <= 1:
        return found
    are_flags = len(set(found["flags"])) == len(found["flags"]) and _FLAGS.issuperset(
        found["flags"]
    )
    return found if are_flags else None


def _read_word(text: str, start: int) -> tuple[Token, int]:
    named = _FILTER.match(text, start)
    if named is not None:
        return _read_filter(text, named)
    end = _end_of_word(text, start)
    word = text[start:end]
    match word:
        case "OR" | "AND":
            return Sign(word, start), end
        case _:
            stem = word.rstrip("*")
            # A star behind a dot or a slash is a file pattern's: the words before it are whole.
            is_prefix = stem != word and stem[-1:].isalnum()
            return Word(stem, start, is_prefix), end


def _read_filter(text: str, named: re.Match[str]) -> tuple[FilterToken, int]:
    value_at = named.end()
    if text.startswith('"', value_at):
        value, end = _read_quoted(text, value_at)
    else:
        end = _end_of_word(text, value_at)
        value = text[value_at:end]
    if not value.strip():
        raise QueryError(
            f"{named[1]}: has no value; write it without a space, as in {named[1]}:name or "
            f'{named[1]}:"a name", or put the words in quotation marks to search for them',
            text,
            named.start(),
        )
    return FilterToken(named[1], value.strip(), named.start(), value_at), end


def _read_quoted(text: str, start: int) -> tuple[str, int]:
    end = text.find('"', start + 1)
    if end < 0:
        raise QueryError("missing closing quotation mark; add it", text, start)
    return text[start + 1 : end], end + 1


def _end_of_word(text: str, start: int) -> int:
    """Find where a word ends; parentheses that open inside it, as in `main()`, belong to it."""
    depth = 0
    for position in range(start, len(text)):
        sign = text[position]
        if sign.isspace() or sign == '"' or (sign == ")" and not depth):
            return position
        if sign == "(":
            if text[start:position] in _OPERATORS:
                return position
            depth += 1
        depth -= sign == ")"
    return len(text)


def _negates(text: str, position: int) -> bool:
    """A minus takes away only what begins like a term: `--flag` and `->x` are words."""
    sign = text[position : position + 1]
    return bool(sign) and (sign.isalnum() or sign in '_"(/' or not sign.isascii())


def _skip_space(text: str, position: int) -> int:
    found = _SPACE.match(text, position)
    return position if found is None else found.end()
