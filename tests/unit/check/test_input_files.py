"""Which files a check reads, and how it names them."""

import os
from pathlib import Path

import pytest

from clew.check import find_files
from clew.errors import PathNotFoundError
from clew.source import FileKind

SESSION = "0b7c2f9e-1111-4222-8333-444455556666"


def write(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("{}\n", "utf-8")
    return path


def test_names_are_relative_to_the_folder_asked_for(tmp_path: Path) -> None:
    write(tmp_path / "projects" / "-app" / f"{SESSION}.jsonl")

    asked = find_files([tmp_path])

    assert [file.relative for file in asked.files] == [f"projects/-app/{SESSION}.jsonl"]


def test_of_several_paths_each_name_says_which(tmp_path: Path) -> None:
    one = write(tmp_path / "one" / f"{SESSION}.jsonl")
    two = write(tmp_path / "two" / f"{SESSION}.jsonl")

    asked = find_files([one, two.parent])

    assert [file.relative for file in asked.files] == [one.as_posix(), two.as_posix()]


def test_a_file_asked_for_twice_is_read_once(tmp_path: Path) -> None:
    path = write(tmp_path / f"{SESSION}.jsonl")

    assert len(find_files([path, tmp_path, path]).files) == 1


def test_a_file_of_any_name_is_a_transcript_when_asked_for(tmp_path: Path) -> None:
    path = write(tmp_path / "copy.txt")

    assert [file.kind for file in find_files([path]).files] == [FileKind.SESSION]


def test_a_sidecar_asked_for_stays_a_sidecar(tmp_path: Path) -> None:
    path = write(tmp_path / "agent-a1b2c3d.meta.json")

    assert [file.kind for file in find_files([path]).files] == [FileKind.META]


@pytest.mark.parametrize("several", [False, True])
def test_what_is_no_file_is_told_by_its_name(tmp_path: Path, *, several: bool) -> None:
    write(tmp_path / f"{SESSION}.jsonl")
    os.mkfifo(tmp_path / "agent-a1b2c3d.jsonl")

    asked = find_files([tmp_path, tmp_path] if several else [tmp_path])

    prefix = f"{tmp_path.as_posix()}/" if several else ""
    assert {(p.kind, p.file) for p in asked.problems} == {
        ("not_regular", f"{prefix}agent-a1b2c3d.jsonl")
    }


def test_a_path_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PathNotFoundError):
        find_files([tmp_path / "gone"])
