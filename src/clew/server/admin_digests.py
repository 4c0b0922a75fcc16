"""What the page of administrators shows of digests, and how it changes them."""

from typing import Final

from clew.errors import UsageError
from clew.render.site import TeamForm, TeamInput
from clew.server.account_links import ADMIN
from clew.server.digest_settings import (
    DEFAULT_BUDGET_USD,
    read_digest_settings,
    read_digest_status,
    switch_digests_off,
    switch_digests_on,
)
from clew.server.principal import Principal
from clew.store.postgres.team import TeamDatabase

ADMIN_DIGESTS: Final = f"{ADMIN}/digests"


def digest_lines(team: TeamDatabase, organisation_id: int) -> list[str]:
    """Say what digests cost and wait for; nothing while they are off."""
    found = read_digest_status(team, organisation_id, "")
    if not found.has_digests:
        return []
    spent = (
        f"Digests: {found.waiting:,} waiting, {found.over_budget:,} over budget, "
        f"{found.structure_only:,} without text, {found.failed:,} failed; ${found.spent_usd:.2f} "
        f"of ${found.budget_usd_per_day:,.2f} spent in the last 24 hours."
    )
    return [spent, f"Digests are paused: {found.pause_reason}."] if found.pause_reason else [spent]


def digest_form(team: TeamDatabase, organisation_id: int) -> TeamForm:
    """Return the form with the settings of digests."""
    found = read_digest_settings(team, organisation_id)
    budget = found.day_usd or DEFAULT_BUDGET_USD
    return TeamForm(
        title="Digests",
        action=ADMIN_DIGESTS,
        button="Save",
        inputs=[
            TeamInput(
                name="has_digests",
                label="A model writes digests of sessions",
                value="yes" if found.has_digests else "no",
                options=["no", "yes"],
            ),
            TeamInput(
                name="model", label="Model", value=found.model, placeholder="claude-haiku-4-5"
            ),
            TeamInput(name="budget", label="Dollars per day", value=f"{budget:g}"),
        ],
    )


def save_digests(team: TeamDatabase, by: Principal, form: dict[str, str]) -> None:
    """Change the settings as a form says.

    Raises:
        UsageError: The model or the budget cannot be used.
    """
    if form.get("has_digests") != "yes":
        switch_digests_off(team, by.organisation_id, by=by.member_id)
        return
    budget = _read_dollars(form.get("budget", ""))
    switch_digests_on(team, by.organisation_id, form.get("model", ""), budget, by=by.member_id)


def _read_dollars(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise UsageError("write the budget as dollars per day, such as 5 or 2.50") from None
