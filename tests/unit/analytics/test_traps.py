"""The ways in which others have miscounted tokens and cost, each with what must come out.

`count` counts twice, through the archive and straight from the files, and both must agree.
"""

import copy
import datetime as dt
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from clew.analytics import ExplainedCall, digest, explain
from clew.archive import open_archive
from clew.cli import main
from clew.sessions import load
from tests.build import Call, SessionBuilder, Usage, bash, text, thinking
from tests.unit.analytics.counting import (
    OPUS,
    answered,
    count,
    count_archive,
    count_files,
    session,
    spent,
)

MILLION = 1_000_000


def only_call(builder: SessionBuilder, folder: Path) -> ExplainedCall:
    """Explain a session of one call."""
    (call,) = explain(load(builder.write(folder / "one.jsonl"))).calls
    return call


def test_trap_01_one_response_written_as_one_row_per_block_counts_once(tmp_path: Path) -> None:
    usage = Usage(input=10, output=300, cache_read=5000)
    blocks = (thinking(), text("First."), text("Second."))

    totals = count(tmp_path, session().assistant(*blocks, usage=usage)).totals

    assert (totals.model_calls, totals.total_tokens) == (1, 5310)


def test_trap_02_of_growing_output_counts_the_largest_is_taken(tmp_path: Path) -> None:
    growing = session(version="2.1.47")
    growing.assistant(thinking("hm"), "One.", "Two.", usage=Usage(output=600), growing=True)

    totals = count(tmp_path, growing).totals

    assert (totals.output_tokens, totals.quality) == (600, "exact")


def test_trap_02_a_placeholder_of_an_old_client_is_told_as_a_lower_bound(tmp_path: Path) -> None:
    cut = session(version="2.1.47").assistant("Done.", usage=Usage(output=3))
    cut.rows[-1]["message"]["stop_reason"] = None

    report = count(tmp_path, cut)

    assert (report.totals.output_tokens, report.totals.quality) == (3, "lower_bound")
    assert any("lower bound" in note for note in report.notes)


@pytest.mark.parametrize("request_id", [None, "req_changed"])
def test_trap_03_a_copy_with_a_missing_or_changed_request_id_is_the_same_call(
    tmp_path: Path, request_id: str | None
) -> None:
    original = session().assistant("Done.", usage=Usage(output=100))
    replay = original.fork("replay")
    for row in replay.rows:
        row["requestId"] = request_id

    assert count(tmp_path, original, replay).totals.output_tokens == 100


def test_trap_04_cache_writes_for_an_hour_cost_more_than_those_for_five_minutes(
    tmp_path: Path,
) -> None:
    hour = answered(Usage(cache_write_1h=MILLION), "claude-opus-4-5")
    minutes = SessionBuilder("short").model("claude-opus-4-5").user("Go on.")
    minutes.assistant("Done.", usage=Usage(cache_write_5m=MILLION))

    rows = count(tmp_path, hour, minutes, by="session").rows

    assert [row.cost_usd for row in rows] == [10.0, 6.25]


def test_trap_05_what_a_breakdown_leaves_open_is_priced_as_short_and_flagged(
    tmp_path: Path,
) -> None:
    usage = Usage(cache_write_5m=300, cache_write_1h=200)
    partly = answered(usage, "claude-opus-4-5", cache_creation_input_tokens=1000)

    totals = count(tmp_path, partly).totals

    assert (totals.cache_write_5m_tokens, totals.cache_write_1h_tokens) == (800, 200)
    assert totals.cost_usd == (800 * 6.25 + 200 * 10) / MILLION
    (flag,) = only_call(partly, tmp_path).flags
    assert "without a breakdown" in flag


@pytest.mark.parametrize(
    ("model", "price"),
    [("claude-opus-4-5", 0.5), ("claude-opus-5-5", 0.2), ("claude-fable-5-1", 0.25)],
)
def test_trap_06_cache_reads_have_a_price_of_their_own(
    tmp_path: Path, model: str, price: float
) -> None:
    assert count(tmp_path, answered(Usage(cache_read=MILLION), model)).totals.cost_usd == price


def test_trap_07_a_long_context_reprices_the_whole_request(tmp_path: Path) -> None:
    long = SessionBuilder().model("claude-sonnet-4-5").at("2026-03-01T09:00:00Z").user("Go on.")
    long.assistant("Done.", usage=Usage(input=1, cache_read=200_000, output=1000))

    cost = count(tmp_path, long).totals.cost_usd

    assert cost == (1 * 6 + 200_000 * 0.6 + 1000 * 22.5) / MILLION
    (rule,) = only_call(long, tmp_path).rules
    assert "above 200,000" in rule


@pytest.mark.parametrize(("day", "price"), [("2026-03-12", 10), ("2026-03-13", 5)])
def test_trap_08_the_price_is_that_of_the_day_and_the_table_is_named(
    tmp_path: Path, day: str, price: int
) -> None:
    long = SessionBuilder().model("claude-opus-4-6").at(f"{day}T09:00:00Z").user("Go on.")
    long.assistant("Done.", usage=Usage(input=300_000))

    report = count(tmp_path, long)

    assert report.totals.cost_usd == 300_000 * price / MILLION
    assert report.price_table.digest == digest()


@pytest.mark.parametrize(("model", "times"), [(OPUS, 2), ("claude-opus-4-6", 6)])
def test_trap_09_fast_mode_multiplies_the_price_of_its_model(
    tmp_path: Path, model: str, times: int
) -> None:
    usual = answered(Usage(output=1000), model)
    fast = answered(Usage(output=1000), model, speed="fast")

    slow_cost = count(tmp_path / "slow", usual).totals.cost_usd
    fast_cost = count(tmp_path / "fast", fast).totals.cost_usd

    assert slow_cost is not None
    assert fast_cost == pytest.approx(slow_cost * times)


@pytest.mark.parametrize(
    ("field", "value", "price"),
    [("inference_geo", "us", 4.4), ("service_tier", "batch", 2.0), ("service_tier", "odd", 4.0)],
)
def test_trap_10_residency_and_batch_are_multipliers_and_nothing_is_guessed(
    tmp_path: Path, field: str, value: str, price: float
) -> None:
    there = answered(Usage(input=MILLION), **{field: value})

    assert count(tmp_path, there).totals.cost_usd == price
    call = only_call(there, tmp_path)
    assert [bool(call.rules), bool(call.flags)] == [value != "odd", value == "odd"]


def test_trap_11_web_searches_cost_by_the_larger_of_both_counters(tmp_path: Path) -> None:
    searched = {"query": "clew", "results": [], "durationSeconds": 1, "searchCount": 3}
    client = session().tools(Call("WebSearch", {"query": "clew"}, "Found.", searched))
    server = session("server").assistant("Found.", usage=Usage(web_searches=2))

    report = count(tmp_path, client, server, by="session")

    assert sorted(row.web_searches for row in report.rows) == [2, 3]
    assert report.totals.cost_usd is not None
    assert report.totals.cost_usd >= 5 * 0.01


def test_trap_12_an_advisor_is_billed_on_its_own_model(tmp_path: Path) -> None:
    steps = [
        {"type": "message", "input_tokens": 10, "output_tokens": 100},
        {"type": "advisor_message", "model": "claude-opus-4-5", "output_tokens": MILLION},
    ]
    advised = answered(Usage(input=10, output=100), iterations=steps)

    report = count(tmp_path, advised)

    assert [(row.key, row.output_tokens) for row in report.rows] == [
        ("claude-opus-4-5", MILLION),
        (OPUS, 100),
    ]
    assert report.rows[0].cost_usd == 25


def test_trap_13_the_tries_of_a_fallback_are_not_added_to_the_one_that_served(
    tmp_path: Path,
) -> None:
    steps = [
        {"type": "fallback_message", "model": "claude-opus-4-5", "output_tokens": 7},
        {"type": "message", "input_tokens": 10, "output_tokens": 100},
    ]

    totals = count(tmp_path, answered(Usage(input=10, output=100), iterations=steps)).totals

    assert (totals.model_calls, totals.output_tokens) == (1, 100)


def test_trap_14_agents_in_files_of_their_own_count_however_deep(tmp_path: Path) -> None:
    def inner(run: SessionBuilder) -> object:
        return run.assistant("Deep.", usage=Usage(output=5))

    def outer(run: SessionBuilder) -> object:
        run.agent("Inner", "Look deeper.", inner, agent="Explore")
        return run.assistant("Done.", usage=Usage(output=70))

    nested = session().agent("Outer", "Look.", outer, agent="Plan")
    nested.assistant("All done.", usage=Usage(output=900))

    rows = {row.key: row for row in count(tmp_path, nested, by="agent").rows}

    assert rows["Explore"].output_tokens == 5
    assert rows["Plan"].output_tokens >= 70
    assert rows["(main thread)"].output_tokens >= 900


def progress_rows_by_agent() -> SessionBuilder:
    """Give a session whose agent run is also told in progress rows."""
    told = session(version="2.1.47")
    told.agent("Look", "Look.", lambda run: run.assistant("Seen.", usage=Usage(output=40)))
    (run,) = told.runs
    for row in run.rows:
        told.progress("agent_progress", call_id=run.call_id, message=row, agentId=run.id)
    return told


def test_trap_14_progress_rows_repeat_a_run_that_has_a_file(tmp_path: Path) -> None:
    plain = session(version="2.1.47")
    plain.agent("Look", "Look.", lambda run: run.assistant("Seen.", usage=Usage(output=40)))

    with_rows = count(tmp_path / "told", progress_rows_by_agent()).totals

    assert with_rows == count(tmp_path / "plain", plain).totals


def test_trap_14_progress_rows_tell_of_a_run_whose_file_is_gone(tmp_path: Path) -> None:
    told = progress_rows_by_agent()
    whole = count(tmp_path, told).totals
    for path in tmp_path.rglob("agent-*.jsonl"):
        path.unlink()

    assert count(tmp_path).totals == whole


def test_trap_15_the_totals_in_a_run_s_result_are_never_added(tmp_path: Path) -> None:
    nested = session().agent(
        "Look",
        "Look.",
        lambda run: run.tools(bash("ls")).assistant("Seen.", usage=Usage(output=40)),
    )
    (result,) = (row["toolUseResult"] for row in nested.rows if "toolUseResult" in row)
    assert result["totalTokens"] > 0

    totals = count(tmp_path, nested).totals

    assert totals.model_calls == 3
    assert totals.output_tokens == sum(usage.output for usage in nested.draft.spent.values())


@pytest.mark.parametrize("marked", [True, False])
def test_trap_16_a_fork_copies_history_and_the_first_session_owns_it(
    tmp_path: Path, *, marked: bool
) -> None:
    original = session(headless=True).assistant("One.", usage=Usage(output=100))
    fork = original.fork("fork", marked=marked).at("2026-11-02T09:00:00Z")
    # A fork that does not say so copies talk alone, and begins later to write bookkeeping.
    fork.draft.items = [row for row in fork.rows if "uuid" in row]
    fork.user("Another way.").assistant("Two.", usage=Usage(output=7))
    alone = count(tmp_path, original).totals

    rows = {row.key: row.output_tokens for row in count(tmp_path, fork, by="session").rows}

    assert alone.output_tokens == 100
    assert rows == {original.session_id: 100, fork.session_id: 7}


def test_trap_16_a_copy_that_was_counted_later_still_counts_for_its_maker(tmp_path: Path) -> None:
    cut = session().assistant("One.", usage=Usage(output=3))
    whole = cut.fork("whole", marked=True)
    cut.draft.items = copy.deepcopy(cut.draft.items)
    cut.rows[-1]["message"]["stop_reason"] = None
    spent(whole, output_tokens=600)

    (row,) = count(tmp_path, cut, whole, by="session").rows

    assert (row.key, row.output_tokens, row.quality) == (cut.session_id, 600, "exact")


def test_trap_17_calls_that_no_transcript_holds_are_told_as_a_difference(tmp_path: Path) -> None:
    compacted = session().assistant("Done.", usage=Usage(output=1000)).cost_state({OPUS: 0.05})

    report = count(tmp_path, compacted)
    client = explain(load(compacted.write(tmp_path / "one.jsonl"))).client

    assert any("for 1 session; 1 differs" in note for note in report.notes)
    assert client is not None
    assert (client.ours_usd, client.client_usd, client.difference_usd) == (0.02, 0.05, 0.03)
    assert [reason.kind for reason in client.reasons] == ["unrecorded"]


def test_trap_18_what_the_client_made_up_counts_nothing(tmp_path: Path) -> None:
    failed = session().failure("Rate limited.").assistant("Done.", usage=Usage(output=10))

    report = count(tmp_path, failed)

    assert (report.totals.model_calls, report.unpriced_models) == (1, [])


def test_trap_18_a_model_without_a_price_is_unpriced_not_free(tmp_path: Path) -> None:
    odd = answered(Usage(output=10), "house-model-1")

    report = count(tmp_path, odd)

    assert report.totals.cost_usd is None
    assert (report.totals.unpriced_calls, report.unpriced_models) == (1, ["house-model-1"])
    assert any("no known price" in note for note in report.notes)


@pytest.mark.parametrize(
    ("model", "key", "price"),
    [
        ("claude-opus-5", "claude-opus-5", 5.0),
        ("claude-opus-5[1m]", "claude-opus-5", 5.0),
        ("claude-opus-5-5", "claude-opus-5-5", 4.0),
        ("us.anthropic.claude-opus-4-5-20251101-v1:0", "claude-opus-4-5", 5.5),
        ("global.anthropic.claude-opus-4-5-20251101-v1:0", "claude-opus-4-5", 5.0),
        ("us.anthropic.claude-opus-4-1-20250805-v1:0", "claude-opus-4-1", 15.0),
        ("us-gov.anthropic.claude-opus-4-5-20251101-v1:0", "claude-opus-4-5", 6.0),
        ("claude-opus-4-5@20251101", "claude-opus-4-5", 5.0),
        ("claude-opus-5-53", "claude-opus-5-53", None),
    ],
)
def test_trap_19_a_model_is_known_by_its_whole_name(
    tmp_path: Path, model: str, key: str, price: float | None
) -> None:
    (row,) = count(tmp_path, answered(Usage(input=MILLION), model)).rows

    assert (row.key, row.cost_usd) == (key, price)


def test_trap_20_costs_are_called_api_equivalent_estimates(tmp_path: Path) -> None:
    notes = count(tmp_path, answered(Usage(output=10))).notes

    assert notes[0].startswith("Costs are API-equivalent estimates")


@pytest.mark.parametrize(
    ("zone", "day"),
    [("UTC", "2026-11-02"), ("America/New_York", "2026-11-01"), ("Asia/Kathmandu", "2026-11-02")],
)
def test_trap_21_a_day_is_that_of_the_answer_in_the_zone_that_is_asked_for(
    tmp_path: Path, zone: str, day: str
) -> None:
    late = SessionBuilder().at("2026-11-01T23:59:59Z").user("Quick!")
    late.assistant("Done.", usage=Usage(output=1))

    (row,) = count(tmp_path, late, by="day", zone=ZoneInfo(zone)).rows

    assert row.key == day


def test_trap_22_every_root_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("here", "there", "far"):
        session(name).assistant("Done.", usage=Usage(output=10)).write(tmp_path / name)
    roots = f"{tmp_path / 'here'}:{tmp_path / 'there'}"
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", roots)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("CLEW_HOME", str(tmp_path / "home"))

    assert main(["usage", "--root", str(tmp_path / "far"), "--json"]) == 0

    assert '"output_tokens":30' in capsys.readouterr().out


def test_trap_23_money_is_summed_in_whole_nano_dollars(tmp_path: Path) -> None:
    many = session(model="claude-haiku-4-5")
    for _ in range(10):
        many.assistant("Yes.", usage=Usage(input=100_000))

    # Ten times 0.1 in floats is 0.9999999999999999.
    assert count(tmp_path, many).totals.cost_usd == 1.0


@pytest.mark.parametrize("wrong", [10**12, 2**63 - 1, -5])
def test_trap_24_a_corrupt_count_is_left_out_and_told(tmp_path: Path, wrong: int) -> None:
    corrupt = answered(Usage(input=10, output=100), input_tokens=wrong)

    report = count(tmp_path, corrupt, session("b").assistant("Yes.", usage=Usage(output=1)))

    assert (report.totals.input_tokens, report.totals.output_tokens) == (0, 101)
    assert report.totals.cost_usd == 101 * 20 / MILLION
    assert any("an impossible token count: ignored" in note for note in report.notes)
    (flag,) = only_call(corrupt, tmp_path).flags
    assert flag == "an impossible token count is ignored"
    assert report.totals.quality == "lower_bound"


def test_trap_25_a_half_written_last_row_counts_once_it_is_whole(tmp_path: Path) -> None:
    growing = session().assistant("One.", usage=Usage(output=10))
    growing.assistant("Two.", usage=Usage(output=500))
    path = growing.write(tmp_path / "claude")
    whole = path.read_bytes()

    with open_archive(tmp_path / "home") as archive:
        path.write_bytes(whole[:-200])
        first = count_archive(archive, tmp_path / "claude").totals
        early = count_files(tmp_path / "claude").totals
        path.write_bytes(whole)
        second = count_archive(archive, tmp_path / "claude").totals

    assert first.output_tokens == early.output_tokens == 10
    assert second.output_tokens == count_files(tmp_path / "claude").totals.output_tokens == 510


def test_every_trap_has_a_test() -> None:
    names = [name for name in globals() if name.startswith("test_trap_")]

    assert {int(name[10:12]) for name in names} == set(range(1, 26))


def test_days_of_summer_and_winter_are_those_of_the_zone(tmp_path: Path) -> None:
    berlin = ZoneInfo("Europe/Berlin")
    summer = SessionBuilder("summer").at("2026-06-30T22:30:00Z").user("Go.")
    winter = SessionBuilder("winter").at("2026-10-31T22:30:00Z").user("Go.")

    rows = count(tmp_path, summer.assistant("a"), winter.assistant("b"), by="day", zone=berlin).rows

    assert [row.key for row in rows] == ["2026-07-01", "2026-10-31"]
    assert dt.date.fromisoformat(rows[0].key).month == 7
