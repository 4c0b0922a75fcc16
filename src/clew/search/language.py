"""The query language as structs: what was asked, with nothing of how it was typed."""

import datetime as dt
from enum import StrEnum
from typing import Final

import msgspec


class Field(StrEnum):
    """Where a text stands; the values are those of `block.field`, and three of our own."""

    PROMPT = "prompt"
    ANSWER = "answer"
    THINKING = "thinking"
    INPUT = "input"
    RESULT = "result"
    INJECTION = "injection"
    TITLE = "title"
    FILE = "file"
    DIGEST = "digest"


FIELD_NAMES: Final = {
    "prompts": Field.PROMPT,
    "answers": Field.ANSWER,
    "thinking": Field.THINKING,
    "inputs": Field.INPUT,
    "results": Field.RESULT,
    "injections": Field.INJECTION,
    "titles": Field.TITLE,
    "files": Field.FILE,
    "digest": Field.DIGEST,
}
PROSE: Final = frozenset({Field.PROMPT, Field.ANSWER, Field.THINKING, Field.INPUT})
RESULTS: Final = frozenset({Field.RESULT, Field.INJECTION})
ALL_FIELDS: Final = frozenset(Field)
# What a digest says was said, and is found there.
DEFAULT_FIELDS: Final = ALL_FIELDS - RESULTS - {Field.DIGEST}
# Why a call failed is in its result.
FIELDS_OF_ERRORS: Final = DEFAULT_FIELDS | {Field.RESULT}


class Phrase(msgspec.Struct, frozen=True):
    """Words that stand side by side: one word, an identifier, or what was put in quotes."""

    text: str
    is_prefix: bool = False


class AllOf(msgspec.Struct, frozen=True):
    """Every one of `terms` (there is at least one), and none of `without`."""

    terms: tuple["Expression", ...]
    without: tuple["Expression", ...] = ()


class AnyOf(msgspec.Struct, frozen=True):
    """At least one of two or more."""

    terms: tuple["Expression", ...]


Expression = Phrase | AllOf | AnyOf


REGEX_FLAGS: Final = "imsx"
"""What may follow the closing slash; `^` and `$` match at every line with or without `m`."""


class Regex(msgspec.Struct, frozen=True):
    """A regular expression that a text must match, or must not; `flags` are of `REGEX_FLAGS`."""

    source: str
    flags: str = ""
    is_wanted: bool = True

    @property
    def ignores_case(self) -> bool:
        """Whether upper and lower case are the same."""
        return "i" in self.flags


class Names(msgspec.Struct, frozen=True):
    """The values of one filter: any of `wanted` when there are some, none of `unwanted`."""

    wanted: tuple[str, ...] = ()
    unwanted: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        """Tell whether there is anything to check."""
        return bool(self.wanted or self.unwanted)

    def add(self, value: str, *, is_wanted: bool) -> "Names":
        """Add a value."""
        if is_wanted:
            return Names((*self.wanted, value), self.unwanted)
        return Names(self.wanted, (*self.unwanted, value))


class Condition(msgspec.Struct, frozen=True):
    """The values of one filter of the table: hits must match any that are wanted, if there are."""

    name: str
    values: Names


class QueryFilters(msgspec.Struct, frozen=True, kw_only=True):
    """What hits must match beside their text; `after` is the first moment, `before` is past it.

    Several conditions may have the same name, and all of them must match.
    """

    conditions: tuple[Condition, ...] = ()
    file: Names = Names()
    is_error: bool | None = None
    after: dt.datetime | None = None
    before: dt.datetime | None = None

    def of(self, *names: str) -> list[Condition]:
        """Return the conditions of some filters."""
        return [condition for condition in self.conditions if condition.name in names]

    def wanted(self, name: str) -> tuple[str, ...]:
        """Return values of a filter of which every hit matches one; without any, all may match."""
        return next((one.values.wanted for one in self.of(name) if one.values.wanted), ())

    def add(self, name: str, value: str, *, is_wanted: bool) -> "QueryFilters":
        """Add a value: of several that are wanted, any may match."""
        known = next((one for one in self.conditions if one.name == name), None)
        added = Condition(
            name, (known.values if known else Names()).add(value, is_wanted=is_wanted)
        )
        others = tuple(one for one in self.conditions if one is not known)
        return msgspec.structs.replace(self, conditions=(*others, added))


class Query(msgspec.Struct, frozen=True, kw_only=True):
    """What the user asked: words, regular expressions, filters and fields, all of which hold.

    `with_hidden` also searches the sessions in which nobody said anything.
    """

    text: str
    expression: Expression | None = None
    regexes: tuple[Regex, ...] = ()
    filters: QueryFilters = QueryFilters()
    fields: frozenset[Field] = DEFAULT_FIELDS
    with_hidden: bool = False
