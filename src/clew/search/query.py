"""What the user typed → Query, or a QueryError with a position.

    words          retry bug            both, anywhere in one block
    phrase         "retry the upload"   side by side, whatever stands between them
    prefix         retr*
    without        retry -upload        one letter behind a word is text: claude -p
    either         retry OR upload      (retry OR upload) bug
    regex          /time(out|d out)/    /time out/i in any case; flags i, m, s, x
    filters        tool:Bash since:7d   all of `FILTERS`, file: is:error after: before: in:

A filter and a regex hold for the whole query, wherever they stand outside parentheses. Of several
values of one filter any will do; `is:error` searches the results of the failed calls, too, unless
`in:` says where to search. `-` before a filter, a regex, a phrase or a group negates it.
"""

import datetime as dt
import re
import warnings
from typing import Final, assert_never

import msgspec

from clew.analytics import FilterSet, ReadContext, find_filter, given_filters
from clew.clock import parse_time
from clew.errors import UsageError
from clew.search.errors import QueryError
from clew.search.language import (
    ALL_FIELDS,
    DEFAULT_FIELDS,
    FIELD_NAMES,
    FIELDS_OF_ERRORS,
    REGEX_FLAGS,
    AllOf,
    AnyOf,
    Condition,
    Expression,
    Field,
    Names,
    Phrase,
    Query,
    QueryFilters,
    Regex,
)
from clew.search.regex_child import compile_regex
from clew.search.tokens import FilterToken, Pattern, Sign, Token, Word, split
from clew.search.words import cut_words, stands_alone
from clew.storable import storable

_MOST_CHARACTERS: Final = 1000
_MOST_TERMS: Final = 40
_MOST_NESTED: Final = 16
_TIMES: Final = ("since", "until")
_SHORTEST_PREFIX: Final = 2


def parse_query(text: str, *, now: dt.datetime) -> Query:
    """Read a query; `now` and its zone are what days and lengths of time are counted from.

    Raises:
        QueryError: The query cannot be understood.
    """
    if len(text) > _MOST_CHARACTERS:
        raise QueryError(
            f"the query has {len(text)} characters; the maximum is {_MOST_CHARACTERS}",
            text,
            _MOST_CHARACTERS,
        )
    # Signs are replaced one by one, so that places in the text stay what they are.
    return _Parser(storable(text), now).parse()


def narrow_query(query: Query, filters: FilterSet) -> Query:
    """Let hits match filters from outside of the query, too."""
    found = _within(query.filters, filters.since, filters.until)
    given = [
        (each.name, value) for each, value in given_filters(filters) if each.name not in _TIMES
    ]
    added = tuple(Condition(name, Names((value,))) for name, value in given)
    found = msgspec.structs.replace(found, conditions=(*found.conditions, *added))
    return msgspec.structs.replace(query, filters=found)


class _Parser:
    """One query on its way from tokens to structs."""

    def __init__(self, text: str, now: dt.datetime) -> None:
        self.text = text
        self.now = now
        self.tokens = split(text)
        self.next = 0
        self.terms = 0
        self.filters: list[tuple[FilterToken, bool]] = []
        self.regexes: list[Regex] = []

    def parse(self) -> Query:
        """Read everything."""
        expression = self._any_of(0)
        if self.next < len(self.tokens):
            raise self._error(
                "unexpected closing parenthesis; remove it, or put it in quotation marks",
                self.tokens[self.next],
            )
        if expression is None and not self.filters and not self.regexes:
            raise QueryError(
                "nothing to search for; use a word, a phrase in quotation marks, "
                "a /regex/ or a filter such as project:name",
                self.text,
                0,
            )
        filters = self._filters()
        usual = FIELDS_OF_ERRORS if filters.is_error else DEFAULT_FIELDS
        return Query(
            text=self.text,
            expression=expression,
            regexes=tuple(self.regexes),
            filters=filters,
            fields=self._fields(usual),
        )

    def _any_of(self, depth: int) -> Expression | None:
        """Read terms with OR between them, up to a closing parenthesis or the end."""
        sides = [self._all_of(depth)]
        operators: list[Token] = []
        while (token := self._peek()) is not None and _is_sign(token, "OR"):
            operators.append(token)
            self.next += 1
            sides.append(self._all_of(depth))
        found = tuple(side for side in sides if side is not None)
        if operators and len(found) < len(sides):
            raise self._error(
                "OR needs a word on both sides; several values of one filter already mean any of "
                "them, as in project:a project:b",
                operators[0],
            )
        if len(found) <= 1:
            return found[0] if found else None
        return AnyOf(found)

    def _all_of(self, depth: int) -> Expression | None:
        """Read terms that stand side by side, up to OR, a closing parenthesis or the end."""
        terms: list[Expression] = []
        without: list[Expression] = []
        minus: Token | None = None
        while (token := self._peek()) is not None and not _ends_terms(token):
            self.next += 1
            if _is_sign(token, "AND"):
                continue
            is_wanted = not _is_sign(token, "-")
            term = self._term(token if is_wanted else self._negated(token), depth, is_wanted)
            if term is not None:
                (terms if is_wanted else without).append(term)
                minus = minus if is_wanted else minus or token
        if minus is not None and not terms:
            raise self._error(
                "a query cannot consist of exclusions only; add a word to find, or use quotation "
                "marks to search for this text",
                minus,
            )
        if len(terms) == 1 and not without:
            return terms[0]
        return AllOf(tuple(terms), tuple(without)) if terms else None

    def _negated(self, minus: Token) -> Token:
        token = self._peek()
        if token is None or (isinstance(token, Sign) and token.sign != "("):
            raise self._error("nothing follows this minus; add what to exclude", minus)
        self.next += 1
        return token

    def _term(self, token: Token, depth: int, is_wanted: bool) -> Expression | None:  # noqa: FBT001 (a fact)
        """Return what a token stands for in the expression; filters and regexes are put aside."""
        match token:
            case Word():
                return self._phrase(token)
            case Pattern():
                self._check_outside(token, depth)
                self.regexes.append(self._regex(token, is_wanted))
                return None
            case FilterToken():
                self._check_outside(token, depth)
                self.filters.append((token, is_wanted))
                return None
            case Sign():
                return self._group(token, depth)
            case _:
                assert_never(token)

    def _group(self, opening: Sign, depth: int) -> Expression | None:
        if depth == _MOST_NESTED:
            raise self._error("parentheses are nested too deeply; use fewer", opening)
        inner = self._any_of(depth + 1)
        if self._peek() is None:
            raise self._error(
                "missing closing parenthesis; add it, or put this one in quotation marks",
                opening,
            )
        self.next += 1
        return inner

    def _phrase(self, word: Word) -> Phrase | None:
        words = cut_words(word.text)
        if not words:
            return None
        self.terms += 1
        if self.terms > _MOST_TERMS:
            raise self._error(
                f"the maximum is {_MOST_TERMS} words; put a sentence in quotation marks", word
            )
        last = words[-1]
        if word.is_prefix and len(last) < _SHORTEST_PREFIX and not stands_alone(last):
            raise self._error(f"use at least {_SHORTEST_PREFIX} letters before *", word)
        return Phrase(word.text, word.is_prefix)

    def _regex(self, pattern: Pattern, is_wanted: bool) -> Regex:  # noqa: FBT001 (a fact)
        self._check_flags(pattern)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                compile_regex(pattern.source, pattern.flags)
        except (re.error, RecursionError, OverflowError) as error:
            inside = getattr(error, "pos", None) or 0
            raise QueryError(
                f"invalid regular expression: {error}; use quotation marks to search for this text",
                self.text,
                pattern.position + 1 + inside,
            ) from error
        return Regex(pattern.source, "".join(sorted(set(pattern.flags))), is_wanted)

    def _check_flags(self, pattern: Pattern) -> None:
        for place, flag in enumerate(pattern.flags):
            if flag not in REGEX_FLAGS:
                raise QueryError(
                    f"unknown flag {flag!r} after a regular expression; the flags are "
                    f"{', '.join(REGEX_FLAGS)}. Put a path in quotation marks to search for it",
                    self.text,
                    pattern.flags_at + place,
                )

    def _check_outside(self, token: FilterToken | Pattern, depth: int) -> None:
        if depth:
            what = "a regex" if isinstance(token, Pattern) else "a filter"
            raise self._error(
                f"{what} applies to the whole query; put it outside the parentheses", token
            )

    def _filters(self) -> QueryFilters:
        found = QueryFilters()
        for token, is_wanted in self.filters:
            found = self._add(found, token, is_wanted)
        return found

    def _add(
        self,
        filters: QueryFilters,
        token: FilterToken,
        is_wanted: bool,  # noqa: FBT001 (a fact)
    ) -> QueryFilters:
        match token.name:
            case "in":
                return filters
            case "is":
                if token.value != "error":
                    raise QueryError(
                        "unknown value; use is:error or -is:error, and in the list of sessions "
                        "also is:running or is:waiting",
                        self.text,
                        token.value_at,
                    )
                return msgspec.structs.replace(filters, is_error=is_wanted)
            case "file":
                names = filters.file.add(token.value, is_wanted=is_wanted)
                return msgspec.structs.replace(filters, file=names)
            case "before" | "after" | "since" | "until":
                return self._add_moment(filters, token, is_wanted)
            case word:
                name = word.replace("-", "_")
                return filters.add(name, self._read(name, token), is_wanted=is_wanted)

    def _add_moment(
        self,
        filters: QueryFilters,
        token: FilterToken,
        is_wanted: bool,  # noqa: FBT001 (a fact)
    ) -> QueryFilters:
        # `before:` a day leaves it out, `until:` a day counts to its end.
        moment = self._read("until" if token.name == "until" else "since", token)
        is_start = (token.name in ("after", "since")) == is_wanted
        return _within(filters, **{"after" if is_start else "before": moment})

    def _read(self, name: str, token: FilterToken) -> str:
        try:
            return find_filter(name).read(token.value, ReadContext(self.now))
        except UsageError as error:
            raise QueryError(str(error), self.text, token.value_at) from error

    def _fields(self, usual: frozenset[Field]) -> frozenset[Field]:
        wanted: set[Field] = set()
        unwanted: set[Field] = set()
        for token, is_wanted in self.filters:
            if token.name == "in":
                (wanted if is_wanted else unwanted).update(self._fields_of(token))
        fields = frozenset(wanted or usual) - unwanted
        if not fields:
            raise QueryError("no field is left to search; remove one of them", self.text, 0)
        return fields

    def _fields_of(self, token: FilterToken) -> set[Field]:
        found: set[Field] = set()
        for name in token.value.split(","):
            if name == "all":
                found |= ALL_FIELDS
            elif name in FIELD_NAMES:
                found.add(FIELD_NAMES[name])
            elif f"{name}s" in FIELD_NAMES:
                found.add(FIELD_NAMES[f"{name}s"])
            else:
                known = ", ".join((*FIELD_NAMES, "all"))
                raise QueryError(
                    f"unknown field; use one of {known}",
                    self.text,
                    token.value_at,
                )
        return found

    def _peek(self) -> Token | None:
        return self.tokens[self.next] if self.next < len(self.tokens) else None

    def _error(self, problem: str, token: Token) -> QueryError:
        return QueryError(problem, self.text, token.position)


def _is_sign(token: Token, sign: str) -> bool:
    return isinstance(token, Sign) and token.sign == sign


def _ends_terms(token: Token) -> bool:
    return _is_sign(token, "OR") or _is_sign(token, ")")


def _within(
    filters: QueryFilters, after: str | None = None, before: str | None = None
) -> QueryFilters:
    """Narrow the times that hits are from."""
    starts = [moment for moment in (filters.after, parse_time(after or "")) if moment is not None]
    ends = [moment for moment in (filters.before, parse_time(before or "")) if moment is not None]
    return msgspec.structs.replace(
        filters, after=max(starts, default=None), before=min(ends, default=None)
    )
