"""Digests and their costs are kept, on a laptop and on a server, whatever happens to the rows."""

import datetime as dt
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest

from clew.archive import Archive
from clew.digest import Digest, ModelReply, Outcome, QuotedClaim
from clew.digest_models import Budget, BudgetError, DigestLedger, ModelError
from clew.store import (
    Database,
    Home,
    KeptDigest,
    Location,
    find_receipts,
    keep_digest,
    read_digest,
    read_digest_usage,
    read_digests,
    recover_digests,
)
from clew.store.digests import digest_path
from clew.store.location import open_index, open_index_for_writing
from clew.store.postgres.database import open_owner_database
from clew.store.postgres_location import PostgresLocation
from tests.build import SessionBuilder

NOW = dt.datetime(2026, 11, 16, 12, tzinfo=dt.UTC)
HOUR = dt.timedelta(hours=1)
ONE = SessionBuilder("one").session_id
TWO = SessionBuilder("two").session_id


@contextmanager
def opened(location: Location) -> Iterator[Database]:
    database = open_index_for_writing(location).database
    try:
        yield database
    finally:
        database.close()


def make_digest(session_id: str, title: str = "Tests added") -> KeptDigest:
    claim = QuotedClaim("Tests were added.", ("m1",), "I have added the tests now.", "assistant")
    return KeptDigest(
        session_id=session_id,
        receipt="r1",
        model="claude-haiku-4-5",
        prompt_version=1,
        made_at="2026-11-16T12:00:00.000Z",
        digest=Digest(session_id=session_id, title=title, outcome=Outcome.DONE, summary=(claim,)),
        cost_nano_usd=1_200_000,
    )


def write_session(root: Path, name: str, *prompts: str) -> None:
    builder = SessionBuilder(name)
    for prompt in prompts:
        builder = builder.user(prompt).assistant("Done.")
    builder.write(root)


def test_a_digest_is_kept_and_replaced(location: Location) -> None:
    with opened(location) as database:
        keep_digest(database, location, make_digest(ONE))
        keep_digest(database, location, make_digest(TWO))
        keep_digest(database, location, make_digest(ONE, "Tests repaired"))

        assert read_digest(database, ONE) == make_digest(ONE, "Tests repaired")
        assert read_digests(database).keys() == {ONE, TWO}
        assert read_digest(database, "none") is None


def test_digests_survive_a_rebuild(location: Location, tmp_path: Path) -> None:
    write_session(tmp_path / "root", "one", "Add tests")
    archive = Archive(location)
    archive.sync([tmp_path / "root"], now=NOW, workers=1)
    with opened(location) as database:
        keep_digest(database, location, make_digest(ONE))
        before = find_receipts(database)

    archive.sync([tmp_path / "root"], now=NOW, rebuild=True, workers=1)

    with opened(location) as database:
        assert read_digest(database, ONE) == make_digest(ONE)
        assert find_receipts(database) == before


def test_digests_survive_the_loss_of_the_database(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    write_session(tmp_path / "root", "one", "Add tests")
    archive = Archive(home)
    archive.sync([tmp_path / "root"], now=NOW, workers=1)
    with opened(home) as database:
        keep_digest(database, home, make_digest(ONE))
        keep_digest(database, home, make_digest("../../odd id"))
        before = find_receipts(database)
    archive.close()
    for path in home.folder.glob("archive.db*"):
        path.unlink()
    (home.digests / "other.json").write_text("not a digest")

    archive.sync([tmp_path / "root"], now=NOW, workers=1)

    with opened(home) as database:
        assert read_digests(database).keys() == {ONE, "../../odd id"}
        assert read_digest(database, ONE) == make_digest(ONE)
        assert find_receipts(database) == before
        (usage,) = read_digest_usage(database)
        assert (usage.sessions, usage.calls) == (2, 2)
        assert usage.cost_nano_usd == 2 * make_digest(ONE).cost_nano_usd > 0
    assert len(list(home.digests.iterdir())) == 3
    assert {path.stat().st_mode & 0o077 for path in home.digests.glob("?" * 32 + ".json")} == {0}


def test_what_a_digest_cost_is_not_counted_twice(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    budget = Budget(run_nano_usd=1000, day_nano_usd=1000)
    with opened(home) as database:
        ledger = DigestLedger(database, budget)
        call = ledger.reserve(ONE, "m", 60, NOW - HOUR)
        ledger.settle(call, 60, ModelReply(text="", model="m", cost_nano_usd=20), NOW)
        # A process that was killed in between leaves the file without its row.
        path = digest_path(home, ONE)
        path.parent.mkdir(parents=True)
        path.write_bytes(msgspec.json.encode(make_digest(ONE)))

        assert recover_digests(database, home) == 1

        assert ledger.spent_today(NOW) == 20


def test_a_session_that_grows_has_another_receipt(location: Location, tmp_path: Path) -> None:
    write_session(tmp_path / "root", "one", "Add tests")
    write_session(tmp_path / "root", "two", "Fix the build")
    archive = Archive(location)
    archive.sync([tmp_path / "root"], now=NOW, workers=1)
    with opened(location) as database:
        before = find_receipts(database)
        assert find_receipts(database, ONE) == {ONE: before[ONE]}
    write_session(tmp_path / "root", "one", "Add tests", "And the docs")
    archive.sync([tmp_path / "root"], now=NOW, workers=1)

    with opened(location) as database:
        after = find_receipts(database)

    assert before.keys() == after.keys() == {ONE, TWO}
    assert after[TWO] == before[TWO]
    assert after[ONE] != before[ONE]


def test_a_run_stays_within_its_budget(location: Location) -> None:
    with opened(location) as database:
        ledger = DigestLedger(database, Budget(run_nano_usd=100, day_nano_usd=1000))
        first = ledger.reserve(ONE, "m", 60, NOW)
        with pytest.raises(BudgetError, match=r"budget of \$0\.00 per run; raise --max-cost"):
            ledger.reserve(TWO, "m", 50, NOW)

        assert ledger.settle(first, 60, ModelReply(text="", model="m", cost_nano_usd=20), NOW) == 20

        assert ledger.reserve(TWO, "m", 80, NOW)
        assert ledger.run_nano_usd == 100


def test_a_day_stays_within_its_budget_over_all_runs(location: Location) -> None:
    budget = Budget(run_nano_usd=1000, day_nano_usd=100)
    with opened(location) as database, opened(location) as other:
        mine, theirs = DigestLedger(database, budget), DigestLedger(other, budget)
        first = mine.reserve(ONE, "m", 60, NOW)
        with pytest.raises(BudgetError, match="per day; continue tomorrow"):
            theirs.reserve(TWO, "m", 50, NOW)
        mine.settle(first, 60, ModelReply(text="", model="m", cost_nano_usd=50), NOW)

        assert theirs.reserve(TWO, "m", 50, NOW)
        assert theirs.spent_today(NOW) == 100
        assert theirs.spent_today(NOW + 25 * HOUR) == 0


def test_a_reservation_of_a_killed_process_counts_for_a_day(location: Location) -> None:
    budget = Budget(run_nano_usd=1000, day_nano_usd=100)
    with opened(location) as database:
        DigestLedger(database, budget).reserve(ONE, "m", 100, NOW)
        with pytest.raises(BudgetError):
            DigestLedger(database, budget).reserve(ONE, "m", 100, NOW + 23 * HOUR)

        assert DigestLedger(database, budget).reserve(ONE, "m", 100, NOW + 24 * HOUR)


def test_a_failure_of_unknown_cost_counts_in_full(location: Location) -> None:
    budget = Budget(run_nano_usd=1000, day_nano_usd=100)
    with opened(location) as database:
        ledger = DigestLedger(database, budget)
        free = ledger.reserve(ONE, "m", 60, NOW)
        ledger.settle(free, 60, ModelError("busy"), NOW)
        unknown = ledger.reserve(ONE, "m", 60, NOW)
        ledger.settle(unknown, 60, ModelError("broken off", None), NOW)

        assert ledger.spent_today(NOW + 2 * HOUR) == 60
        assert ledger.run_nano_usd == 60


def test_a_digest_is_seen_where_its_session_is(postgres_url: str, tmp_path: Path) -> None:
    location = PostgresLocation(postgres_url, str(tmp_path / "blobs"))
    write_session(tmp_path / "root", "one", "Add tests")
    Archive(location).sync([tmp_path / "root"], now=NOW, workers=1)
    database = open_owner_database(postgres_url, 0)
    keep_digest(database, location, make_digest(ONE))
    with database.transaction():
        database.move_session(ONE, 7)

    for scopes, seen in ((7,), {ONE}), ((8,), set()):
        viewer = open_index(msgspec.structs.replace(location, scopes=scopes)).database
        assert read_digests(viewer).keys() == seen
        viewer.close()
    keep_digest(database, location, make_digest(ONE, "Another"))

    viewer = open_index(msgspec.structs.replace(location, scopes=(7,))).database
    assert read_digests(viewer).keys() == {ONE}
    viewer.close()
    database.close()


@pytest.mark.parametrize("cost", [-60, 10**30])
def test_a_cost_that_is_none_counts_as_what_was_reserved(location: Location, cost: int) -> None:
    budget = Budget(run_nano_usd=1000, day_nano_usd=100)
    reply = ModelReply(text="", model="m", input_tokens=-1, output_tokens=cost, cost_nano_usd=cost)
    with opened(location) as database:
        ledger = DigestLedger(database, budget)
        call = ledger.reserve(ONE, "m", 60, NOW)

        assert ledger.settle(call, 60, reply, NOW) == 60

        assert ledger.spent_today(NOW) == ledger.run_nano_usd == 60
