"""The pages that a member has beside those of the archive, by role."""

from typing import Final

from clew.render.site import AccountLinks
from clew.server.principal import Principal, Role

ACCOUNT: Final = "/account"
AUDIT: Final = "/audit"
PROCESSING: Final = "/processing"
TEAM_USAGE: Final = "/team"
ADMIN: Final = "/admin"
ADMIN_AUDIT: Final = "/admin/audit"


def account_links(
    principal: Principal, url: str, notice: str = "", processing: str = ""
) -> AccountLinks:
    """Return what pages show of whoever is logged in at a server."""
    return AccountLinks(
        name=principal.name,
        role=principal.role,
        organisation=principal.organisation,
        links=_links(principal.role),
        url=url,
        notice=notice,
        processing=processing,
        processing_url=PROCESSING,
    )


def is_lead(role: Role) -> bool:
    """Return whether a role sees the usage of projects."""
    return role in (Role.LEAD, Role.AUDITOR)


def _links(role: Role) -> tuple[tuple[str, str], ...]:
    links = [("Account", ACCOUNT), ("Activity", AUDIT), ("Processing", PROCESSING)]
    if is_lead(role):
        links.append(("Team usage", TEAM_USAGE))
    if role is Role.ADMIN:
        links.append(("Administration", ADMIN))
    return tuple(links)
