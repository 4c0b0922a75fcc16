import subprocess
import sys
from pathlib import Path

import pytest

from bench.load_report import exit_code, is_flat, quarters, report, slow_kinds
from bench.readers import Answered
from bench.visits import Memory, Visited

pytestmark = pytest.mark.slow

OK = 200
FLAT = [Memory(second, 100.0, 50.0) for second in range(9)]


def answers(kind: str, *waits: float, status: int = OK) -> list[Answered]:
    return [Answered(kind, wait, status, 1_000) for wait in waits]


def load(*words: str) -> str:
    """Run the load test in a process of its own: the browser tests leave an event loop behind."""
    done = subprocess.run(  # noqa: S603 (our own module)
        [sys.executable, "-m", "bench.load", *words], capture_output=True, check=True, text=True
    )
    return done.stdout


def test_readers_ask_while_a_first_sync_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLEW_BENCH_DIR", str(tmp_path))

    told = load("--first-sync", "--size", "300KB", "--readers", "3", "--pause", "0.05")

    assert all(f"\n{kind} " in told for kind in ("home", "list", "progress", "search", "session"))
    assert "archived: all" in told
    assert [path.name for path in tmp_path.iterdir()] == ["300000-seed0-v2"]


def test_new_sessions_come_into_an_archive_while_readers_ask(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLEW_BENCH_DIR", str(tmp_path))
    sizes = ["--size", "300KB", "--new", "200KB"]

    assert "errors" in load(*sizes, "--readers", "2", "--seconds", "3", "--pause", "0.05")


def test_a_wrong_answer_fails_and_a_slow_one_only_when_asked() -> None:
    wrong = Visited(answers("list", 5, status=500), FLAT, is_archived=True)
    slow = Visited(answers("list", 900), FLAT, is_archived=True)

    assert exit_code(wrong, is_strict=False) == 1
    assert exit_code(slow, is_strict=False) == 0
    assert exit_code(slow, is_strict=True) == 4


def test_a_sync_in_trouble_fails() -> None:
    found = Visited(answers("list", 5), FLAT, is_archived=True, trouble="disk full")

    assert exit_code(found, is_strict=False) == 1
    assert "trouble: disk full" in list(report(found))


def test_nobody_who_asked_is_no_success() -> None:
    assert exit_code(Visited([], FLAT, is_archived=True), is_strict=False) == 1


def test_each_kind_of_question_has_to_be_quick() -> None:
    quick, slow = answers("list", *[10.0] * 50), answers("search", *[10.0] * 15, *[700.0] * 5)

    assert slow_kinds([*quick, *slow]) == ["search"]


def test_memory_is_told_by_quarter_and_may_not_grow_in_the_second_half() -> None:
    growing = [Memory(second, 100.0 + 10 * second, 0.0) for second in range(9)]
    early = [Memory(second, 100.0 + 10 * min(second, 4), 0.0) for second in range(9)]

    assert [each.seconds for each in quarters(growing)] == [0, 2, 4, 6, 8]
    assert (is_flat(growing), is_flat(early), is_flat(FLAT)) == (False, True, True)
