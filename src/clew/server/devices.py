"""Devices of members, and the tokens that let devices and browsers in."""

import datetime as dt

import msgspec

from clew.errors import NotFoundError
from clew.server.audit import write_audit
from clew.server.names import label
from clew.server.tokens import TokenKind, hash_token, make_token
from clew.store.postgres.team import TeamDatabase, open_team
from clew.store.postgres_location import PostgresLocation


class Device(msgspec.Struct, frozen=True):
    """A machine that pushes sessions of a member."""

    id: int
    member: str
    name: str
    created_at: dt.datetime
    last_seen_at: dt.datetime | None
    revoked_at: dt.datetime | None


class IssuedToken(msgspec.Struct, frozen=True):
    """A token of a device, which is shown only now."""

    token: str
    device_id: int


class NoSuchDeviceError(NotFoundError):
    """There is no such device in the organisation."""

    def __init__(self, device_id: int) -> None:
        super().__init__(f"there is no device {device_id}; `clew admin device list` lists them")


def register_device(
    team: TeamDatabase, organisation_id: int, member_id: int, name: str, by: int | None = None
) -> IssuedToken:
    """Add a device of a member, and issue its token."""
    name = label(name, "device")
    with team.transaction():
        found = team.record("add_device", {"member_id": member_id, "name": name})
        device_id: int = found["id"] if found else 0
        token = issue_token(team, TokenKind.DEVICE, member_id, device_id=device_id)
        write_audit(
            team,
            organisation_id,
            "device.add",
            actor=by,
            device_id=device_id,
            owner=member_id,
            detail=name,
        )
    return IssuedToken(token, device_id)


def issue_token(
    team: TeamDatabase,
    kind: TokenKind,
    member_id: int,
    *,
    device_id: int | None = None,
    hours: int | None = None,
) -> str:
    """Return a new token; without `hours`, it is valid until it is revoked."""
    token = make_token()
    values = {"kind": kind, "hash": hash_token(token), "member_id": member_id}
    team.run("add_credential", {**values, "device_id": device_id, "hours": hours})
    return token


def list_devices(
    team: TeamDatabase, organisation_id: int, member_id: int | None = None
) -> list[Device]:
    """Return the devices of an organisation, or of one of its members."""
    values = {"organisation_id": organisation_id, "member_id": member_id}
    return [Device(**found) for found in team.records("list_devices", values)]


def revoke_device(
    team: TeamDatabase, organisation_id: int, device_id: int, by: int | None = None
) -> None:
    """Refuse a device from now on.

    Raises:
        NoSuchDeviceError: The organisation has no such device.
    """
    found = team.record("get_device", {"device_id": device_id})
    if found is None or found["organisation_id"] != organisation_id:
        raise NoSuchDeviceError(device_id)
    with team.transaction():
        if team.run("revoke_device", {"device_id": device_id}):
            write_audit(
                team,
                organisation_id,
                "device.revoke",
                actor=by,
                device_id=device_id,
                owner=found["member_id"],
                detail=found["name"],
            )


def revoke_token(team: TeamDatabase, token: str, kind: TokenKind = TokenKind.DEVICE) -> None:
    """Refuse a token of a kind from now on."""
    team.run("revoke_credential", {"hash": hash_token(token), "kind": kind})


def delete_old_credentials(location: PostgresLocation) -> int:
    """Delete tokens that have let nobody in for a month; return how many there were."""
    with open_team(location) as team:
        return team.run("delete_old_credentials")
