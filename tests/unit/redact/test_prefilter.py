"""Texts that are searched together: what is found in one alone is found among others too."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.redact import Redactor, find_secrets
from clew.redact.prefilter import prefilter_texts
from clew.redact.redactor import find_secrets_of
from clew.redact.spans import AsciiView, SecretSpan, find_all

GITHUB = "ghp_" + "a1B2" * 9
PASSWORD = "hunter" + "2!xyz"
# Texts that end or begin in the middle of what a rule reads.
CUT = [
    *(f"password={PASSWORD}", "password: |", "  " + PASSWORD, "key", "value: x", 'token="', "\\"),
    *(
        "login ",
        "password x1y2z3w4",
        "login mira password x1y2z3w4",
        "Bearer",
        "bearer a1b2c3d4e5f6",
    ),
    *(
        "Cookie: a=b=",
        "cookie: sid=a1b2c3d4e5;",
        ";x=1",
        "curl",
        " -u mira:a1b2c3",
        "sshpass -p",
        "@",
    ),
    *(
        "https://mira:",
        f"{PASSWORD}@host",
        "https://mira:a1b2c3@host",
        "xoxe.",
        "xoxb-%",
        GITHUB,
        "eyJ",
    ),
    *(
        "-----BEGIN RSA PRIVATE " + "KEY-----",
        "MIIEpAIBAAKCAQEA1234abcd",
        "",
        "\n",
        "é",
        "…",
        "\ud800",
    ),
    "-----END RSA PRIVATE " + "KEY-----",
    "MIIEpAIBAAKCAQEA1234abcd\n-----END RSA PRIVATE " + "KEY-----",
]
texts = st.lists(st.one_of(st.sampled_from(CUT), st.text(max_size=3)), max_size=8)


def find_x(shadow: AsciiView) -> list[SecretSpan]:
    return [SecretSpan(at, at + 1, "x") for at in find_all("x", shadow.plain)]


@settings(deadline=None)
@given(texts)
def test_secrets_are_counted_as_in_each_text_alone(several: list[str]) -> None:
    alone = [(finding.rule, finding.count) for text in several for finding in find_secrets(text)]

    together = find_secrets_of(several)

    assert sum(count for _, count in alone) == sum(finding.count for finding in together)
    assert {rule for rule, _ in alone} == {finding.rule for finding in together}


@settings(deadline=None)
@given(texts)
def test_texts_are_masked_as_each_of_them_is(several: list[str]) -> None:
    one_by_one = Redactor(["mira"])
    spans = {text: one_by_one.find(text) for text in dict.fromkeys(several)}
    together = Redactor(["mira"])
    mask = together.prepare(several)

    assert [mask(text) for text in several] == [
        one_by_one.mask(text, spans[text]) for text in several
    ]
    assert together.report == one_by_one.report


@pytest.mark.parametrize("filler", ["a" * 700_000, "é" * 700_000])
def test_texts_that_are_too_long_to_be_joined_are_all_looked_at(filler: str) -> None:
    texts = [filler, "x1", filler + "x", "", "é x", "ax"]

    assert prefilter_texts(texts, find_x) == {"x1", filler + "x", "é x", "ax"}


def test_no_text_is_suspect_where_nothing_is_found() -> None:
    assert prefilter_texts([], find_x) == set()
    assert prefilter_texts(["a", "b"], find_x) == set()


def test_a_text_is_counted_as_often_as_it_comes() -> None:
    found = find_secrets_of([GITHUB, "plain", GITHUB, f"a {GITHUB}"])

    assert [(finding.rule, finding.count) for finding in found] == [("github-token", 3)]
