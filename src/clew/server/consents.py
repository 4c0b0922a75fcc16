"""What members allow for the projects of their laptops, as the server knows it.

Every change raises the epoch, and whatever was made under an earlier one is refused.
"""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from clew.figures import plural
from clew.protocol import ConsentChange, ConsentState, Tier, Visibility
from clew.server.accounts import NameTakenError
from clew.server.audit import write_audit
from clew.server.manifest_fields import BadFieldError, check_project_key
from clew.server.names import label
from clew.server.own_sessions import purge_sessions
from clew.server.principal import Principal
from clew.server.projects import create_project
from clew.server.refusals import RefusedPushError
from clew.server.session_scope import move_consented_sessions
from clew.store.postgres.team import TeamDatabase

MAX_CONSENTS: Final = 10_000
"""For how many projects of laptops a member may decide."""


class DecidedConsent(msgspec.Struct, frozen=True):
    """A consent as it will be written."""

    tier: Tier
    visibility: Visibility
    project_id: int | None
    note: str = ""


def list_consents(team: TeamDatabase, principal: Principal) -> list[ConsentState]:
    """Return all that a member allows."""
    found = team.records("list_consents", {"member_id": principal.member_id})
    return [to_state(one) for one in found]


def to_state(found: Mapping[str, Any], note: str = "") -> ConsentState:
    """Return a consent as laptops read it."""
    return ConsentState(
        project_key=found["project_key"],
        tier=Tier(found["tier"]),
        epoch=found["epoch"],
        visibility=Visibility(found["visibility"]),
        project=found["project"],
        note=note,
    )


def set_consent(
    team: TeamDatabase, principal: Principal, project_key: str, change: ConsentChange
) -> ConsentState:
    """Change what a member allows; saying the same again changes nothing.

    Sessions that were pushed before are shown to whom the new consent allows. A project is created
    by whoever names it first, and then has one member.

    Raises:
        RefusedPushError: The change makes no sense.
        BadNameError: The project cannot have this name.
    """
    check_project_key(project_key)
    if change.visibility is Visibility.PROJECT and not change.project:
        raise BadFieldError("project", "named if its members are to see the sessions")
    values = {"member_id": principal.member_id, "project_key": project_key}
    with team.transaction():
        before = _lock(team, values)
        decided = _decide(team, principal, change)
        if not before["epoch"] or _differs(before, decided):
            team.run("change_consent", {**values, **msgspec.structs.asdict(decided)})
            detail = f"{decided.tier}, {decided.visibility}"
            _audit(team, principal, "consent.change", detail)
        note = _purge(team, principal, project_key, decided) if change.purge else decided.note
        after = _lock(team, values)
    move_consented_sessions(team, principal, project_key)
    return to_state(after, note)


def _purge(
    team: TeamDatabase, principal: Principal, project_key: str, decided: DecidedConsent
) -> str:
    """Delete what a consent does not allow; return what to tell the member."""
    count, held = purge_sessions(team, principal, project_key, decided.tier)
    _audit(team, principal, "consent.purge", f"{count} sessions, {held} held")
    if not held:
        return decided.note
    stays, them = ("it stays", "it") if held == 1 else ("they stay", "them")
    note = (
        f"an administrator holds {plural(held, 'session')} of this project, so {stays} on the "
        f"server; ask them to release {them}, then purge again"
    )
    return f"{decided.note}; {note}" if decided.note else note


def _lock(team: TeamDatabase, values: dict[str, Any]) -> dict[str, Any]:
    """Return a consent, which allows nothing if there is none yet, and keep it from changing."""
    found = team.record("lock_consent", values)
    if found is None:
        if team.rows("count_consents", values)[0][0] >= MAX_CONSENTS:
            raise RefusedPushError(f"you have decided for {MAX_CONSENTS:,} projects, which is all")
        team.run("add_consent", values)
        found = team.record("lock_consent", values)
    return found or {}


def _differs(before: Mapping[str, Any], decided: DecidedConsent) -> bool:
    written = (before["tier"], before["visibility"], before["project_id"])
    return written != (decided.tier, decided.visibility, decided.project_id)


def _decide(team: TeamDatabase, principal: Principal, change: ConsentChange) -> DecidedConsent:
    """Return what a change comes to: who is no member of a project shows nothing to it."""
    if not change.project:
        return DecidedConsent(change.tier, change.visibility, None)
    name = label(change.project, "project")
    project_id, is_member = _find_project(team, principal, name)
    if is_member or change.visibility is not Visibility.PROJECT:
        return DecidedConsent(change.tier, change.visibility, project_id)
    note = (
        f"you are not a member of the project {name}, so only you see these sessions; ask an "
        "administrator to add you, then set the visibility again"
    )
    return DecidedConsent(change.tier, Visibility.PRIVATE, project_id, note)


def _find_project(team: TeamDatabase, principal: Principal, name: str) -> tuple[int, bool]:
    """Return a project, which is created if there is none, and whether the member belongs to it."""
    values = {
        "organisation_id": principal.organisation_id,
        "member_id": principal.member_id,
        "name": name,
    }
    found = team.record("named_project", values)
    if found is None:
        _create(team, principal, name)
        found = team.record("named_project", values) or {}
    return found["id"], bool(found["is_member"])


def _create(team: TeamDatabase, principal: Principal, name: str) -> None:
    try:
        project = create_project(team, principal.organisation_id, name, principal.member_id)
    except NameTakenError:
        # Another member was faster.
        return
    member = {"project_id": project.id, "member_id": principal.member_id}
    team.run("add_project_member", {**member, "added_by": principal.member_id})


def _audit(team: TeamDatabase, principal: Principal, action: str, detail: str) -> None:
    write_audit(
        team,
        principal.organisation_id,
        action,
        actor=principal.member_id,
        device_id=principal.device_id,
        owner=principal.member_id,
        detail=detail,
    )
