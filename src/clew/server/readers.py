"""Who may read what a member pushes, in words that the member is shown."""

from clew.figures import plural
from clew.server.accounts import get_organisation
from clew.server.digest_settings import read_digest_settings
from clew.server.principal import Principal
from clew.store.postgres.team import TeamDatabase


def readers_of(team: TeamDatabase, principal: Principal) -> list[str]:
    """Return one line for each visibility, one about usage by member, and one about digests."""
    organisation = get_organisation(team, principal.organisation_id)
    values = {"organisation_id": organisation.id, "member_id": principal.member_id}
    names = [row[0] for row in team.rows("list_auditors", values)]
    auditors = f"auditors ({', '.join(names)})" if names else "no auditor"
    usage = "yes" if organisation.shows_members else "no"
    return [
        f"private: you; {auditors}",
        *(
            f"project {name}: its {plural(members, 'member')}; {auditors}"
            for name, members in team.rows("list_projects_of_member", values)
        ),
        f"organisation: all members of {organisation.name}",
        f"leads see usage by member: {usage}",
        f"a model reads your sessions to write digests: {_model(team, organisation.id)}",
    ]


def _model(team: TeamDatabase, organisation_id: int) -> str:
    """Say which model is shown what a member pushes."""
    settings = read_digest_settings(team, organisation_id)
    if not settings.has_digests:
        return "no"
    return f"yes, {settings.model}, unless you push their structure only"
