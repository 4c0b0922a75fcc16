import os
import signal
import sys
from pathlib import Path

import pytest

from bench.child import Attempt, Task
from bench.process_tree import process_tree, spent_by
from bench.terminal import QUIET_SECONDS, ROWS, run_on_terminal

ANSWER = "print('answer'); "
WORK = "import sys, time; sys.stderr.write('working'); sys.stderr.flush(); time.sleep(60)"
ENDS_WELL = """
try:
    time.sleep(60)
except KeyboardInterrupt:
    pass
"""


def run(code: str) -> Attempt:
    return run_on_terminal(Task("", command=[sys.executable, "-u", "-c", code]))


def test_a_program_that_ends_is_timed_to_its_last_line() -> None:
    attempt = run(ANSWER)

    assert (attempt.problem, attempt.figures["lines"]) == ("", 1)
    assert attempt.seconds > 0
    assert attempt.peak_bytes > 1_000_000


def test_work_behind_the_answer_is_not_counted() -> None:
    attempt = run(f"import time\n{ANSWER}\n{ENDS_WELL}")

    assert attempt.problem == ""
    assert attempt.figures["lines"] == 1
    # The system counts in hundredths of a second, so a fast start may count nothing.
    assert 0 <= attempt.cpu_seconds < QUIET_SECONDS


def test_both_streams_are_terminals_and_only_the_answer_counts() -> None:
    code = "import sys; print(sys.stdin.isatty(), sys.stdout.isatty(), sys.stderr.isatty())\n"
    code += "print('note', file=sys.stderr); assert sys.stdout.isatty() and sys.stderr.isatty()"

    attempt = run(code)

    assert (attempt.problem, attempt.figures["lines"]) == ("", 1)


def test_who_does_not_take_an_interrupt_for_the_end_has_failed() -> None:
    attempt = run(ANSWER + WORK)

    assert attempt.problem.startswith(f"ended with {-signal.SIGINT}: ")


def test_who_fails_says_why() -> None:
    attempt = run("import sys; sys.exit('no transcripts')")

    assert attempt.problem == "ended with 1: no transcripts"


def test_who_prints_nothing_has_no_answer() -> None:
    assert run("pass").problem == "it printed nothing"


def test_a_screen_is_full_before_a_long_answer_ends() -> None:
    attempt = run(f"import time\nfor n in range({ROWS}): print(n)\ntime.sleep(0.2); print('end')")

    assert attempt.figures["lines"] == ROWS + 1
    assert attempt.figures["screen s"] < attempt.seconds


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="only Linux tells")
def test_a_tree_counts_what_children_spend() -> None:
    spent = spent_by(os.getpid())

    assert os.getpid() in process_tree(os.getpid())
    assert spent.cpu_seconds > 0
    assert spent.peak_bytes > 1_000_000
