"""What test runners print when all is well."""


def pytest_passed(count: int, seconds: float) -> str:
    """Give the output of `pytest -q` over tests that all pass."""
    return f"{'.' * count:<72} [100%]\n{count} passed in {seconds:.2f}s"


def node_passed(count: int, milliseconds: float) -> str:
    """Give the last lines of `node --test` over tests that all pass."""
    sums = {"tests": count, "suites": 0, "pass": count, "fail": 0}
    sums |= {"cancelled": 0, "skipped": 0, "todo": 0}
    lines = [f"\u2139 {name} {number}" for name, number in sums.items()]
    return "\n".join([*lines, f"\u2139 duration_ms {milliseconds}"])
