"""Who makes a request: a member of an organisation, from a device or a browser."""

from enum import StrEnum

import msgspec


class Role(StrEnum):
    """What a member may do.

    A lead sees totals of projects, an auditor reads everything in the organisation, which is
    logged, and an admin manages members and settings without reading what others did not share.
    """

    MEMBER = "member"
    LEAD = "lead"
    AUDITOR = "auditor"
    ADMIN = "admin"


class Principal(msgspec.Struct, frozen=True):
    """A member who was let in; without a device, they use a browser."""

    member_id: int
    organisation_id: int
    organisation: str
    name: str
    role: Role
    device_id: int | None = None
