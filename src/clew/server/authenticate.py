"""A token → who it stands for. Every request is checked anew, so revocation is immediate."""

from clew.server.principal import Principal, Role
from clew.server.tokens import TokenKind, hash_token, is_token_text
from clew.store.postgres.team import TeamDatabase


def authenticate(
    team: TeamDatabase, token: str, kind: TokenKind = TokenKind.DEVICE
) -> Principal | None:
    """Return whom a token of a device or a browser stands for.

    It is None if the token is unknown, revoked or over, if its member is disabled, or its device
    is revoked.
    """
    if not is_token_text(token):
        return None
    found = team.record("find_principal", {"hash": hash_token(token), "kind": kind})
    if found is None:
        return None
    if found["is_seen_anew"]:
        team.run("see_device", {"device_id": found["device_id"]})
    return Principal(
        member_id=found["member_id"],
        organisation_id=found["organisation_id"],
        organisation=found["organisation"],
        name=found["name"],
        role=Role(found["role"]),
        device_id=found["device_id"],
    )
