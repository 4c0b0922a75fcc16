"""What the user typed becomes structs, or an error that points at the place."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from clew.errors import UsageError
from clew.search import Field, Query, QueryError, parse_query
from clew.search.language import (
    ALL_FIELDS,
    DEFAULT_FIELDS,
    AllOf,
    AnyOf,
    Condition,
    Expression,
    Names,
    Phrase,
    QueryFilters,
    Regex,
)

NOW = datetime(2026, 11, 14, 12, tzinfo=UTC)


def parse(text: str) -> Query:
    return parse_query(text, now=NOW)


def _condition(name: str, values: Names) -> QueryFilters:
    return QueryFilters(conditions=(Condition(name, values),))


def words(*texts: str) -> AllOf:
    return AllOf(tuple(Phrase(text) for text in texts))


@pytest.mark.parametrize(
    ("text", "expression"),
    [
        ("retry", Phrase("retry")),
        ("retry bug", words("retry", "bug")),
        ("retry AND bug", words("retry", "bug")),
        ('"the retry bug"', Phrase("the retry bug")),
        ("retr*", Phrase("retr", is_prefix=True)),
        ('"the retr"*', Phrase("the retr", is_prefix=True)),
        ("retry -bug", AllOf((Phrase("retry"),), (Phrase("bug"),))),
        ("-bug retry", AllOf((Phrase("retry"),), (Phrase("bug"),))),
        ('retry -"the bug"', AllOf((Phrase("retry"),), (Phrase("the bug"),))),
        ("claude -p", words("claude", "-p")),
        ("tar -x -z", words("tar", "-x", "-z")),
        ("(exit -1) OR b", AnyOf((words("exit", "-1"), Phrase("b")))),
        ("ls -la", AllOf((Phrase("ls"),), (Phrase("la"),))),
        ("-p claude", AllOf((Phrase("claude"),), (Phrase("p"),))),
        ("\u732b -\u72ac", AllOf((Phrase("\u732b"),), (Phrase("\u72ac"),))),
        ("a OR b", AnyOf((Phrase("a"), Phrase("b")))),
        ("a b OR c", AnyOf((words("a", "b"), Phrase("c")))),
        ("(a OR b) c", AllOf((AnyOf((Phrase("a"), Phrase("b"))), Phrase("c")))),
        ("c -(a OR b)", AllOf((Phrase("c"),), (AnyOf((Phrase("a"), Phrase("b"))),))),
        ("((a))", Phrase("a")),
        ("a OR(b)", AnyOf((Phrase("a"), Phrase("b")))),
    ],
)
def test_words_and_operators_make_an_expression(text: str, expression: Expression) -> None:
    assert parse(text).expression == expression


@pytest.mark.parametrize(
    "text",
    [
        "api_key",
        "fooBar",
        "src/a.py",
        "/usr/local/bin",
        "/usr/local/bin/",
        "--no-cache",
        "->next",
        "foo::bar",
        "file::read",
        "jo@example.org",
        "https://example.org/a?b=c",
        "file:///etc/hosts",
        "main()",
        "print(value)",
        "日本語",
        "🎉",
        "or",
        "NOT",
    ],
)
def test_what_looks_like_an_identifier_is_one_phrase(text: str) -> None:
    assert parse(text).expression == Phrase(text)


def test_what_holds_no_word_is_passed_over() -> None:
    assert parse("retry - => ... () bug").expression == words("retry", "bug")


def test_a_star_behind_punctuation_is_no_prefix() -> None:
    assert parse("*.py src/*").expression == words("*.py", "src/")


def test_one_cjk_sign_is_enough_before_a_star() -> None:
    assert parse("日*").expression == Phrase("日", is_prefix=True)


@pytest.mark.parametrize(
    ("text", "regex"),
    [
        ("/time(out|d out)/", Regex("time(out|d out)")),
        ("/time out/i", Regex("time out", "i")),
        ("/time out/xsmi", Regex("time out", "imsx")),
        (r"/a\/b/", Regex(r"a\/b")),
        ("/[/]+/", Regex("[/]+")),
        ("-/foo/", Regex("foo", is_wanted=False)),
    ],
)
def test_what_stands_between_slashes_is_a_regex(text: str, regex: Regex) -> None:
    query = parse(text)

    assert query.regexes == (regex,)
    assert query.expression is None


@pytest.mark.parametrize("text", ["/usr/bin", "/home/dev/src", "/src/db", "/app/app"])
def test_a_path_is_not_a_regex(text: str) -> None:
    assert parse(text).expression == Phrase(text)


@pytest.mark.parametrize(
    ("text", "filters"),
    [
        ("project:clew", _condition("project", Names(("clew",)))),
        ('project:"my work"', _condition("project", Names(("my work",)))),
        ("-branch:main", _condition("branch", Names((), ("main",)))),
        ("model:opus model:haiku", _condition("model", Names(("opus", "haiku")))),
        ("tool:mcp__*", _condition("tool", Names(("mcp__*",)))),
        ("agent:Explore -agent:Plan", _condition("agent", Names(("Explore",), ("Plan",)))),
        ("file:src/a.py", QueryFilters(file=Names(("src/a.py",)))),
        ("is:error", QueryFilters(is_error=True)),
        ("-is:error", QueryFilters(is_error=False)),
        ("after:2026-11-01", QueryFilters(after=datetime(2026, 11, 1, tzinfo=UTC))),
        ("before:7d", QueryFilters(before=NOW - timedelta(days=7))),
        ("-before:7d", QueryFilters(after=NOW - timedelta(days=7))),
        ("after:7d after:2d", QueryFilters(after=NOW - timedelta(days=2))),
        ("after:2d after:7d", QueryFilters(after=NOW - timedelta(days=2))),
        ("before:7d before:2d", QueryFilters(before=NOW - timedelta(days=7))),
        ("before:2d before:7d", QueryFilters(before=NOW - timedelta(days=7))),
        ("since:2d", QueryFilters(after=NOW - timedelta(days=2))),
        ("until:2026-11-01", QueryFilters(before=datetime(2026, 11, 2, tzinfo=UTC))),
        ("before:2026-11-01", QueryFilters(before=datetime(2026, 11, 1, tzinfo=UTC))),
        ("session:3f2a", _condition("session", Names(("3f2a",)))),
        ("after:12h", QueryFilters(after=NOW - timedelta(hours=12))),
        ("after:yesterday", QueryFilters(after=datetime(2026, 11, 13, tzinfo=UTC))),
        ("after:2026-11-01T09:30", QueryFilters(after=datetime(2026, 11, 1, 9, 30, tzinfo=UTC))),
    ],
)
def test_filters_stand_beside_the_words(text: str, filters: QueryFilters) -> None:
    query = parse(f"retry {text}")

    assert query.filters == filters
    assert query.expression == Phrase("retry")


def test_a_filter_holds_for_all_of_a_query_with_or() -> None:
    query = parse("a project:x OR b")

    assert query.expression == AnyOf((Phrase("a"), Phrase("b")))
    assert query.filters == _condition("project", Names(("x",)))


def test_days_begin_in_the_zone_of_now() -> None:
    now = datetime(2026, 11, 14, 12, tzinfo=timezone(timedelta(hours=2)))

    query = parse_query("a after:today", now=now)

    assert query.filters.after == datetime(2026, 11, 13, 22, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("a", DEFAULT_FIELDS),
        ("a in:prompts", {Field.PROMPT}),
        ("a in:prompts in:results", {Field.PROMPT, Field.RESULT}),
        ("a in:titles,files", {Field.TITLE, Field.FILE}),
        ("a in:result,prompt", {Field.RESULT, Field.PROMPT}),
        ("a in:all", ALL_FIELDS),
        ("a -in:thinking", DEFAULT_FIELDS - {Field.THINKING}),
        ("a in:all -in:results,injections", DEFAULT_FIELDS | {Field.DIGEST}),
        ("a in:digest", {Field.DIGEST}),
    ],
)
def test_fields_are_everything_but_results_unless_named(text: str, fields: Any) -> None:
    assert parse(text).fields == fields


@pytest.mark.parametrize(
    ("text", "position", "words"),
    [
        ("", 0, "nothing to search for"),
        ("  ... ", 0, "nothing to search for"),
        ('say "hello', 4, "missing closing quotation mark"),
        ("(a OR b", 0, "missing closing parenthesis"),
        ("a) b", 1, "unexpected closing parenthesis"),
        ("a OR", 2, "on both sides"),
        ("OR a", 0, "on both sides"),
        ("a OR project:x", 2, "on both sides"),
        ("x (a OR -b)", 8, "cannot consist of exclusions only"),
        ("-a", 0, "cannot consist of exclusions only"),
        ("project: x", 0, "has no value"),
        ('project:"" x', 0, "has no value"),
        ("is:open", 3, "use is:error"),
        ("x in:nowhere", 5, "unknown field"),
        ("x before:soon", 9, "is not a time"),
        ("x after:2026-13-01", 8, "is not a time"),
        ("x in:titles -in:titles", 0, "no field"),
        ("x (project:y)", 3, "outside the parentheses"),
        ("x (/y/)", 3, "outside the parentheses"),
        ("x /a(b/", 4, "invalid regular expression"),
        ("x /a/g", 5, "unknown flag 'g'.* the flags are i, m, s, x"),
        ("x /a/gi y", 5, "unknown flag 'g'"),
        ("/a/z", 3, "unknown flag 'z'"),
        ("/a/iu", 4, "unknown flag 'u'"),
        ("x y*", 2, "at least 2 letters"),
        ("x -AND", 2, "nothing follows this minus"),
        ("(" * 17 + "a" + ")" * 17, 16, "nested too deep"),
        (" ".join(["a"] * 41), 80, "the maximum is 40 words"),
        ("a" * 1001, 1000, "the maximum is 1000"),
    ],
)
def test_an_error_says_where_and_what_to_do(text: str, position: int, words: str) -> None:
    with pytest.raises(QueryError, match=words) as caught:
        parse(text)

    assert caught.value.position == position
    assert caught.value.exit_code == UsageError.exit_code


def test_an_error_shows_the_query_with_a_caret_below_the_place() -> None:
    with pytest.raises(QueryError) as caught:
        parse("日本 (x")

    assert str(caught.value).split("\n")[1:] == ["  日本 (x", "       ^"]


def test_an_error_in_a_long_query_shows_what_is_near() -> None:
    with pytest.raises(QueryError) as caught:
        parse('"' + "word " * 60 + '" in:x ' + "more " * 20)

    shown, caret = str(caught.value).split("\n")[1:]
    assert shown.startswith("  …")
    assert shown.endswith("…")
    assert shown[caret.index("^")] == "x"


def test_a_query_with_control_signs_is_shown_on_one_line() -> None:
    with pytest.raises(QueryError) as caught:
        parse('a\x1b[31m\n"b')

    assert str(caught.value).split("\n")[1:] == ['  a [31m "b', "         ^"]
