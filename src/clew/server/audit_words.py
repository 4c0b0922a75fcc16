"""What the pages call the actions of the audit log."""

from typing import Final

_TEXTS: Final = {
    "consent.change": "changed what may leave",
    "consent.purge": "deleted what is not allowed any more",
    "device.add": "added a device",
    "device.revoke": "revoked a device",
    "link.create": "made a link",
    "link.read": "read it",
    "link.revoke": "revoked a link",
    "login": "logged in",
    "member.create": "created a member",
    "member.delete": "deleted a member",
    "member.disable": "disabled a member",
    "member.enable": "enabled a member",
    "member.identity": "connected an account",
    "member.invite": "invited a member",
    "member.password": "set a password",
    "member.quota": "changed a quota",
    "member.reset": "made a link to reset a password",
    "member.role": "changed a role",
    "member.transfer": "transferred sessions",
    "organisation.create": "created the organisation",
    "organisation.digests": "changed who writes digests",
    "organisation.set": "changed settings",
    "project.add": "added a member to a project",
    "project.create": "created a project",
    "project.remove": "removed a member from a project",
    "project.retention": "changed the retention of a project",
    "session.delete": "deleted a session",
    "session.expire": "deleted a session after its retention",
    "session.export": "exported",
    "session.found": "found in a search",
    "session.hold": "placed a legal hold",
    "session.listed": "saw in a list",
    "session.raw": "downloaded",
    "session.read": "read",
    "session.release": "released a legal hold",
    "session.revive": "allowed a deleted session again",
    "session.share": "shared",
    "titles.listed": "saw titles in a list",
}


def action_text(action: str) -> str:
    """Return an action in words; one without any is shown as it is."""
    return _TEXTS.get(action, action)
