"""Which tests ran which line, measured once by coverage for a state of the tree."""

import hashlib
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from coverage import CoverageData

# The fastest way to notice a change comes first.
_FOLDERS: Final = ("tests/unit", "tests/property", "tests/contract", "tests/surface", "tests/web")
_CACHE: Final = Path(".pytest_cache")


def measure(root: Path, tests: Sequence[str]) -> CoverageData:
    """Run tests once under coverage, or read what a run of the same tree gave."""
    wanted = [*tests] or [folder for folder in _FOLDERS if (root / folder).exists()]
    state = hashlib.sha256("\0".join([*wanted, *map(str, _state(root))]).encode()).hexdigest()[:16]
    file = root / _CACHE / f"mutants-{state}.coverage"
    if not file.exists():
        file.parent.mkdir(exist_ok=True)
        partial = file.with_suffix(".partial")
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:randomly", "-n", "2"]
        command += ["--cov", "--cov-context=test", "--cov-report=", *wanted]
        environment = {**os.environ, "COVERAGE_FILE": str(partial)}
        subprocess.run(command, cwd=root, env=environment, check=True)  # noqa: S603 (pytest)
        partial.rename(file)
    data = CoverageData(str(file))
    data.read()
    return data


def tests_of(data: CoverageData, module: Path, line: int) -> list[str]:
    """Give the tests that ran a line, those of the module itself first, then those of units."""
    contexts = data.contexts_by_lineno(str(module)).get(line, [])
    names = {context.partition("|")[0] for context in contexts if context}
    own = f"test_{module.stem}.py"
    return sorted(names, key=lambda name: (own not in name, _rank(name), name))


def _rank(name: str) -> int:
    return next((rank for rank, folder in enumerate(_FOLDERS) if name.startswith(folder)), 9)


def _state(root: Path) -> list[tuple[str, int, int]]:
    files = [path for top in ("src", "tests") for path in sorted((root / top).rglob("*.py"))]
    return [(str(path), path.stat().st_size, path.stat().st_mtime_ns) for path in files]
