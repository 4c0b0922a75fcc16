"""Workers digest sessions: received, parsed, summarised; and what becomes of those that are not."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from clew.server.deletion import purge_deleted
from clew.server.digest_queue import claim_digest
from clew.server.queue import MOST_ATTEMPTS, claim_next, retry_all
from clew.server.session_states import Stage
from clew.server.work_status import read_work_status
from clew.server.worker import Worker
from clew.store.postgres.team import open_team
from tests.build import SessionBuilder
from tests.digest.model_server import Connection, refuse, say
from tests.team.digesting import (
    ASKED,
    COST,
    GOOD,
    MORE,
    SAID,
    SECRET,
    DigestedTeam,
    digested_team,
    reply,
)
from tests.team.pushed import PushedTeam


@pytest.fixture
def digested(
    pushed: PushedTeam, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[DigestedTeam]:
    """Give a team without members, and a model that answers as it should."""
    with digested_team(pushed, tmp_path / "claude", monkeypatch) as team:
        yield team


def test_a_session_is_received_parsed_and_summarised(digested: DigestedTeam) -> None:
    team = digested.team
    digested.switch_on()
    ada = team.add_member("ada")
    session = digested.push(ada)
    assert digested.stage(ada, session) is Stage.RECEIVED

    assert team.work().sessions_digested == 0
    assert digested.stage(ada, session) is Stage.PARSED
    assert digested.model.requests == []
    digested.wait()
    report = team.work()

    assert (report.sessions_derived, report.sessions_digested) == (0, 1)
    assert digested.stage(ada, session) is Stage.SUMMARISED
    assert digested.titles() == [(ada, "Tests for the retry code")]
    ((found, scope),) = team.rows("SELECT json, scope_id FROM digest")
    assert [claim["quote"] for claim in json.loads(found)["summary"]] == [ASKED, SAID]
    assert scope == team.scope_of(ada)
    assert SECRET not in json.dumps(digested.model.requests)
    assert digested.spent() == pytest.approx(0.002)
    assert team.work().sessions_digested == 0


def test_the_end_of_a_session_shortens_the_wait(digested: DigestedTeam) -> None:
    digested.switch_on()
    ada, ben = digested.team.add_member("ada"), digested.team.add_member("ben")
    digested.push(ada)
    digested.push(ben)
    digested.team.rows("UPDATE session_state SET has_ended = true WHERE owner = %s", ben)
    digested.wait(0.4)
    assert digested.team.work().sessions_digested == 0
    digested.wait(0.2)

    digested.team.work()

    assert [owner for owner, _ in digested.titles()] == [ben]


def test_nothing_is_sent_unless_it_is_switched_on(digested: DigestedTeam) -> None:
    ada = digested.team.add_member("ada")
    session = digested.push(ada)
    digested.wait()
    digested.team.work()
    assert digested.model.requests == []
    assert digested.state(ada, "digest_skip") == ("off",)
    assert digested.stage(ada, session) is Stage.PARSED

    digested.switch_on()
    report = digested.team.work()

    # It is parsed already.
    assert (report.sessions_derived, report.sessions_digested) == (0, 1)
    assert digested.stage(ada, session) is Stage.SUMMARISED


def test_what_an_earlier_worker_marked_as_off_is_digested(digested: DigestedTeam) -> None:
    digested.switch_on()
    ada = digested.team.add_member("ada")
    digested.push(ada)
    digested.team.work()
    digested.team.rows("UPDATE session_state SET digest_skip = 'off'")
    digested.wait()

    digested.team.work()
    digested.team.work()

    assert len(digested.titles()) == 1


def test_structure_is_never_sent(digested: DigestedTeam) -> None:
    digested.switch_on()
    ada = digested.team.add_member("ada")
    session = digested.push(ada)
    digested.team.rows("UPDATE session_state SET tier = 'structure'")
    digested.wait()

    digested.team.work()

    assert digested.model.requests == []
    assert digested.state(ada, "digest_skip", "digest_attempts") == ("tier", 0)
    assert digested.stage(ada, session) is Stage.PARSED
    digested.switch_off()
    digested.switch_on()
    digested.team.work()
    assert digested.model.requests == []
    assert digested.state(ada, "digest_skip") == ("tier",)


def test_a_session_that_grew_is_digested_again_after_six_hours(digested: DigestedTeam) -> None:
    digested.switch_on()
    ada = digested.team.add_member("ada")
    session = digested.push(ada)
    digested.wait()
    digested.team.work()
    digested.answer(say(reply(MORE, title="Docs of it")))

    digested.push(ada, "one", MORE)
    digested.wait()
    assert digested.team.work().sessions_derived == 1
    assert digested.stage(ada, session) is Stage.PARSED
    assert len(digested.model.requests) == 1
    # Even if a worker tries it, the digest that is kept says when.
    digested.team.rows("UPDATE session_state SET digest_due_at = now()")
    assert digested.team.work().digests_postponed == 1
    assert len(digested.model.requests) == 1
    digested.wait_long()
    assert digested.team.work().sessions_digested == 1

    assert digested.stage(ada, session) is Stage.SUMMARISED
    assert len(digested.model.requests) == 2
    assert "docs of it" in digested.titles()[0][1].lower()


def test_the_same_bytes_are_not_paid_twice(digested: DigestedTeam) -> None:
    digested.switch_on()
    ada = digested.team.add_member("ada")
    session = digested.push(ada)
    digested.wait()
    digested.team.work()
    # Another consent makes all rows again, of the same bytes.
    digested.team.rows("UPDATE session_state SET head_seq = head_seq + 1")
    digested.wait_long()

    report = digested.team.work()

    assert (report.sessions_derived, report.sessions_digested) == (1, 1)
    assert digested.stage(ada, session) is Stage.SUMMARISED
    assert len(digested.model.requests) == 1


def test_both_kinds_of_stuck_sessions_recover(digested: DigestedTeam) -> None:
    digested.switch_on()
    ada, ben = digested.team.add_member("ada"), digested.team.add_member("ben")
    parsed = digested.push(ada)
    digested.team.work()
    received = digested.push(ben)
    digested.wait(60)
    digested.team.rows("UPDATE session_state SET digest_due_at = now() - interval '1 hour'")
    with open_team(digested.team.location) as team:
        assert claim_next(team, "dead", lease=-1) is not None
        status = read_work_status(team)
        assert (status.parse_overdue, status.digest_overdue, status.lease_overruns) == (1, 1, 1)
        claimed = claim_digest(team, "dead", lease=-1)
        assert claimed is not None
        assert (claimed.owner, claimed.attempts) == (ada, 1)

    digested.team.work()

    assert digested.stage(ada, parsed) is Stage.SUMMARISED
    assert digested.stage(ben, received) is Stage.SUMMARISED
    with open_team(digested.team.location) as team:
        status = read_work_status(team)
    assert (status.parse_overdue, status.digest_overdue, status.lease_overruns) == (0, 0, 0)
    assert (status.summarised, status.listed) == (2, [])


def test_a_session_that_ends_its_workers_is_given_up(digested: DigestedTeam) -> None:
    digested.switch_on()
    ada = digested.team.add_member("ada")
    session = digested.push(ada)
    digested.team.work()
    digested.wait()
    with open_team(digested.team.location) as team:
        for _ in range(MOST_ATTEMPTS):
            assert claim_digest(team, "dead", lease=-1) is not None
        assert claim_digest(team, "dead", lease=-1) is None
        (listed,) = read_work_status(team).listed

    assert (listed.state, listed.attempts) == ("digest failed", MOST_ATTEMPTS)
    assert listed.reason is not None
    assert "5 workers ended" in listed.reason
    assert digested.state(ada, "digest_skip") == ("failed",)
    # Its rows are there, and it can be parsed again.
    assert digested.stage(ada, session) is Stage.PARSED
    with open_team(digested.team.location) as team:
        assert retry_all(team) == 1
    assert digested.team.work().sessions_digested == 1


def test_answers_that_are_no_digests_are_tried_again_and_given_up(digested: DigestedTeam) -> None:
    digested.switch_on()
    digested.answer(say("I cannot do that, sorry."))
    ada = digested.team.add_member("ada")
    session = digested.push(ada)
    digested.team.work()
    digested.wait()

    for attempt in range(1, MOST_ATTEMPTS + 1):
        assert digested.team.work().digests_failed == (attempt == MOST_ATTEMPTS)
        # There is a pause before the next attempt.
        assert digested.team.work().digests_failed == 0
        assert digested.state(ada, "digest_attempts") == (attempt,)
        digested.team.rows("UPDATE session_state SET digest_due_at = now()")

    skip, reason = digested.state(ada, "digest_skip", "digest_reason")
    assert skip == "failed"
    assert reason.startswith("the model's reply is no digest")
    assert len(digested.model.requests) == 2 * MOST_ATTEMPTS
    assert digested.titles() == []
    # Growth begins anew.
    digested.answer(GOOD)
    digested.push(ada, "one", MORE)
    digested.team.work()
    digested.wait()
    digested.team.work()
    assert digested.stage(ada, session) is Stage.SUMMARISED


def test_what_all_sessions_would_meet_makes_the_organisation_wait(digested: DigestedTeam) -> None:
    digested.switch_on()
    digested.answer(refuse(401, "authentication_error"))
    ada, ben = digested.team.add_member("ada"), digested.team.add_member("ben")
    digested.push(ada)
    digested.push(ben)
    digested.team.work()
    digested.wait()

    for _ in range(3):
        digested.team.work()

    assert len(digested.model.requests) == 1
    ((reason,),) = digested.team.rows("SELECT digest_pause_reason FROM organisation")
    assert "does not accept the key" in reason
    assert digested.team.value("SELECT sum(digest_attempts) FROM session_state") == 0
    digested.answer(GOOD)
    digested.team.rows("UPDATE organisation SET digest_paused_until = now()")
    digested.team.rows("UPDATE session_state SET digest_due_at = now()")
    assert digested.team.work().sessions_digested == 2
    assert digested.team.rows("SELECT digest_pause_reason FROM organisation") == [(None,)]


def test_without_a_key_nothing_fails(
    digested: DigestedTeam, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    digested.switch_on()
    ada = digested.team.add_member("ada")
    digested.push(ada)
    digested.wait()

    assert digested.team.work().digests_postponed == 1

    (reason,) = digested.state(ada, "digest_reason")
    assert reason == "no key for the API is set; set ANTHROPIC_API_KEY where workers run"
    assert digested.model.requests == []


def test_over_budget_sessions_are_skipped_until_there_is_budget_again(
    digested: DigestedTeam,
) -> None:
    ada, ben = digested.team.add_member("ada"), digested.team.add_member("ben")
    for name in ("one", "two", "three"):
        digested.push(ada, name)
    digested.push(ben)
    digested.wait()
    digested.team.work()
    # The budget is that of one call at its highest cost, for all members together.
    digested.switch_on(0.0 + highest_cost(digested) / 10**9 + 0.001)

    assert digested.team.work().sessions_digested == 1
    claimed = "SELECT sum(digest_attempts), count(digest_claim) FROM session_state"
    for _ in range(3):
        assert digested.team.work().digests_postponed == 0
        assert digested.team.rows(claimed) == [(0, 0)]

    assert len(digested.model.requests) == 1
    skipped = "SELECT count(*) FROM session_state WHERE digest_skip = 'budget'"
    assert digested.team.value(skipped) == 3
    with open_team(digested.team.location) as team:
        assert read_work_status(team).digest_skipped == 3
    for left in (2, 1, 0):
        digested.wait_a_day()
        assert digested.team.work().sessions_digested == 1
        assert digested.team.value(skipped) == left


def highest_cost(digested: DigestedTeam) -> int:
    """Return the most that the digest of a session can cost, as a killed worker reserves it."""
    digested.switch_on(100)
    digested.answer(refuse(401, "authentication_error"))
    digested.team.work()
    (cost,) = digested.team.rows("SELECT reserved_nano_usd FROM digest_call")[0]
    digested.team.rows("DELETE FROM digest_call")
    digested.team.rows("UPDATE session_state SET digest_due_at = now(), digest_reason = NULL")
    digested.model.requests.clear()
    digested.answer(GOOD)
    return int(cost)


def test_a_session_over_the_whole_budget_does_not_hold_up_others(digested: DigestedTeam) -> None:
    ada = digested.team.add_member("ada")
    short = digested.push(ada, "short")
    digested.wait()
    budget = 1.2 * highest_cost(digested) / 10**9
    steps = (f"Step {n} begins now. " + "word " * 2000 for n in range(9))
    long = digested.push(ada, "long", *steps)
    digested.wait()
    digested.switch_on(budget)

    digested.team.work()

    assert digested.stage(ada, short) is Stage.SUMMARISED
    found = "SELECT digest_skip, digest_reason FROM session_state WHERE session_id = %s"
    ((skip, reason),) = digested.team.rows(found, long)
    assert skip == "budget"
    assert "raise the budget above" in reason


def test_a_session_in_which_nobody_speaks_is_skipped(digested: DigestedTeam) -> None:
    digested.switch_on()
    ada = digested.team.add_member("ada")
    SessionBuilder("quiet").custom_title("Nothing").write(digested.folder)
    digested.team.push(ada, digested.folder)
    digested.wait()

    digested.team.work()

    assert digested.state(ada, "digest_skip", "digest_attempts") == ("empty", 0)
    assert digested.model.requests == []
    assert digested.team.work().digests_postponed == 0


def test_switching_off_while_a_model_reads_keeps_nothing(digested: DigestedTeam) -> None:
    digested.switch_on()

    def switch_off(to: Connection) -> None:
        digested.switch_off()
        GOOD(to)

    digested.answer(switch_off)
    ada = digested.team.add_member("ada")
    session = digested.push(ada)
    digested.wait()

    assert digested.team.work().sessions_digested == 0

    assert digested.titles() == []
    assert digested.state(ada, "digest_skip", "digest_claim") == ("off", None)
    assert digested.stage(ada, session) is Stage.PARSED
    assert digested.spent() == pytest.approx(0.002)


def test_a_session_that_is_deleted_while_a_model_reads_leaves_nothing(
    digested: DigestedTeam,
) -> None:
    digested.switch_on()

    def delete(to: Connection) -> None:
        digested.team.rows("UPDATE session_state SET deleted_at = now()")
        purge_deleted(digested.team.location)
        GOOD(to)

    digested.answer(delete)
    digested.push(digested.team.add_member("ada"))
    digested.wait()

    assert digested.team.work().sessions_digested == 0

    assert digested.titles() == []
    assert digested.team.rows("SELECT session_id FROM digest_call") == [("",)]
    assert digested.team.work().sessions_digested == 0


def test_growth_while_a_model_reads_is_parsed_meanwhile_and_digested_later(
    digested: DigestedTeam,
) -> None:
    digested.switch_on()
    ada = digested.team.add_member("ada")

    def grow(to: Connection) -> None:
        digested.push(ada, "one", MORE)
        assert Worker(digested.team.location).work()
        GOOD(to)

    session = digested.push(ada)
    digested.wait()
    digested.answer(grow, say(reply(MORE, title="Docs of it")))

    assert digested.team.work().sessions_digested == 1

    assert digested.state(ada, "derived_seq", "digest_seq") == (2, 1)
    assert digested.stage(ada, session) is Stage.PARSED
    digested.wait()
    digested.wait_long()
    digested.team.work()
    assert digested.state(ada, "derived_seq", "digest_seq") == (2, 2)
    assert len(digested.model.requests) == 2


def test_a_worker_that_is_killed_in_a_call_loses_nothing_and_spends_its_reservation(
    digested: DigestedTeam,
) -> None:
    ada = digested.team.add_member("ada")
    session = digested.push(ada)
    digested.wait()
    digested.team.work()
    digested.switch_on(1.5 * highest_cost(digested) / 10**9)

    def kill(to: Connection) -> None:
        os.kill(process.pid, signal.SIGKILL)
        to.drop()

    digested.answer(kill, GOOD)
    location = digested.team.location
    archive = {"CLEW_ARCHIVE": location.database_url, "CLEW_BLOBS": location.blobs}
    process = subprocess.Popen(
        [sys.executable, "-m", "clew", "worker"],
        env={**os.environ, **archive},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    assert process.wait(90) == -signal.SIGKILL
    assert digested.team.work().sessions_digested == 0
    assert digested.state(ada, "digest_attempts") == (1,)
    digested.end_leases()

    # What the dead worker reserved may have been spent: there is no budget for a second call.
    assert digested.team.work().sessions_digested == 0
    assert digested.state(ada, "digest_skip") == ("budget",)
    assert len(digested.model.requests) == 1
    digested.team.rows("UPDATE digest_call SET expires_at = '2020-01-01T00:00:00.000Z'")
    digested.team.rows("UPDATE organisation SET digest_paused_until = now()")
    digested.team.rows("UPDATE session_state SET digest_due_at = now()")

    assert digested.team.work().sessions_digested == 1

    assert digested.stage(ada, session) is Stage.SUMMARISED
    calls = "SELECT cost_nano_usd FROM digest_call ORDER BY reserved_at"
    assert digested.team.rows(calls) == [(None,), (COST,)]


def test_a_running_worker_digests_beside_parsing(digested: DigestedTeam) -> None:
    digested.switch_on()
    ada, ben = digested.team.add_member("ada"), digested.team.add_member("ben")
    first = digested.push(ada)
    digested.wait()
    stop, parsed = threading.Event(), threading.Event()

    def answer_late(to: Connection) -> None:
        # The model answers only after another session was parsed.
        digested.push(ben, "two")
        digested.team.rows("SELECT pg_notify('clew_work', '')")
        for _ in range(600):
            undone = "SELECT count(*) FROM session_state WHERE head_seq > derived_seq"
            if digested.team.value(undone) == 0:
                parsed.set()
                break
            stop.wait(0.05)
        GOOD(to)
        stop.set()

    digested.answer(answer_late)

    report = Worker(digested.team.location, stop=stop).run()

    assert parsed.is_set()
    assert (report.sessions_derived, report.sessions_digested) == (2, 1)
    assert digested.stage(ada, first) is Stage.SUMMARISED
