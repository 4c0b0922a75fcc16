"""Reports about work, not about people: none of them is made of one member."""

from clew.analytics import FilterSet
from clew.errors import UsageError


def require_no_member(filters: FilterSet) -> None:
    """Refuse to report on one member of a team.

    Raises:
        UsageError: The filters select a member.
    """
    if filters.member is not None:
        raise UsageError("this report cannot be filtered by member; use project")
