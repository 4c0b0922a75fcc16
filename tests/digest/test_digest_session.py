"""Sessions are digested by the real SDK and a scripted server, checked, paid for and kept."""

import datetime as dt
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from clew.archive import Archive
from clew.cli import main
from clew.digest import Digest, ReplyError
from clew.digest_models import (
    AnthropicModel,
    ApiAccess,
    Budget,
    BudgetError,
    CallLimits,
    DigestRun,
    ModelError,
    TooSoonError,
    digest_session,
    open_digests,
)
from clew.store import Home, KeptDigest, read_digest
from clew.store.location import open_index_for_writing
from tests.build import SessionBuilder
from tests.digest.model_server import (
    Answer,
    Connection,
    ModelServer,
    drip,
    drop_midway,
    flood,
    refuse,
    say,
    send_bomb,
    send_garbage,
    serve_model,
)

NOW = dt.datetime(2026, 11, 16, 12, tzinfo=dt.UTC)
HOUR = dt.timedelta(hours=1)
MODEL = "claude-haiku-4-5"
QUICK = CallLimits(attempts=2, first_wait=0.01)
RICH = Budget(run_nano_usd=10**10, day_nano_usd=10**10)
ASKED = "Please add tests for the retry code."
SAID = "I have added three tests for the retry code."
SECRET = "ghp_" + "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5"


def reply(*quotes: str, title: str = "Tests for the retry code") -> str:
    claims = [{"text": f"Claim {n} was made.", "quote": q} for n, q in enumerate(quotes)]
    return json.dumps(
        {
            "title": title,
            "outcome": "done",
            "summary": [{**claim, "messages": []} for claim in claims],
            "decisions": [],
            "open_items": [],
        }
    )


GOOD = say(reply(ASKED, SAID))


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    write(tmp_path)
    with Archive(Home(tmp_path / "home")) as archive:
        sync(archive, tmp_path)
        yield archive


def write(folder: Path, *more: str) -> None:
    session = SessionBuilder("one").user(f"{ASKED} Use {SECRET} for it.").assistant(SAID)
    for words in more:
        session = session.user(words).assistant("That is finished as well now.")
    session.write(folder / "claude")


def sync(archive: Archive, folder: Path) -> None:
    archive.sync([folder / "claude"], now=NOW, workers=1)


def model_at(server: ModelServer) -> AnthropicModel:
    return AnthropicModel(MODEL, ApiAccess("key", base_url=server.url), QUICK)


def digest(
    archive: Archive,
    server: ModelServer,
    budget: Budget = RICH,
    now: dt.datetime = NOW,
) -> KeptDigest:
    database = open_index_for_writing(archive.location).database
    try:
        run = DigestRun(archive, database, model_at(server), budget, clock=lambda: now)
        return run.digest("latest")
    finally:
        database.close()


def kept(archive: Archive) -> Digest | None:
    database = open_index_for_writing(archive.location).database
    found = read_digest(database, SessionBuilder("one").session_id)
    database.close()
    return None if found is None else found.digest


def calls(archive: Archive) -> list[tuple[object, ...]]:
    columns = "is_failed, cost_nano_usd, reserved_nano_usd > 0, settled_at IS NULL"
    rows = archive.query(f"SELECT {columns} FROM digest_call ORDER BY reserved_at, settled_at").rows  # noqa: S608
    return [tuple(row) for row in rows]


def test_a_digest_is_checked_priced_and_kept(archive: Archive) -> None:
    with serve_model(say(reply(ASKED, SAID, "I have deleted the whole database."))) as server:
        found = digest_session(archive, "latest", model_at(server), RICH)

    assert found == kept(archive)
    assert [claim.quote for claim in found.summary] == [ASKED, SAID]
    assert (found.claims_quoted, found.claims_dropped) == (2, 1)
    assert found.title == "Tests for the retry code"
    assert found.model == MODEL
    assert found.cost_usd == pytest.approx(0.002)


def test_secrets_are_masked_before_anything_is_sent(archive: Archive) -> None:
    with serve_model(GOOD) as server:
        digest(archive, server)

    assert ASKED in server.requests[0]["messages"][0]["content"]
    assert SECRET not in json.dumps(server.requests)


def test_a_password_that_is_named_later_is_masked_before(tmp_path: Path) -> None:
    used, shown = "zebra-Kx92-hunter-pp", "lemur-Qw41-walnut-zz"
    SessionBuilder("one").user(f"Log in with {used} or {shown}, please.").tool(
        "Bash", {"command": "cat .env"}, result=f"DB_PASSWORD={shown}"
    ).assistant(SAID).user(f"That was DB_PASSWORD={used} by the way.").assistant(
        "That is noted now."
    ).write(tmp_path / "claude")
    with Archive(Home(tmp_path / "home")) as archive, serve_model(GOOD) as server:
        sync(archive, tmp_path)

        digest(archive, server)

    assert "Log in with" in server.requests[0]["messages"][0]["content"]
    assert used not in json.dumps(server.requests)
    assert shown not in json.dumps(server.requests)


def test_a_digest_of_the_same_bytes_is_not_paid_twice(archive: Archive) -> None:
    with serve_model(GOOD) as server:
        first = digest(archive, server)
        again = digest(archive, server, now=NOW + 9 * HOUR)

    assert again == first
    assert len(server.requests) == 1


def test_a_session_that_grew_is_digested_again_after_six_hours(
    archive: Archive, tmp_path: Path
) -> None:
    with serve_model(GOOD, say(reply("Add the docs of it as well, please."))) as server:
        digest(archive, server)
        write(tmp_path, "Add the docs of it as well, please.")
        sync(archive, tmp_path)
        with pytest.raises(TooSoonError, match="was digested at 2026-11-16T12:00"):
            digest(archive, server, now=NOW + 5 * HOUR)
        again = digest(archive, server, now=NOW + 6 * HOUR)

    assert again.digest.summary[0].quote == "Add the docs of it as well, please."
    assert len(server.requests) == 2


UNQUOTED = say(reply("Nobody has ever said this sentence.", "Nor was this one ever said."))
EMPTY = say(reply())


@pytest.mark.parametrize(
    "bad", [say("I cannot do that, sorry."), drop_midway, send_garbage, UNQUOTED, EMPTY]
)
def test_an_answer_that_is_no_digest_is_asked_for_once_more(archive: Archive, bad: Answer) -> None:
    with serve_model(bad, GOOD) as server:
        found = digest(archive, server)

    assert found.digest.claims_quoted == 2
    assert len(calls(archive)) == 2
    assert found.cost_nano_usd > 2_000_000


def test_answers_that_are_no_digests_leave_the_earlier_one(
    archive: Archive, tmp_path: Path
) -> None:
    with serve_model(GOOD, say("no"), say("no")) as server:
        first = digest(archive, server)
        write(tmp_path, "And now something else entirely.")
        sync(archive, tmp_path)
        with pytest.raises(ReplyError):
            digest(archive, server, now=NOW + 7 * HOUR)

    assert kept(archive) == first.digest
    assert len(calls(archive)) == 3


@pytest.mark.parametrize(
    ("bad", "reason"),
    [(UNQUOTED, "none of its 2 claims has a quote"), (EMPTY, "it has no claims")],
)
def test_an_account_of_which_nothing_is_left_takes_the_place_of_no_extract(
    archive: Archive, bad: Answer, reason: str
) -> None:
    with serve_model(bad) as server, pytest.raises(ReplyError, match=reason):
        digest(archive, server)

    assert kept(archive) is None
    assert [settled for *_, settled in calls(archive)] == [0, 0]


def test_a_part_of_a_long_session_may_have_nothing_to_tell(
    archive: Archive, tmp_path: Path
) -> None:
    write(tmp_path, *(f"Step {n} begins here now. " + "word " * 3000 for n in range(30)))
    sync(archive, tmp_path)

    with serve_model(EMPTY, UNQUOTED, GOOD) as server:
        found = digest(archive, server)

    assert found.digest.claims_quoted == 2


def test_a_refusal_costs_nothing_and_is_settled(archive: Archive) -> None:
    with serve_model(refuse(401, "authentication_error")) as server, pytest.raises(ModelError):
        digest(archive, server)

    assert calls(archive) == [(1, 0, 1, 0)]
    assert kept(archive) is None


@pytest.mark.parametrize("answer", [drip, flood("text"), send_bomb])
def test_an_endless_answer_is_paid_as_reserved_and_nothing_of_it_is_kept(
    archive: Archive, answer: Answer
) -> None:
    limits = CallLimits(answer_seconds=0.3, answer_bytes=1 << 18)
    with serve_model(answer) as server:
        model = AnthropicModel(MODEL, ApiAccess("key", base_url=server.url), limits)
        with open_digests(archive, model, RICH) as run:
            highest = run.plan("latest").highest_nano_usd
            with pytest.raises(ModelError):
                run.digest("latest")

            assert run.ledger.run_nano_usd == 2 * highest
    assert kept(archive) is None
    assert calls(archive) == [(1, None, 1, 0)] * 2


def test_nothing_is_sent_over_the_budget(archive: Archive) -> None:
    poor = Budget(run_nano_usd=1_000, day_nano_usd=10**10)
    with serve_model(GOOD) as server, pytest.raises(BudgetError, match="per run"):
        digest(archive, server, poor)

    assert server.requests == []
    assert calls(archive) == []


def test_a_plan_sends_nothing(archive: Archive) -> None:
    with serve_model(GOOD) as server:
        database = open_index_for_writing(archive.location).database
        plan = DigestRun(archive, database, model_at(server), RICH).plan("latest")
        database.close()

    assert server.requests == []
    assert ASKED in plan.requests[0].text
    assert plan.tokens > 0
    assert plan.highest_nano_usd == model_at(server).highest_cost(plan.requests[0])


def test_a_long_session_is_digested_in_parts_and_then_as_a_whole(
    archive: Archive, tmp_path: Path
) -> None:
    prompts = [f"Step {n} of the plan begins here now. Word " + "word " * 3000 for n in range(30)]
    write(tmp_path, *prompts)
    sync(archive, tmp_path)

    with serve_model(say(reply("Step 0 of the plan begins here now.", ASKED))) as server:
        found = digest(archive, server)

    texts = [request["messages"][0]["content"] for request in server.requests]
    assert len(texts) > 2
    assert "part 1 of" in texts[0]
    assert "[part 1:" in texts[-1]
    assert found.digest.claims_quoted == 2
    assert found.cost_nano_usd == 2_000_000 * len(texts)


def test_of_a_long_session_no_part_is_paid_unless_all_can_be(
    archive: Archive, tmp_path: Path
) -> None:
    prompts = [f"Step {n} of the plan begins here now. Word " + "word " * 3000 for n in range(30)]
    write(tmp_path, *prompts)
    sync(archive, tmp_path)
    with serve_model(say(reply(ASKED))) as server:
        database = open_index_for_writing(archive.location).database
        highest = DigestRun(archive, database, model_at(server), RICH).plan("latest")
        database.close()
        less = highest.highest_nano_usd - 1

        with pytest.raises(BudgetError, match="per run"):
            digest(archive, server, Budget(run_nano_usd=less, day_nano_usd=10**10))
        with pytest.raises(BudgetError, match="per day"):
            digest(archive, server, Budget(run_nano_usd=10**10, day_nano_usd=less))
        assert server.requests == []
        enough = Budget(run_nano_usd=less + 1, day_nano_usd=less + 1)
        assert digest(archive, server, enough).digest == kept(archive)


KILLED = """
import datetime as dt, itertools, os, signal, sys
from pathlib import Path
from clew.archive import Archive
from clew.cli import main
from clew.digest_models import AnthropicModel, ApiAccess, Budget, DigestRun
from clew.store import Home
from clew.store.location import open_index_for_writing

looks = itertools.count(1)

def clock():
    # The times of the reservation, of the settlement, and of the digest that is kept.
    if next(looks) == int(sys.argv[3]):
        os.kill(os.getpid(), signal.SIGKILL)
    return dt.datetime.now(dt.UTC)

model = AnthropicModel("claude-haiku-4-5", ApiAccess("key", base_url=sys.argv[2]))
archive = Archive(Home(Path(sys.argv[1])))
database = open_index_for_writing(archive.location).database
budget = Budget(run_nano_usd=10**10, day_nano_usd=10**10)
DigestRun(archive, database, model, budget, clock=clock).digest("latest")
"""


@pytest.mark.parametrize(
    ("look", "expected"),
    [
        pytest.param(0, (0, None, 1, 1), id="before the reply"),
        pytest.param(2, (0, None, 1, 1), id="before it is settled"),
        pytest.param(3, (0, 2_000_000, 1, 0), id="before it is kept"),
    ],
)
def test_a_kill_loses_neither_the_cost_nor_the_session(
    archive: Archive, tmp_path: Path, look: int, expected: tuple[object, ...]
) -> None:
    def kill(to: Connection) -> None:
        os.kill(process.pid, signal.SIGKILL)
        to.drop()

    with serve_model(GOOD if look else kill, GOOD) as server:
        process = subprocess.Popen(  # noqa: S603 (our own program)
            [sys.executable, "-c", KILLED, str(tmp_path / "home"), server.url, str(look)]
        )
        assert process.wait() == -signal.SIGKILL
        assert kept(archive) is None
        assert calls(archive) == [expected]
        found = digest(archive, server, now=dt.datetime.now(dt.UTC))

    assert found.digest == kept(archive)
    assert len(server.requests) == 2


def test_a_kill_counts_in_the_budget_of_the_day(archive: Archive, tmp_path: Path) -> None:
    with serve_model(GOOD) as server:
        words = [sys.executable, "-c", KILLED, str(tmp_path / "home"), server.url, "2"]
        assert subprocess.run(words, check=False).returncode == -signal.SIGKILL  # noqa: S603 (ours)
        database = open_index_for_writing(archive.location).database
        highest = DigestRun(archive, database, model_at(server), RICH).plan("latest")
        database.close()
        small = Budget(run_nano_usd=10**10, day_nano_usd=2 * highest.highest_nano_usd - 1)
        with pytest.raises(BudgetError, match="per day"):
            digest(archive, server, small, now=dt.datetime.now(dt.UTC))
        later = dt.datetime.now(dt.UTC) + 24 * HOUR

        assert digest(archive, server, small, now=later).digest == kept(archive)


def test_usage_by_digest_is_in_no_other_total(
    archive: Archive, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    usual = archive.usage().totals
    with serve_model(drop_midway, GOOD) as server:
        digest(archive, server)
    words = ["usage", "--archive", str(tmp_path / "home"), "--no-sync"]

    assert main([*words, "--by", "digest", "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["rows"]
    assert row == {
        "model": MODEL,
        "calls": 2,
        "failed_calls": 1,
        "unknown_calls": 1,
        "input_tokens": 1000,
        "output_tokens": 200,
        "cost_nano_usd": 2_000_000,
        "sessions": 1,
    }
    assert main([*words, "--by", "digest"]) == 0
    assert "≥ $0.0020" in capsys.readouterr().out
    assert main([*words, "--by", "digest", "--since", "2027-01-01"]) == 0
    assert "No model has written a digest" in capsys.readouterr().err
    assert main([*words, "--by", "digest", "--project", "x"]) == 2
    assert archive.usage().totals == usual
