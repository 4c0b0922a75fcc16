"""Homes, user names and addresses are hidden; those of nobody stay."""

import pytest

from clew.redact import Redactor, find_names

HOME = "/home/" + "user"
USERS = "/Users/" + "user"


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("/home/mira/app", f"{HOME}/app"),
        ("/Users/mira/app", f"{USERS}/app"),
        ("cd /home/mira", f"cd {HOME}"),
        ("in /home/" + "mira.", f"in {HOME}."),
        ("PATH=/usr/bin:/home/mira/bin", f"PATH=/usr/bin:{HOME}/bin"),
        ("file:///Users/mira/a.md", f"file://{USERS}/a.md"),
        ("host:/home/mira/a", f"host:{HOME}/a"),
        ("-I/home/mira/include", f"-I{HOME}/include"),
        ("\\n/home/mira/a", f"\\n{HOME}/a"),
        ("\x1b[34m/home/mira\x1b[0m", f"\x1b[34m{HOME}\x1b[0m"),
        ("/mnt/c/Users/mira/app", f"/mnt/c{USERS}/app"),
        ("/c/Users/mira/app", f"/c{USERS}/app"),
        ("/var/home/mira/app", f"/var{HOME}/app"),
        ("C:/Users/mira/app", f"C:{USERS}/app"),
        ("C:\\Users\\mira\\app", "C:\\Users\\" + "user\\app"),
        ("C:\\\\Users\\\\mira\\\\app", "C:\\\\Users\\\\" + "user\\\\app"),
        ("C:\\Users\\mira sam\\app", "C:\\Users\\" + "user\\app"),
        ("\\\\wsl$\\Ubuntu\\home\\mira\\app", "\\\\wsl$\\Ubuntu\\home\\user\\app"),
        ("path=%2Fhome%2Fmira%2Fapp", "path=%2Fhome%2Fuser%2Fapp"),
        ("projects/-home-mira-app", "projects/-home-user-app"),
        ("-Users-mira-app", "-Users-user-app"),
        ("C--Users-mira-app", "C--Users-user-app"),
        ("-mnt-c-Users-mira-app", "-mnt-c-Users-user-app"),
        ("/home/de", HOME),
    ],
)
def test_the_name_in_a_home_is_replaced(text: str, masked: str) -> None:
    assert Redactor().redact(text) == masked


@pytest.mark.parametrize(
    "text",
    [
        HOME + "/app",
        "/home/" + "runner/work",
        "/Users/" + "Shared/app",
        "/home/$USER/app",
        "/Users/<you>/app",
        "/home/*/app",
        "src/pages/home/" + "index.tsx",
        "import x from './home/" + "view'",
        "https://shop.internal/home/" + "products",
        "/api/Users/" + "list",
        "my-home-page",
        "home-made",
        "Users can log in",
    ],
)
def test_what_is_nobodys_home_stays(text: str) -> None:
    assert Redactor().redact(text) == text


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("mira", "{}"),
        ("by Mira Jones", "by {} Jones"),
        ("github.com/mira/app", "github.com/{}/app"),
        ("mira@laptop:~$", "{}@laptop:~$"),
        ("Miras-MacBook-Pro", "{}s-MacBook-Pro"),
        ("\\nmira\\n", "\\n{}\\n"),
        ("chown mira:staff", "chown {}:staff"),
        ("mira_backup", "{}_backup"),
        ("miracle admirable", "miracle admirable"),
    ],
)
def test_a_user_name_is_masked_as_a_word(text: str, masked: str) -> None:
    assert Redactor(["mira"]).redact(text) == masked.format("[redacted: user-name 1]")


@pytest.mark.parametrize("name", ["root", "user", "admin", "runner", "ubuntu", "me", "dev", ""])
def test_a_name_that_is_a_common_word_is_not_masked_elsewhere(name: str) -> None:
    assert Redactor([name]).redact(f"run as {name} please") == f"run as {name} please"


def test_a_name_with_other_letters_is_masked() -> None:
    masked = Redactor(["jörg.ö"]).redact("von jörg.ö, in -home-jörg-ö-app")

    assert "jörg" not in masked


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("mira.jones@corp.io", "{}"),
        ("Mira <mira+a@corp.co.uk>", "Mira <{}>"),
        ("mailto:mira@corp.io.", "mailto:{}."),
        ("\\nmira@corp.io\\n", "\\n{}\\n"),
        ("C:\\mira@corp.io", "C:\\{}"),
        ("jörg@corp.io", "{}"),
        ("123+mira@users.noreply.github.com", "{}"),
    ],
)
def test_an_address_is_masked(text: str, masked: str) -> None:
    assert Redactor().redact(text) == masked.format("[redacted: email 1]")


@pytest.mark.parametrize(
    "text",
    [
        "noreply@anthropic.com",
        "git@github.com:org/app.git",
        "someone@example.com",
        "someone@mail.example.org",
        "react@18.2.0",
        "logo@2x.png",
        "@pytest.mark.slow",
        "@scope/package",
        "a @ b.com",
    ],
)
def test_what_is_no_persons_address_stays(text: str) -> None:
    assert Redactor().redact(text) == text


def test_names_are_found_in_paths_unless_they_say_nothing() -> None:
    paths = ["/home/mira/app", "C:\\Users\\someone\\x", "-Users-sam-app", "/home/dev", "/home/de/x"]

    assert find_names(paths) == {"mira", "someone", "sam"}


def test_literals_are_masked_everywhere_in_any_case() -> None:
    account = "550e8400-e29b-41d4-a716-446655440000"
    redactor = Redactor(literals={account: "account id", "": "nothing"})

    masked = redactor.redact(f"x{account}y {account.upper()} 550e8400-e29b-41d4-a716-446655440001")

    assert masked == (
        "x[redacted: account-id 1]y [redacted: account-id 1] 550e8400-e29b-41d4-a716-446655440001"
    )


def test_a_literal_with_other_letters_is_masked() -> None:
    redactor = Redactor(literals={"größe-1": "account-id"})

    assert redactor.redact("xgröße-1") == "x[redacted: account-id 1]"


def test_an_address_behind_a_sign_that_is_none_is_found() -> None:
    masked = Redactor().redact("@types and user@localhost, then mira@fjord.no")

    assert "mira" not in masked
    assert masked.startswith("@types and user@localhost, then ")
