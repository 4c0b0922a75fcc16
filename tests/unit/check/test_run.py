"""One process or many: the same report."""

import json
from pathlib import Path

import msgspec

from clew.check import CheckInput, check_files, find_files


def write_sessions(folder: Path, number: int) -> CheckInput:
    """Write sessions that hang on one another, each with some problems."""
    for index in range(number):
        rows = [
            {
                "type": "user",
                "uuid": f"{index}a",
                "parentUuid": f"{index + 1}b",
                "version": "2.0.1",
            },
            {"type": "assistant", "uuid": f"{index}b", "parentUuid": "gone", "version": "2.0.2"},
            {"type": f"new-{index % 3}", "uuid": f"{index}b", "cwd": "x" * 1_000_000},
            {"type": "summary", "leafUuid": "x", f"key{index % 4}": 1},
        ]
        lines = [*map(json.dumps, rows), "{broken", ""]
        (folder / f"session-{index:02}.jsonl").write_text("\n".join(lines), "utf-8")
    return find_files([folder])


def test_many_processes_give_the_report_that_one_gives(tmp_path: Path) -> None:
    asked = write_sessions(tmp_path, 12)

    alone = check_files(asked, workers=1)
    together = check_files(asked, workers=3)

    assert msgspec.json.encode(together) == msgspec.json.encode(alone)
    assert alone.entries == 60


def test_progress_adds_up_to_all_bytes(tmp_path: Path) -> None:
    asked = write_sessions(tmp_path, 3)
    done: list[int] = []

    report = check_files(asked, done.append)

    assert sum(done) == report.files.size_bytes


def test_a_file_that_went_away_is_a_note(tmp_path: Path) -> None:
    asked = write_sessions(tmp_path, 2)
    (tmp_path / "session-00.jsonl").unlink()

    report = check_files(asked)

    assert [p.examples[0].file for p in report.problems if p.kind == "vanished"] == [
        "session-00.jsonl"
    ]
    assert report.round_trip.files == 1


def test_a_file_that_became_shorter_is_a_warning(tmp_path: Path) -> None:
    asked = write_sessions(tmp_path, 1)
    (tmp_path / "session-00.jsonl").write_text("", "utf-8")

    report = check_files(asked)

    assert [p.kind for p in report.problems] == ["shrunk"]
    assert report.round_trip.identical == 1


def test_a_folder_in_the_place_of_a_file_is_unreadable(tmp_path: Path) -> None:
    asked = write_sessions(tmp_path, 1)
    (tmp_path / "session-00.jsonl").unlink()
    (tmp_path / "session-00.jsonl").mkdir()

    report = check_files(asked)

    assert [(p.kind, p.severity) for p in report.problems] == [("unreadable", "error")]
