import subprocess
import sys
from pathlib import Path

import pytest


def test_blobs_in_all_places_are_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLEW_BENCH_DIR", str(tmp_path))

    done = subprocess.run(
        [sys.executable, "-m", "bench.s3", "--size", "300KB", "--delay-ms", "1"],
        capture_output=True,
        check=True,
        text=True,
    )

    lines = [line.split("│") for line in done.stdout.splitlines() if line.startswith("│")]
    assert [line[1].strip() for line in lines[::5]] == ["folder", "S3", "S3, far"]
    assert [int(line[5]) > 0 for line in lines[::5]] == [False, True, True]
