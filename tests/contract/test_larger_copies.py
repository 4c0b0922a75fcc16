"""A copy of an answer may know more of it than its maker: all surfaces count what it knows."""

import datetime as dt
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from clew.analytics import ScanOptions, bill_all, bill_messages, scan, summarise
from clew.archive import Archive
from clew.conversation import Conversation
from clew.sessions import load
from clew.store import Home, Location
from tests.build import SessionBuilder, Usage
from tests.dump import execute, select

NOW = dt.datetime(2026, 11, 15, tzinfo=dt.UTC)
ROWS = """
SELECT session.id, sum(output_tokens), sum(input_tokens), sum(cost_nano_usd), max(quality)
FROM model_call JOIN session ON session.key = model_call.session_key
WHERE is_inherited = 0 GROUP BY session.key
"""
OTHER_COST = "UPDATE model_call SET own_counts = json_replace(own_counts, '$[14]', 7)"
SERVER_COST = "UPDATE model_call SET own_counts = jsonb_set(own_counts::jsonb, '{14}', '7')"
Figures = dict[str, tuple[Any, ...]]


def recount(copy: SessionBuilder, stop_reason: str | None, **counts: int) -> None:
    """Change the count of a copied answer; its maker's row stays as it is."""
    message = copy.rows[-1]["message"]
    usage = {**message["usage"], **counts}
    copy.rows[-1]["message"] = {**message, "stop_reason": stop_reason, "usage": usage}


@pytest.fixture
def elder() -> SessionBuilder:
    """A session that was cut off while an answer came."""
    session = SessionBuilder("elder").model("claude-opus-5-5").user("go")
    session.assistant("done", usage=Usage(input=1_000, output=10))
    session.rows[-1]["message"]["stop_reason"] = None
    return session


@pytest.fixture
def fork(elder: SessionBuilder) -> SessionBuilder:
    """A fork of it that has the whole answer."""
    fork = elder.fork("fork", marked=True)
    recount(fork, "end_turn", output_tokens=500, input_tokens=1_200)
    return fork.user("more").assistant("yes", usage=Usage(input=1, output=3))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "claude"


@pytest.fixture
def archive(location: Location) -> Iterator[Archive]:
    with Archive(location) as archive:
        yield archive


def in_rows(archive: Archive) -> Figures:
    found: list[Any] = select(archive.location, ROWS)
    return {
        str(name): (output, given, cost / 10**9, quality)
        for name, output, given, cost, quality in found
    }


def in_list(archive: Archive) -> Figures:
    return {
        one.id: (one.usage.output_tokens, one.usage.input_tokens, one.cost_usd, one.usage.quality)
        for one in archive.sessions()
    }


def in_usage(rows: list[Any]) -> Figures:
    return {
        row.key: (row.output_tokens, row.input_tokens, row.cost_usd, row.quality) for row in rows
    }


def in_show(conversations: list[Conversation]) -> Figures:
    found = {}
    for one in conversations:
        used, bill = one.totals.usage, bill_all(one.messages, bill_messages(one))
        found[one.session.id] = (used.output_tokens, used.input_tokens, bill.usd, used.quality)
    return found


def from_files(root: Path) -> Figures:
    return in_usage(summarise(scan([root], ScanOptions()).sums, "session", dt.UTC).rows)


def test_the_maker_of_an_answer_has_its_largest_count_everywhere(
    root: Path, archive: Archive, elder: SessionBuilder, fork: SessionBuilder
) -> None:
    elder.write(root)
    fork.write(root)
    archive.sync([root], now=NOW)

    rows = in_rows(archive)

    assert rows[elder.session_id][:2] == (500, 1_200)
    assert rows[elder.session_id][3] == "exact"
    assert rows[fork.session_id][:2] == (3, 1)
    names = [elder.session_id, fork.session_id]
    assert in_list(archive) == in_usage(archive.usage(by="session").rows) == rows
    assert in_show([archive.conversation(name) for name in names]) == rows
    assert in_show([load(name, [root]) for name in names]) == rows
    assert from_files(root) == rows


@pytest.mark.parametrize("is_first", [True, False])
def test_the_order_in_which_sessions_come_makes_no_difference(
    root: Path,
    archive: Archive,
    elder: SessionBuilder,
    fork: SessionBuilder,
    is_first: bool,  # noqa: FBT001 (a fact)
) -> None:
    for session in (elder, fork) if is_first else (fork, elder):
        session.write(root)
        archive.sync([root], now=NOW)

    assert in_rows(archive) == from_files(root)
    archive.sync([root], now=NOW, rebuild=True)
    assert in_rows(archive) == from_files(root)


def test_a_copy_that_is_rewritten_gives_the_count_back(
    root: Path, archive: Archive, elder: SessionBuilder, fork: SessionBuilder
) -> None:
    elder.write(root)
    copy = fork.write(root)
    archive.sync([root], now=NOW)
    copy.write_bytes(SessionBuilder("fork").user("nothing").assistant("of that").content())

    archive.sync([root], now=NOW)

    assert in_rows(archive)[elder.session_id][:2] == (10, 1_000)
    assert in_rows(archive)[elder.session_id][3] == "lower_bound"


def test_of_several_copies_the_largest_counts(
    root: Path, archive: Archive, elder: SessionBuilder, fork: SessionBuilder
) -> None:
    other = elder.fork("other", marked=True)
    recount(other, None, output_tokens=700)
    for session in (elder, fork, other):
        session.write(root)
    archive.sync([root], now=NOW)

    assert in_rows(archive)[elder.session_id][0] == 700
    assert in_rows(archive) == from_files(root)


def test_other_prices_change_the_cost_of_a_larger_copy(
    root: Path, archive: Archive, elder: SessionBuilder, fork: SessionBuilder
) -> None:
    elder.write(root)
    copy = fork.write(root)
    archive.sync([root], now=NOW)
    right = in_rows(archive)
    execute(archive.location, "UPDATE model_call SET cost_nano_usd = cost_nano_usd * 2")
    execute(archive.location, OTHER_COST if isinstance(archive.location, Home) else SERVER_COST)
    execute(archive.location, "UPDATE price_table SET digest = 'of other prices'")

    archive.sync([root], now=NOW)

    assert in_rows(archive) == right
    copy.write_bytes(SessionBuilder("fork").user("nothing").assistant("of that").content())
    archive.sync([root], now=NOW)
    cost = 1_000 * 4_000 + 10 * 20_000
    assert in_rows(archive)[elder.session_id][2] == cost / 10**9
