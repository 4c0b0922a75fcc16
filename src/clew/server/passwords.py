"""Passwords of local accounts: hashed with argon2, checked in the same time for unknown names."""

import threading
import unicodedata
from functools import cache
from typing import Final

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError

from clew.errors import ClewError, UsageError
from clew.server.accounts import Member
from clew.server.audit import write_audit
from clew.server.rate_limits import RateLimit
from clew.server.tokens import TokenKind
from clew.store.postgres.team import TeamDatabase

MIN_PASSWORD: Final = 12
_MAX_PASSWORD: Final = 1_000
"""Longer ones are refused, not cut."""
_FEW: Final = 5
# What OWASP recommends where many log in; each takes this memory and all that a core can do.
_MEMORY_KIB: Final = 19_456
_ROUNDS: Final = 2
_at_once: Final = threading.BoundedSemaphore(2)


class WeakPasswordError(UsageError):
    """A password is too short or too long, or repeats a few characters."""

    def __init__(self) -> None:
        super().__init__(
            f"use a password of {MIN_PASSWORD} to {_MAX_PASSWORD} characters that does not repeat "
            "a few"
        )


class TooManyTriesError(ClewError):
    """There were too many wrong passwords, for this name or from this address."""

    def __init__(self, seconds: float) -> None:
        super().__init__("too many failed logins; wait a while and try again")
        self.seconds = seconds


class LoginThrottle:
    """Counts wrong passwords by name and address.

    Somebody who guesses is stopped soon. Somebody else's guesses from elsewhere stop a member only
    when there are very many.
    """

    def __init__(self) -> None:
        self._pair = RateLimit(5, 5 * 60)
        self._address = RateLimit(30, 30 * 60)
        self._name = RateLimit(100, 60 * 60)

    def count(self, name: str, address: str) -> None:
        """Count a try, before its password is checked: many at once count, too.

        Raises:
            TooManyTriesError: There were too many.
        """
        wait = max(
            self._pair.count((name, address)),
            self._address.count(address),
            self._name.count(name),
        )
        if wait > 0:
            raise TooManyTriesError(wait)

    def forget(self, name: str, address: str) -> None:
        """Start anew after a correct password, which counts for nobody."""
        self._pair.forget((name, address))
        self._address.refund(address)
        self._name.refund(name)


def set_password(team: TeamDatabase, member: Member, password: str, by: int | None = None) -> None:
    """Set a member's password, and log out all of their browsers.

    Raises:
        WeakPasswordError: It is too easy to guess.
    """
    require_strong(password)
    with _at_once:
        found = _hasher().hash(_normal(password))
    with team.transaction():
        team.run("set_password_hash", {"id": member.id, "password_hash": found})
        over = [TokenKind.BROWSER, TokenKind.RESET]
        team.run("revoke_credentials", {"member_id": member.id, "kinds": over})
        write_audit(team, member.organisation_id, "member.password", actor=by, owner=member.id)


def require_strong(password: str) -> None:
    """Refuse a password that is easy to guess.

    Raises:
        WeakPasswordError: It is.
    """
    if not MIN_PASSWORD <= len(password) <= _MAX_PASSWORD or len(set(password)) < _FEW:
        raise WeakPasswordError


def check_password(team: TeamDatabase, name: str, password: str) -> int | None:
    """Return the number of the member whose password it is.

    It takes as long for members who do not exist, have no password, or are disabled.
    """
    found = team.record("find_password", {"name": name.strip().lower()})
    hashed: str | None = found["password_hash"] if found else None
    is_right = _verify(hashed or _nobodys_hash(), password[: _MAX_PASSWORD + 1])
    if found is None or hashed is None or not is_right:
        return None
    member_id: int = found["id"]
    if _hasher().check_needs_rehash(hashed):
        with _at_once:
            again = _hasher().hash(_normal(password))
        team.run("set_password_hash", {"id": member_id, "password_hash": again})
    return member_id


def _verify(hashed: str, password: str) -> bool:
    with _at_once:
        try:
            return _hasher().verify(hashed, _normal(password))
        except (Argon2Error, InvalidHashError):
            return False


def _normal(password: str) -> str:
    """Return a password as all keyboards write it: some send accents as characters."""
    return unicodedata.normalize("NFC", password)


@cache
def _hasher() -> PasswordHasher:
    return PasswordHasher(time_cost=_ROUNDS, memory_cost=_MEMORY_KIB, parallelism=1)


@cache
def _nobodys_hash() -> str:
    return _hasher().hash("the password of nobody")
