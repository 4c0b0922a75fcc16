"""What went wrong, in words."""

import pytest
from litestar.exceptions import (
    HTTPException,
    MethodNotAllowedException,
    NotFoundException,
    ValidationException,
)

from clew.errors import ClewError, NotFoundError, SessionNotFoundError, UsageError
from clew.web.errors import describe


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (NotFoundError("gone"), 404, "not_found"),
        (UsageError("what?"), 400, "bad_request"),
        (ClewError("broken"), 500, "failed"),
        (ValueError("secret"), 500, "failed"),
        (HTTPException("no", status_code=405), 405, "not_allowed"),
        (HTTPException("teapot", status_code=418), 418, "bad_request"),
        (HTTPException("down", status_code=502), 502, "failed"),
    ],
)
def test_every_error_has_a_status_and_a_code(error: Exception, status: int, code: str) -> None:
    found, fault = describe(error)

    assert (found, fault.code) == (status, code)


def test_what_nobody_foresaw_tells_nothing_of_itself() -> None:
    assert "secret" not in describe(ValueError("secret"))[1].message


def test_each_value_that_does_not_fit_is_named() -> None:
    error = ValidationException("bad", extra=[{"key": "limit", "message": "too large"}])

    assert describe(error)[1].message == "limit: too large"
    assert describe(ValidationException("bad", extra=[]))[1].message == "bad"


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("Expected `float | null`, got `str`", "it must be a number"),
        ("Expected `int`, got `str`", "it must be a whole number"),
        ("Expected `bool`, got `str`", "it must be true or false"),
        ("Expected `float` >= 0.0", "it must be at least 0"),
        ("Expected `int` <= 1000", "it must be at most 1,000"),
        ("Expected `str` of length <= 4096", "it must be at most 4,096 characters"),
        ("Expected `Thing`, got `str`", "it: Expected `Thing`, got `str`"),
    ],
)
def test_what_a_value_should_be_is_said_for_people(said: str, told: str) -> None:
    error = ValidationException("bad", extra=[{"key": "it", "message": said}])

    assert describe(error)[1].message == told


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (NotFoundException(), "page not found"),
        (MethodNotAllowedException(), "method not allowed; use GET"),
        (
            ValidationException("Missing required query parameter 'path' for path /files/history"),
            "missing query parameter 'path'",
        ),
        (SessionNotFoundError("1bc"), "no session has the id '1bc'"),
        (
            SessionNotFoundError("1bc", ["1bc2", "1bc1"]),
            "2 session ids start with '1bc': 1bc1, 1bc2; use a longer prefix",
        ),
    ],
)
def test_a_page_says_what_is_wrong_with_its_address(error: Exception, told: str) -> None:
    assert describe(error)[1].message == told
