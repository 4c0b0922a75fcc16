"""A team whose sessions a scripted model on loopback digests, asked by the real SDK."""

import datetime as dt
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest

from clew.clock import format_time
from clew.digest_models import NANO, PAUSE
from clew.server.digest_settings import switch_digests_off, switch_digests_on
from clew.server.session_states import Stage, stage_of
from clew.store.postgres.team import open_team
from tests.build import SessionBuilder
from tests.digest.model_server import Answer, ModelServer, say, serve_model
from tests.team.pushed import PushedTeam

MODEL: Final = "claude-haiku-4-5"
KEY: Final = "sk-ant-a-key-that-nobody-may-see"
ASKED: Final = "Please add tests for the retry code."
SAID: Final = "I have added three tests for the retry code."
MORE: Final = "Add the docs of it as well, please."
SECRET: Final = "ghp_" + "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5"
COST: Final = 2_000_000
"""What an answer of the scripted model costs, in nano-dollars."""


def reply(*quotes: str, title: str = "Tests for the retry code") -> str:
    """Return what a model answers, with a claim for each quote."""
    claims = [
        {"text": f"Claim {n} was made.", "quote": quote, "messages": []}
        for n, quote in enumerate(quotes)
    ]
    answer = {"title": title, "outcome": "done", "summary": claims, "decisions": []}
    return json.dumps({**answer, "open_items": []})


GOOD: Final = say(reply(ASKED, SAID))


class DigestedTeam:
    """A team, its model, and where its sessions are."""

    def __init__(self, team: PushedTeam, model: ModelServer, folder: Path) -> None:
        self.team = team
        self.model = model
        self.folder = folder

    def answer(self, *answers: Answer) -> None:
        """Let the model answer so from now on."""
        self.model.answers = list(answers)

    def switch_on(self, budget: float = 5.0) -> None:
        """Let the model write digests."""
        with open_team(self.team.location) as team:
            switch_digests_on(team, self.team.organisation, MODEL, budget)

    def switch_off(self) -> None:
        """Let no model write digests."""
        with open_team(self.team.location) as team:
            switch_digests_off(team, self.team.organisation)

    def push(self, member: int, name: str = "one", *more: str) -> str:
        """Push a session, or more of it; return its id."""
        folder = self.folder / str(member) / name
        session = SessionBuilder(name).user(f"{ASKED} Use {SECRET} for it.").assistant(SAID)
        for words in more:
            session = session.user(words).assistant("That is finished as well now.")
        path = session.write(folder)
        self.team.push(member, folder, f"root-{name}")
        return path.stem

    def wait(self, minutes: float = 11) -> None:
        """Let so much time pass since sessions grew."""
        self.team.rows(
            "UPDATE session_state SET grown_at = grown_at - %s * interval '1 minute'", minutes
        )

    def wait_long(self) -> None:
        """Let the six hours pass after which a session may be digested again."""
        self.team.rows("UPDATE session_state SET digest_due_at = now()")
        self.team.rows(
            "UPDATE digest SET made_at = %s",
            format_time(dt.datetime.now(dt.UTC) - PAUSE - dt.timedelta(minutes=1)),
        )

    def wait_a_day(self) -> None:
        """Let what was spent count no longer, and the budget be tried again."""
        self.team.rows("UPDATE digest_call SET reserved_at = '2020-01-01T00:00:00.000Z'")
        self.team.rows("UPDATE organisation SET digest_paused_until = now()")
        self.team.rows("UPDATE session_state SET digest_due_at = now()")

    def end_leases(self) -> None:
        """Let the leases of dead workers end."""
        self.team.rows("UPDATE session_state SET claimed_until = now() WHERE claim IS NOT NULL")
        self.team.rows(
            "UPDATE session_state SET digest_claimed_until = now() WHERE digest_claim IS NOT NULL"
        )

    def stage(self, owner: int, session: str) -> Stage:
        """Return where a session is."""
        with open_team(self.team.location) as team:
            found = team.record("state_of_session", {"owner": owner, "session": session})
        assert found is not None
        return stage_of(found)

    def state(self, owner: int, *columns: str) -> tuple[Any, ...]:
        """Return columns of the state of a member's only session."""
        names = ", ".join(columns)
        found = self.team.rows(f"SELECT {names} FROM session_state WHERE owner = %s", owner)  # noqa: S608
        assert len(found) == 1
        return tuple(found[0])

    def titles(self) -> list[tuple[int, str]]:
        """Return whose digests there are, and what they are called."""
        return self.team.rows("SELECT owner, title FROM digest ORDER BY owner, session_id")

    def spent(self) -> float:
        """Return what all calls cost, in dollars."""
        return float(self.team.value("SELECT sum(cost_nano_usd) FROM digest_call") or 0) / NANO


@contextmanager
def digested_team(
    team: PushedTeam, folder: Path, patch: pytest.MonkeyPatch
) -> Iterator[DigestedTeam]:
    """Run a model for a team; its key and address are in the environment of workers."""
    with serve_model(GOOD) as model:
        patch.setenv("ANTHROPIC_API_KEY", KEY)
        patch.setenv("ANTHROPIC_BASE_URL", model.url)
        yield DigestedTeam(team, model, folder)
