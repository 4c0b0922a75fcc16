"""`clew digest` with a model: sessions are archived first, and digests are kept."""

import datetime as dt
import os
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

import click
import msgspec

from clew.archive import Archive, FilterSet, open_archive
from clew.cli.text import visible
from clew.digest import DigestError, SessionDigest
from clew.digest_models import (
    NANO,
    Budget,
    BudgetError,
    DigestRun,
    ModelAnswerCutError,
    ModelAnswerTooLargeError,
    ModelDeclinedError,
    ModelError,
    ModelInterruptedError,
    ModelTimeoutError,
    NothingSaidError,
    TooSoonError,
    choose_model,
    open_digests,
)
from clew.errors import ClewError
from clew.settings import DigestSettings
from clew.store import shown_digest

# These say something of one session; after all others, the next one would fail, too.
_OF_ONE_SESSION = (
    DigestError,
    ModelAnswerCutError,
    ModelAnswerTooLargeError,
    ModelDeclinedError,
    ModelInterruptedError,
    ModelTimeoutError,
)


class DigestChoice(msgspec.Struct, frozen=True, kw_only=True):
    """Which sessions a model digests: those of some names, or those that match filters."""

    names: Sequence[str]
    filters: FilterSet | None
    is_missing: bool
    roots: Sequence[Path]
    no_sync: bool


class ModelDigests:
    """Digests of a model, made one by one; `failures` are those of sessions without one."""

    def __init__(self, name: str, settings: DigestSettings, max_cost: float | None) -> None:
        self.model = choose_model(name, settings, os.environ, Path.home())
        self._settings = settings
        per_run = settings.max_cost_per_run if max_cost is None else max_cost
        self._budget = Budget(
            run_nano_usd=round(per_run * NANO),
            day_nano_usd=round(settings.max_cost_per_day * NANO),
        )
        self.failures: list[ClewError] = []

    def make(self, choice: DigestChoice) -> Iterator[SessionDigest]:
        """Make or find the digests of sessions, until one fails in a way that all others would."""
        with open_archive() as archive:
            names = _find(archive, choice)
            with self._open(archive) as run:
                for name in run.without_digest(names) if choice.is_missing else names:
                    try:
                        yield shown_digest(run.digest(name))
                    except TooSoonError as error:
                        click.echo(f"clew: {visible(str(error))}", err=True)
                        yield shown_digest(error.kept, is_stale=error.is_stale)
                    except _OF_ONE_SESSION as error:
                        self._note(error, choice)
                    except BudgetError as error:
                        self._note(error, choice)
                        # A shorter one may still be paid.
                        if error.highest_nano_usd <= self._budget.run_nano_usd:
                            return
                    except ModelError as error:
                        self._note(error, choice)
                        return

    def plan(self, choice: DigestChoice) -> Iterator["PlannedDigest"]:
        """Return what would be sent."""
        with open_archive() as archive:
            names = _find(archive, choice)
            with self._open(archive) as run:
                for name in run.without_digest(names) if choice.is_missing else names:
                    try:
                        planned = run.plan(name)
                    except DigestError as error:
                        self._note(error, choice)
                        continue
                    labels = archive.session_labels([planned.session_id])
                    title = labels[planned.session_id].title if labels else ""
                    yield PlannedDigest(
                        planned.session_id,
                        title,
                        self.model.name,
                        planned.highest_nano_usd / NANO,
                        planned.tokens,
                        tuple(request.text for request in planned.requests),
                    )

    def _open(self, archive: Archive) -> AbstractContextManager[DigestRun]:
        return open_digests(archive, self.model, self._budget, redact=self._settings.redact)

    def _note(self, error: ClewError, choice: DigestChoice) -> None:
        """Print why a session has no digest; filters may well find some that need none."""
        if isinstance(error, NothingSaidError) and choice.filters is not None:
            return
        self.failures.append(error)
        click.echo(f"clew: {visible(str(error))}", err=True)


class PlannedDigest(msgspec.Struct, frozen=True):
    """A session to be digested, by whom, and at what cost at most; `texts` would be sent."""

    session_id: str
    title: str
    model: str
    cost_usd: float = 0.0
    tokens: int = 0
    texts: tuple[str, ...] = ()


def _find(archive: Archive, choice: DigestChoice) -> list[str]:
    """Return the ids of sessions, after all of them were archived."""
    if not choice.no_sync:
        archive.sync(list(choice.roots) or None, now=dt.datetime.now(dt.UTC))
    if choice.filters is None:
        return [archive.find_session(name) for name in choice.names]
    return [session.id for session in archive.sessions(choice.filters)]
