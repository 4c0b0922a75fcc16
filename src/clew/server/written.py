"""Who a viewer is at the moment of a request: what they may see, and what has been written."""

import msgspec

from clew.server.principal import Principal, Role
from clew.store.postgres.team import TeamDatabase


class WriteMarks(msgspec.Struct, frozen=True):
    """Marks of what had been written when a member made a request, as far as lists show it.

    `changes` is a number for the sessions of all owners, `marks` a text for prices and names, and
    `notes` has a text for each owner of whose sessions the member has notes. `scopes` are the
    member's without their private one, in which nobody else has sessions.
    """

    member_id: int
    scopes: tuple[int, ...]
    changes: int
    marks: str
    notes: dict[int, str]


class ViewerFacts(msgspec.Struct, frozen=True):
    """The scopes of a member, what pages say of their organisation, and what has been written."""

    scopes: tuple[int, ...]
    shows_members: bool
    written: WriteMarks


def read_viewer(team: TeamDatabase, principal: Principal) -> ViewerFacts:
    """Look up a viewer, in one statement: every request does so."""
    values = {
        "organisation_id": principal.organisation_id,
        "member_id": principal.member_id,
        "sees_all": principal.role is Role.AUDITOR,
    }
    ((shows_members, scopes, own_scope, changes, marks, notes),) = team.rows(
        "viewer_of_request", values
    )
    written = WriteMarks(
        member_id=principal.member_id,
        scopes=tuple(scope for scope in scopes if scope != own_scope),
        changes=changes,
        marks=marks,
        notes={int(owner): mark for owner, mark in (notes or {}).items()},
    )
    return ViewerFacts(tuple(scopes), bool(shows_members), written)
