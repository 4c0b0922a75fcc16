"""Marks, numbers, the report, and what is recalled over one export."""

import pytest

from clew.redact import Redactor, SecretFinding, find_secrets, redact_tree

GITHUB = "ghp_" + "a1B2" * 9
OTHER = "ghp_" + "c3D4" * 9
PASSWORD = "hunter" + "2!xyz"


def test_the_same_secret_has_the_same_mark_in_all_texts_of_an_export() -> None:
    redactor = Redactor()

    masked = [redactor.redact(text) for text in (GITHUB, f"{OTHER} {GITHUB}")]

    assert masked == [
        "[redacted: github-token 1]",
        "[redacted: github-token 2] [redacted: github-token 1]",
    ]


def test_the_report_counts_without_telling() -> None:
    redactor = Redactor(["mira"])
    redactor.redact(f"{GITHUB} {GITHUB} password={PASSWORD} /home/mira Mira mira")

    report = redactor.report

    assert report.findings == (
        SecretFinding("github-token", 1, 2, "ghp_", "[redacted: github-token 1]"),
        SecretFinding("password", 1, 1, "", "[redacted: password 1]"),
        SecretFinding("home", 1, 1, "", "user"),
        SecretFinding("user-name", 1, 2, "", "[redacted: user-name 1]"),
    )
    assert report.counts == {"github-token": 2, "password": 1, "home": 1, "user-name": 2}
    assert report.total == 6


def test_a_password_is_masked_where_nothing_tells_of_it() -> None:
    masked = Redactor().redact(f"tried {PASSWORD} then password={PASSWORD}")

    assert masked == "tried [redacted: password 1] then password=[redacted: password 1]"


def test_a_plain_word_is_not_masked_wherever_it_stands() -> None:
    masked = Redactor().redact("POSTGRES_PASSWORD=postgres runs postgres")

    assert masked == "POSTGRES_PASSWORD=[redacted: password 1] runs postgres"


@pytest.mark.parametrize(
    "text",
    [
        f"a {GITHUB} b",
        f"x{GITHUB}y",
        f"password={PASSWORD}",
        f'{{"password": "{PASSWORD}"}}',
        f"Authorization: Bearer {GITHUB}",
        "/home/mira/app by mira@corp.io",
        "[redacted: github-token 1] [redacted: user-name]",
        "-----BEGIN PRIVATE " + "KEY-----: /home/de/lib/x/",
        "password=[redacted: password 1]",
    ],
)
def test_redacting_again_changes_nothing(text: str) -> None:
    once = Redactor(["mira", "github"], {"token": "word"}).redact(text)

    assert Redactor(["mira", "github"], {"token": "word"}).redact(once) == once


def test_a_mark_is_not_taken_apart_by_names_and_literals() -> None:
    redactor = Redactor(["zebra"], {"zebra": "animal"})

    assert redactor.redact("[redacted: zebra-token 1] zebra") == (
        "[redacted: zebra-token 1] [redacted: animal 1]"
    )


def test_two_secrets_that_overlap_leave_nothing() -> None:
    masked = Redactor().redact(f"https://app:{PASSWORD}{GITHUB}@host/x")

    assert masked == "https://app:[redacted: url-password 1]@host/x"


@pytest.mark.parametrize(
    "text", ["", "a", "\ud800", f"\ud800{GITHUB}\udfff", "İpassword=İ\ud800x1"]
)
def test_odd_text_does_not_raise(text: str) -> None:
    assert GITHUB not in Redactor(["mira"]).redact(text)


def test_secrets_are_found_without_a_change_and_without_what_is_personal() -> None:
    text = f"/home/mira mira@corp.io {GITHUB} {OTHER} {GITHUB}"

    found = find_secrets(text)

    assert [(finding.rule, finding.count) for finding in found] == [
        ("github-token", 2),
        ("github-token", 1),
    ]


def test_looking_for_secrets_stops_at_the_limit() -> None:
    assert find_secrets(f"{GITHUB} {OTHER}", limit=1) == [
        SecretFinding("github-token", 1, 1, "ghp_", "[redacted: github-token 1]")
    ]


def test_no_more_of_a_secret_is_hinted_at_than_its_public_beginning() -> None:
    found = find_secrets(f"SK{'0a9b8c7d' * 4} eyJ{'aB3d' * 9}.eyJ{'aB3d' * 9}.x {GITHUB}")

    assert {finding.rule: finding.hint for finding in found} == {
        "twilio-key": "",
        "jwt": "",
        "github-token": "ghp_",
    }


def test_the_beginning_of_a_secret_is_masked_where_a_text_was_cut() -> None:
    token = "ghp_" + "n4Vq8Rk2Zt6Wb1Yx9Lm3Pc7Hd5Js0Fg2aTeU"
    whole, cut = f"Publish it with {token} today", f"Publish it with {token[:17]}…"
    redactor = Redactor()

    title, prompt = redact_tree([cut, whole], redactor)

    assert title == "Publish it with [redacted: github-token 1]…"
    assert prompt == "Publish it with [redacted: github-token 1] today"
    assert len(redactor.report.findings) == 1
    assert redactor.redact("Publish it with…") == "Publish it with…"
    assert redactor.redact(f"Say {token[:5]}…") == f"Say {token[:5]}…"
