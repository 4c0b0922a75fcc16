"""Words of a query, as the index has them and as they stand in a text."""

import pytest

from clew.search.index_query import to_query
from clew.search.language import AllOf, AnyOf, Phrase
from clew.search.words import cut_words, find_spans, matches, needles, phrases_of
from clew.store.sqlite.index import write_match


def spans(phrase: Phrase, text: str) -> list[str]:
    return [text[span.start : span.end] for span in find_spans(phrase, text)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("fooBar", ["foo", "bar"]),
        ("HTMLParser", ["html", "parser"]),
        ("URLs MD5Hash", ["urls", "md5", "hash"]),
        ("api_key", ["api", "key"]),
        ("src/a.py", ["src", "a", "py"]),
        ("Élan vital", ["elan", "vital"]),
        ("E\u0301lan", ["elan"]),
        ("日本語", ["日", "本", "語"]),
        ("done🎉", ["done", "🎉"]),
        ("--", []),
        ("a\0b", ["a", "b"]),
        ("\ud800", ["\ufffd"]),
    ],
)
def test_a_text_is_cut_into_words_as_the_index_cuts_it(text: str, words: list[str]) -> None:
    assert cut_words(text) == words


@pytest.mark.parametrize(
    ("phrase", "text", "expected"),
    [
        ("bar", "fooBar bar barn Bar_x", ["Bar", "bar", "Bar"]),
        ("foo", "fooBar foobar xfoo", ["foo"]),
        ("parser", "HTMLParser XMLparser", ["Parser"]),
        ("html", "HTMLParser HTMLs", ["HTML"]),
        ("foobar", "fooBar foobar foobars", ["fooBar", "foobar"]),
        ("foobar", "foo_bar foo bars", ["foo_bar"]),
        ("fooBar", "fooBar foo_bar foobar foo, bar", ["fooBar", "foo_bar", "foo, bar"]),
        ("api_key", "api_key apikey API-KEY api_keys", ["api_key", "API-KEY"]),
        ("the end", "the (end) the_end the.\nend theend", ["the (end", "the_end", "the.\nend"]),
        ("cafe", "Café CAFE\u0301 cafés", ["Café", "CAFE\u0301"]),
        ("café", "cafe", ["cafe"]),
        ("日本", "x日本y", ["日本"]),
        ("ja", "日本ja日", ["ja"]),
        ("🎉", "done🎉🎉", ["🎉", "🎉"]),
        ("жизнь", "Жизнь жизни", ["Жизнь"]),
        ("--", "--", []),
        ("passkey", "pass. Key pass key pass, key", []),
        ("passkey", "pass-key pass_key passKey passkey", ["passKey", "passkey"]),
        ("passkey", "pass-key, pass_key", ["pass-key", "pass_key"]),
        ("C#", "C, c and C# or F#", ["C#"]),
        ("c#", "C# 7, ObjC#", ["C#", "C#"]),
        ("C++", "C+ C++17 c++", ["C++", "c++"]),
        (".NET", "net .net ASP.NET .NETs", [".net", ".NET"]),
        ("a->b", "a b a - b a->b a->bc", ["a->b"]),
        ("--flag", "flag -flag --flag --flags", ["--flag"]),
        ("--no-cache", "no-cache --no-cache --no_cache", ["--no-cache", "--no_cache"]),
        ("@types", "types @types/node @typesx", ["@types"]),
        (
            "src/a.py",
            "src a py src/a.py src\\a.py src\\\\a.py",
            ["src/a.py", "src\\a.py", "src\\\\a.py"],
        ),
        ("main()", "main main(x) main()", ["main()"]),
        ("*.py", "py x.py", [".py"]),
        ("x => y", "x y x=>y x => y x  =>\ny", ["x=>y", "x => y", "x  =>\ny"]),
        ("the end.", "the end! the, end", ["the end", "the, end"]),
        ("why? no", "why, no", ["why, no"]),
        ("don't", "don\u2019t don't dont", ["don\u2019t", "don't"]),
        ("foo(ba", "foo(bar foo(ba)", ["foo(ba"]),
        ("日本#1", "日本 1 日本#1", ["日本#1"]),
        ("a/_. b", "a b a/b a/_. b a/_b", ["a/b", "a/_. b", "a/_b"]),
        ("a. _/", "a a. _/ a/", ["a. _/", "a/"]),
        ("(_. a", "a (_. a (a", ["(_. a", "(a"]),
    ],
)
def test_a_phrase_is_found_where_the_index_would_find_it(
    phrase: str, text: str, expected: list[str]
) -> None:
    assert spans(Phrase(phrase), text) == expected


def test_a_prefix_is_found_with_the_rest_of_its_word() -> None:
    assert spans(Phrase("ret", is_prefix=True), "retry retryPolicy Ret xret") == [
        "retry",
        "retry",
        "Ret",
    ]


def test_a_text_matches_what_an_expression_asks_for() -> None:
    expression = AllOf((AnyOf((Phrase("a"), Phrase("b"))), Phrase("c")), (Phrase("d"),))

    assert matches(expression, "b c")
    assert not matches(expression, "c")
    assert not matches(expression, "a c d")


def test_what_is_left_out_is_not_shown() -> None:
    expression = AllOf((AnyOf((Phrase("a"), Phrase("b"))),), (Phrase("d"),))

    assert list(phrases_of(expression)) == [Phrase("a"), Phrase("b")]


def test_a_needle_stands_in_whatever_matches() -> None:
    expression = AllOf((AnyOf((Phrase("a"), Phrase("b"))), Phrase("src/retry.py")))

    assert needles(expression) == ["retry"]
    assert needles(AnyOf((Phrase("a"), Phrase("b")))) == ["a", "b"]


@pytest.mark.parametrize("text", ['a" OR "b', "text:x", "a* NEAR(b)", "^a", "a\0b", "{a}:b"])
def test_no_sign_of_a_phrase_means_anything_to_the_index(text: str) -> None:
    written = write_match(to_query(Phrase(text)))

    assert written.startswith('"')
    assert written.endswith('"')
    assert '"' not in written[1:-1]
    assert "\0" not in written


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    ("phrase", "text"),
    [
        ("a", "a" * 5_000_000),
        ("a b", "aB" * 2_500_000),
        ("foo bar", "foo " * 1_250_000),
        ("foo bar", "foo" + " " * 5_000_000),
        ("foo bar", " " * 5_000_000),
        ("foo->bar", "foo-" * 1_250_000),
        ("foo => bar", "foo" + " " * 5_000_000),
        ("foo => bar", "foo =" * 1_000_000),
        ("foobar", "foo_" * 1_250_000),
        ("e", "é" * 5_000_000),
        ("日本", "日" * 5_000_000),
    ],
)
def test_a_long_text_is_gone_over_once(phrase: str, text: str) -> None:
    assert spans(Phrase(phrase), text) == []
