import io
import sys
from pathlib import Path

import pytest
from rich.console import Console

from bench.contest import Result, hold, run_once, warm
from bench.contestant import Budget, Contestant, Limit, Sizes
from bench.report import show
from bench.standings import Folder, Standing, judge, judge_limit
from tests.bench.toys import HELD_BYTES, broken, busy, hungry, measuring, quick

QUICK = Contestant("quick", "toys", "nothing", quick)
BUSY = Contestant("busy", "toys", "a tenth of a second", busy)
HUNGRY = Contestant("hungry", "toys", "memory", hungry)
BROKEN = Contestant("broken", "toys", "fails", broken)
ABSENT = Contestant("absent", "toys", "is nowhere", command=("no-such-program-here",))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with two transcripts of three lines."""
    (tmp_path / "deep").mkdir()
    (tmp_path / "a.jsonl").write_bytes(b"{}\n{}\n")
    (tmp_path / "deep" / "b.jsonl").write_bytes(b"{}\n")
    return tmp_path


def test_warming_counts_files_lines_and_bytes(folder: Path) -> None:
    seen = warm(folder)

    assert (seen.files, seen.lines, seen.size_bytes) == (2, 3, 9)


def test_ratios_are_taken_to_the_named_reference(folder: Path) -> None:
    result = hold([QUICK, BUSY], folder, rounds=2, references={"toys": "busy"})

    ratios = {standing.name: standing.ratio for standing in result.standings}
    assert ratios["busy"] == 1
    assert ratios["quick"] is not None
    assert ratios["quick"] > 10


def test_a_peak_belongs_to_its_contestant_alone(folder: Path) -> None:
    quick_attempt, hungry_attempt = run_once(QUICK, folder), run_once(HUNGRY, folder)

    assert hungry_attempt.peak_bytes - quick_attempt.peak_bytes > HELD_BYTES * 0.9
    assert quick_attempt.found == hungry_attempt.found == 2


def test_a_missed_budget_is_reported(folder: Path) -> None:
    slow = Contestant("slow", "toys", "promises much", busy, budgets=(Budget(1.5, "quick"),))

    verdict = hold([QUICK, slow], folder, rounds=1).verdicts[0]

    assert (verdict.met, verdict.budget) == (False, ">= 1.5 x quick")


def test_a_kept_budget_is_reported(folder: Path) -> None:
    fast = Contestant("fast", "toys", "promises little", quick, budgets=(Budget(1.5, "busy"),))

    assert hold([BUSY, fast], folder, rounds=1).verdicts[0].met is True


def test_a_failing_contestant_gives_its_reason_and_misses_its_budget(folder: Path) -> None:
    failing = Contestant("failing", "toys", "fails", broken, budgets=(Budget(1, "quick"),))

    result = hold([QUICK, failing], folder, rounds=1)

    assert "never runs" in result.standings[1].problem
    assert result.verdicts[0].met is False


def test_a_program_that_is_not_installed_is_listed(folder: Path) -> None:
    result = hold([ABSENT], folder, rounds=1)

    assert result.standings[0].problem == "not installed"


def test_a_budget_against_an_absent_program_is_not_judged() -> None:
    own = Standing("quick", "toys", "", seconds=1.0)
    other = Standing("absent", "toys", "", problem="not installed")

    verdict = judge(own, Budget(2, "absent"), {"quick": own, "absent": other})

    assert verdict.met is None


@pytest.mark.parametrize(("at_most", "met"), [(2, True), (1, False)])
def test_a_figure_is_held_against_its_limit(folder: Path, at_most: float, *, met: bool) -> None:
    limits = (Limit("files", at_most), Limit("seconds", 60))
    counting = Contestant("counting", "toys", "gives figures", measuring, limits=limits)

    verdicts = hold([counting], folder, rounds=1).verdicts

    assert [verdict.met for verdict in verdicts] == [met, True]
    assert verdicts[0].reached == 2


def test_a_limit_of_what_was_not_measured_is_missed_unless_the_program_is_absent() -> None:
    failed = Standing("failing", "toys", "", problem="never runs")
    absent = Standing("absent", "toys", "", problem="not installed")

    assert judge_limit(failed, Limit("seconds", 1)).met is False
    assert judge_limit(absent, Limit("seconds", 1)).met is None


def test_what_a_round_needs_is_made_ready_before_each(folder: Path) -> None:
    made: list[Path] = []
    ready = Contestant("ready", "toys", "nothing", quick, before=made.append)

    hold([ready], folder, rounds=2)

    assert made == [folder, folder]


def test_a_program_is_timed_and_weighed(folder: Path) -> None:
    program = Contestant("python", "toys", "starts", command=(sys.executable, "-c", "pass"))

    attempt = run_once(program, folder)

    assert attempt.seconds > 0
    assert attempt.peak_bytes > 1_000_000


@pytest.mark.parametrize(("cpu_seconds", "is_said"), [(0.5, True), (0.97, False)])
def test_a_busy_machine_is_told(cpu_seconds: float, *, is_said: bool) -> None:
    printed = io.StringIO()
    standing = Standing("quick", "toys", "", seconds=1.0, cpu_seconds=cpu_seconds)

    show(Result(Folder("f", 1, 1, 1), 1, {}, [standing], []), Console(file=printed))

    assert ("busy" in printed.getvalue()) is is_said


def test_the_table_names_everybody(folder: Path) -> None:
    printed = io.StringIO()

    show(hold([QUICK, BROKEN, ABSENT], folder, rounds=1), Console(file=printed, width=120))

    text = printed.getvalue()
    assert all(word in text for word in ("quick", "never runs", "not installed", "peak MB"))


def test_a_budget_holds_for_folders_of_its_size_alone(folder: Path) -> None:
    large = Contestant(
        "large", "toys", "promises", quick, limits=(Limit("seconds", 60, Sizes(at_least=10)),)
    )
    small = Contestant(
        "small", "toys", "promises", quick, limits=(Limit("seconds", 60, Sizes(below=10)),)
    )

    verdicts = hold([large, small], folder, rounds=1).verdicts

    assert [verdict.name for verdict in verdicts] == ["small"]


def test_a_contestant_may_bring_its_own_folder_and_is_compared_by_rate(
    folder: Path, tmp_path: Path
) -> None:
    own = tmp_path / "own"
    own.mkdir()
    (own / "c.jsonl").write_bytes(b"{}\n" * 3_000)
    other = Contestant("other", "toys", "reads much", measuring, place=lambda: own)
    budgets = (Budget(0.000_001, "other", by_rate=True),)
    first = Contestant("first", "toys", "reads little", measuring, budgets=budgets)

    result = hold([other, first], folder, rounds=1)

    assert [who.figures["files"] for who in result.standings] == [1, 3]
    assert result.verdicts[0].budget.endswith("the rate of other")
    assert result.verdicts[0].met is True


def test_who_takes_very_long_runs_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bench.contest.LONG_SECONDS", 0.05)

    result = hold([QUICK, BUSY], folder, rounds=3)

    assert {who.name: who.rounds for who in result.standings} == {"quick": 3, "busy": 1}
