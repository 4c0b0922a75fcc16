"""Invites and resets: links that are used once, and no longer after a while."""

from typing import Final

from clew.errors import ClewError, UsageError
from clew.server.accounts import Member, get_member
from clew.server.audit import write_audit
from clew.server.devices import issue_token
from clew.server.tokens import TokenKind, hash_token, is_token_text
from clew.store.postgres.team import TeamDatabase

HOURS: Final = {TokenKind.INVITE: 7 * 24, TokenKind.RESET: 24}
"""How long links can be used."""


class LinkOverError(ClewError):
    """A link was used, replaced or revoked, or its time is over."""

    def __init__(self, whom: str = "an administrator", *, is_revoked: bool = False) -> None:
        what = "was revoked" if is_revoked else "can no longer be used"
        super().__init__(f"this link {what}; ask {whom} for a new one")


class DisabledMemberError(UsageError):
    """Links of a disabled member let nobody in."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"{name} is disabled; enable them first: `clew admin member enable {name}`"
        )


def make_link(team: TeamDatabase, kind: TokenKind, member: Member, by: int | None = None) -> str:
    """Return the token of a new link for a member; earlier links of theirs no longer work.

    Raises:
        DisabledMemberError: The member is disabled.
    """
    if member.disabled_at is not None:
        raise DisabledMemberError(member.name)
    with team.transaction():
        values = {"member_id": member.id, "kinds": list(HOURS)}
        team.run("revoke_credentials", values)
        token = issue_token(team, kind, member.id, hours=HOURS[kind])
        write_audit(team, member.organisation_id, f"member.{kind}", actor=by, owner=member.id)
    return token


def read_link(team: TeamDatabase, kind: TokenKind, token: str) -> Member:
    """Return the member whom a link is for, without using it: programs look at links, too.

    Raises:
        LinkOverError: It can no longer be used.
    """
    return _member_of(team, "find_link", kind, token)


def use_link(team: TeamDatabase, kind: TokenKind, token: str) -> Member:
    """Use a link: of all who try, one gets its member.

    Raises:
        LinkOverError: It can no longer be used.
    """
    return _member_of(team, "use_link", kind, token)


def _member_of(team: TeamDatabase, name: str, kind: TokenKind, token: str) -> Member:
    values = {"hash": hash_token(token), "kind": kind}
    found = team.record(name, values) if is_token_text(token) else None
    if found is None:
        raise LinkOverError
    return get_member(team, found["member_id"])
