"""A line that is too large to be read: kept and restored, shown with its size, never decoded."""

import json
from pathlib import Path

import pytest

from clew.cli import main
from clew.source import lines
from tests.build import SessionBuilder

LIMIT = 100_000
NEEDLE = "findable"


@pytest.fixture(autouse=True)
def transcript(machine: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a transcript whose second answer is too large."""
    monkeypatch.setattr(lines, "LARGEST_LINE", LIMIT)
    builder = SessionBuilder("alpha").user("Go.").assistant("Yes.")
    builder.assistant("a b " * LIMIT + NEEDLE).user("And then?").assistant("Done.")
    return builder.write(machine)


def test_it_is_kept_and_restored(transcript: Path, tmp_path: Path) -> None:
    assert main(["sync"]) == 0
    assert main(["archive", "verify"]) == 0
    assert main(["export", "jsonl", "-o", str(tmp_path / "out")]) == 0

    (restored,) = (tmp_path / "out").rglob("*.jsonl")
    assert restored.read_bytes() == transcript.read_bytes()


def test_it_is_shown_with_its_size(transcript: Path, capsys: pytest.CaptureFixture[str]) -> None:
    size = max(map(len, transcript.read_bytes().split(b"\n")))

    assert main(["show", "--format", "terminal", "--detail", "everything"]) == 0

    shown = capsys.readouterr().out
    assert f"a line of {size:,} bytes" in shown
    assert "Done." in shown
    assert NEEDLE not in shown


def test_check_reports_it(capsys: pytest.CaptureFixture[str]) -> None:
    main(["check", "--json"])

    report = json.loads(capsys.readouterr().out)
    kinds = {found["kind"]: found["count"] for found in report["problems"]}
    assert kinds["oversized"] == 1
    assert "not_identical" not in kinds


def test_it_is_not_searched_or_counted(capsys: pytest.CaptureFixture[str]) -> None:
    main(["search", NEEDLE, "--json"])
    assert json.loads(capsys.readouterr().out)["hits"] == []
    main(["usage", "--json"])

    rows = json.loads(capsys.readouterr().out)["rows"]
    assert sum(row["model_calls"] for row in rows) == 2
