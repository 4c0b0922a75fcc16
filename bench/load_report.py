"""What readers got → a table, the memory by quarter, and whether the budgets hold."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from bench.readers import Answered
from bench.visits import Memory, Visited

WRONG: Final = 1
BUDGET_MISSED: Final = 4
_BUDGET_MS: Final = 500
_QUARTERS: Final = 4
_MORE: Final = 1.1
_SHARES: Final = (0.5, 0.95, 0.99, 1.0)


def report(found: Visited) -> Iterator[str]:
    """Give the lines to print."""
    heads = ("answers", "p50 ms", "p95 ms", "p99 ms", "max ms", "errors", "kB")
    yield f"{'':10}" + "".join(f"{head:>9}" for head in heads)
    for kind, own in _by_kind(found.answers).items():
        yield f"{kind:10}{_row(own)}"
    wrong = Counter(answer.status for answer in found.answers if not answer.is_good)
    yield from (f"wrong: {count} answers of status {status}" for status, count in wrong.items())
    told = (
        f"{each.server_mb:.0f} + {each.worker_mb:.0f} MB at {each.seconds:.0f} s"
        for each in quarters(found.memory)
    )
    flat = "flat" if is_flat(found.memory) else "it grows"
    yield f"memory of the server and its largest worker: {', '.join(told)}: {flat}"
    yield f"archived: {'all' if found.is_archived else 'not all yet'}"
    if found.trouble:
        yield f"trouble: {found.trouble}"
    slow = ", ".join(slow_kinds(found.answers))
    yield f"budget of {_BUDGET_MS} ms at p95: {f'MISSED by {slow}' if slow else 'met'}"


def exit_code(found: Visited, *, is_strict: bool) -> int:
    """Fail when an answer was wrong; when a budget is missed, only if that is asked for."""
    is_good = bool(found.answers) and all(answer.is_good for answer in found.answers)
    if found.trouble or not is_good:
        return WRONG
    is_kept = not slow_kinds(found.answers) and is_flat(found.memory)
    return BUDGET_MISSED if is_strict and not is_kept else 0


def slow_kinds(answers: Sequence[Answered]) -> list[str]:
    """Name the kinds of questions for which too many waited too long."""
    return [kind for kind, own in _by_kind(answers).items() if _waits(own)[1] >= _BUDGET_MS]


def quarters(memory: Sequence[Memory]) -> list[Memory]:
    """Pick what was measured at the start, after each quarter of the time, and at the end."""
    last = len(memory) - 1
    return [memory[round(last * number / _QUARTERS)] for number in range(_QUARTERS + 1)]


def is_flat(memory: Sequence[Memory]) -> bool:
    """Tell whether the second half of the time took hardly more memory than the first."""
    found = quarters(memory)
    return found[-1].server_mb <= found[_QUARTERS // 2].server_mb * _MORE


def _by_kind(answers: Sequence[Answered]) -> dict[str, list[Answered]]:
    kinds = sorted({answer.kind for answer in answers})
    return {kind: [answer for answer in answers if answer.kind == kind] for kind in kinds}


def _row(own: Sequence[Answered]) -> str:
    errors = sum(not answer.is_good for answer in own)
    size = sum(answer.size_bytes for answer in own) / len(own) / 1000
    waits = "".join(f"{wait:>9.0f}" for wait in _waits(own))
    return f"{len(own):>9}{waits}{errors:>9}{size:>9.0f}"


def _waits(own: Sequence[Answered]) -> list[float]:
    ordered = sorted(answer.milliseconds for answer in own)
    return [ordered[min(len(ordered) - 1, int(share * len(ordered)))] for share in _SHARES]
