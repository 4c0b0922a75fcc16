"""Passwords of `.pgpass` lines are masked, and what only has as many colons is not."""

import pytest

from clew.redact import Redactor

PASSWORD = "hunter" + "2xyz"
MARK = "[redacted: password 1]"


@pytest.mark.parametrize(
    "line",
    [
        "db.corp.io:5432:app:svc:{}",
        "localhost:5433:*:svc:{}",
        "10.0.0.7:6432:app:svc:{}",
        "[::1]:5432:app:svc:{}",
        "/var/run/postgresql:5432:app:svc:{}",
        "*:*:*:*:{}",
        "db:*:app:svc:{}",
        "     3→db:5432:app:svc:{}\r",
        "+db:5432:app:svc:{}",
        ".pgpass:3:db:5432:app:svc:{}",
        "echo 'db:5432:app:svc:{}' >> ~/.pgpass",
        '"db:5432:app:svc:{}\\nother"',
    ],
)
def test_the_last_field_is_masked(line: str) -> None:
    masked = Redactor().redact(f"before\n{line.format(PASSWORD)}\nafter")

    assert masked == f"before\n{line.format(MARK)}\nafter"


def test_colons_that_are_escaped_belong_to_the_password() -> None:
    assert Redactor().redact(r"db:5432:app:svc:a\:b\\c1") == f"db:5432:app:svc:{MARK}"


@pytest.mark.parametrize(
    "text",
    [
        "127.0.0.1:5432:5432",
        "arn:aws:logs:*:*:log-group:/aws/lambda",
        "src/main.py:5432:10:error:unexpected indent",
        "db:5432:app:svc:",
        "db:5432:app:svc:$PASSWORD",
        "db:5432:app:svc:<password>",
        "a:b:c:d:e1f2g3",
        ":5432:app:svc:word1",
        "10:54:32:543:12:77",
    ],
)
def test_what_only_has_as_many_colons_stays(text: str) -> None:
    assert Redactor().redact(text) == text
