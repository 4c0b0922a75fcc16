"""Whether an organisation has digests written, by which model, and what they may cost in a day.

Nothing is sent to a model unless an administrator has switched it on. Keys are never stored here:
workers have them in their environment or settings.
"""

import datetime as dt
import math
from typing import Final

import msgspec

from clew.digest_models import CLIENT, NANO
from clew.errors import UsageError
from clew.server.audit import write_audit
from clew.server.queue import WORK_CHANNEL
from clew.store.postgres.team import TeamDatabase

DEFAULT_BUDGET_USD: Final = 5.0
"""What digests may cost in 24 hours unless an administrator says otherwise."""
MAX_BUDGET_USD: Final = 100_000.0
_LONGEST_MODEL: Final = 100


class DigestSettingsError(UsageError):
    """Digests cannot be switched on like this."""


class OrganisationDigests(msgspec.Struct, frozen=True, kw_only=True):
    """What an organisation wants, and until when its sessions wait for what."""

    has_digests: bool = False
    model: str = ""
    day_nano_usd: int = 0
    paused_until: dt.datetime | None = None
    pause_reason: str | None = None
    is_over_budget: bool = False

    @property
    def day_usd(self) -> float:
        """What digests may cost in 24 hours, in dollars."""
        return self.day_nano_usd / NANO


class DigestStatus(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of an organisation, and how far its digests are."""

    schema: str = "clew.digest_settings/1"
    organisation: str
    has_digests: bool
    model: str
    budget_usd_per_day: float
    spent_usd: float
    paused_until: dt.datetime | None
    pause_reason: str | None
    summarised: int
    waiting: int
    over_budget: int
    structure_only: int
    empty: int
    failed: int


def read_digest_settings(team: TeamDatabase, organisation_id: int) -> OrganisationDigests:
    """Return what an organisation wants."""
    found = team.record("digest_settings", {"organisation_id": organisation_id}) or {}
    return msgspec.convert(found, OrganisationDigests, strict=False)


def read_digest_status(team: TeamDatabase, organisation_id: int, name: str) -> DigestStatus:
    """Return what an organisation wants, what that has cost, and how far it is."""
    values = {"organisation_id": organisation_id}
    settings = read_digest_settings(team, organisation_id)
    spent = (team.record("digest_day_cost", values) or {"nano_usd": 0})["nano_usd"]
    counts = team.record("digest_counts", values) or {}
    return DigestStatus(
        organisation=name,
        has_digests=settings.has_digests,
        model=settings.model,
        budget_usd_per_day=settings.day_usd,
        spent_usd=spent / NANO,
        paused_until=settings.paused_until,
        pause_reason=settings.pause_reason,
        **counts,
    )


def switch_digests_on(
    team: TeamDatabase, organisation_id: int, model: str, day_usd: float, by: int | None = None
) -> None:
    """Let a model write digests of all sessions with text, the latest first.

    Raises:
        DigestSettingsError: There is no such model, or no such budget.
    """
    name = _require_model(model)
    if not math.isfinite(day_usd) or not 0 < day_usd <= MAX_BUDGET_USD:
        raise DigestSettingsError(
            f"{day_usd:g} is not a budget; use dollars per day, above 0 and up to "
            f"{MAX_BUDGET_USD:,.0f}"
        )
    settings = OrganisationDigests(has_digests=True, model=name, day_nano_usd=round(day_usd * NANO))
    _set(team, organisation_id, settings, "start_digests", f"{name}, ${day_usd:,.2f} per day", by)


def switch_digests_off(team: TeamDatabase, organisation_id: int, by: int | None = None) -> None:
    """Send nothing more to a model; digests that there are stay with their sessions."""
    settings = read_digest_settings(team, organisation_id)
    off = OrganisationDigests(model=settings.model, day_nano_usd=settings.day_nano_usd)
    _set(team, organisation_id, off, "stop_digests", "off", by)


def _set(
    team: TeamDatabase,
    organisation_id: int,
    settings: OrganisationDigests,
    change: str,
    detail: str,
    by: int | None,
) -> None:
    values = {"organisation_id": organisation_id, **msgspec.structs.asdict(settings)}
    with team.transaction():
        team.run("set_digests", values)
        team.run(change, values)
        write_audit(team, organisation_id, "organisation.digests", actor=by, detail=detail)
        team.notify(WORK_CHANNEL)


def _require_model(text: str) -> str:
    name = text.strip()
    if not 0 < len(name) <= _LONGEST_MODEL or not name.isprintable() or " " in name:
        raise DigestSettingsError(
            f"{text[:100]!r} is not the name of a model; use one such as claude-haiku-4-5"
        )
    if name.partition(":")[0] == CLIENT:
        raise DigestSettingsError(
            f"a server cannot use {CLIENT}: it would store members' sessions on the machines of "
            "workers; use a model of the API, such as claude-haiku-4-5"
        )
    return name
