"""What went wrong, in words."""

import pytest
from litestar.exceptions import HTTPException, ValidationException

from clew.errors import ClewError, NotFoundError, UsageError
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
