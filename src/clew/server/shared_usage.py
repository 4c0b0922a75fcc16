"""Usage of what a team shares: by project for leads, by member where the organisation says so.

Sessions that their owners keep to themselves are not counted.
"""

from typing import Annotated, Any, Final, TypeAlias

import msgspec
from litestar import Request, get
from litestar.exceptions import PermissionDeniedException
from litestar.params import QueryParameter

from clew.analytics import FilterSet
from clew.errors import UsageError
from clew.server.accounts import get_organisation
from clew.server.principal import Principal, Role
from clew.server.requests import principal_of, team_of
from clew.store.postgres.team import TeamDatabase
from clew.web.params import TheFilters

By: TypeAlias = Annotated[str, QueryParameter(max_length=20, description="project or member.")]
_GROUPS: Final = ("project", "member")
_READERS: Final = (Role.LEAD, Role.AUDITOR)


class SharedUsageRow(msgspec.Struct, frozen=True):
    """What the shared sessions of a project or a member used; without a project, the name is ""."""

    name: str
    sessions: int
    members: int
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    cost_usd: float

    @property
    def total_tokens(self) -> int:
        """All tokens."""
        written = self.cache_write_tokens + self.cache_read_tokens
        return self.input_tokens + self.output_tokens + written


class SharedUsage(msgspec.Struct, frozen=True, kw_only=True):
    """Usage of a team, the most expensive first."""

    schema: str = "clew.team-usage/1"
    by: str
    rows: list[SharedUsageRow]


@get("/api/team/usage", sync_to_thread=True, tags=["usage"], operation_id="teamUsage")
def team_usage(
    request: Request[Any, Any, Any], filters: TheFilters, by: By = "project"
) -> SharedUsage:
    """Count what shared sessions used by project; by member where your organisation allows it."""
    with team_of(request) as team:
        return read_shared_usage(team, principal_of(request), filters, by)


def read_shared_usage(
    team: TeamDatabase, principal: Principal, filters: FilterSet, by: str
) -> SharedUsage:
    """Count what shared sessions used.

    Raises:
        PermissionDeniedException: The member is no lead, or usage by member is switched off.
        UsageError: It cannot be grouped so.
    """
    if by not in _GROUPS:
        raise UsageError(f"cannot group by {by[:20]!r}; use one of {', '.join(_GROUPS)}")
    if principal.role not in _READERS:
        raise PermissionDeniedException("only leads see the usage of projects")
    organisation = get_organisation(team, principal.organisation_id)
    if by == "member" and not organisation.shows_members:
        raise PermissionDeniedException("your organisation does not show usage by member")
    values = {
        "organisation_id": principal.organisation_id,
        "by": by,
        "since": filters.since,
        "until": filters.until,
    }
    found = team.records("shared_usage", values)
    return SharedUsage(by=by, rows=[SharedUsageRow(**row) for row in found])
