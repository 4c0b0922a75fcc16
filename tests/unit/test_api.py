"""`import clew`."""

import subprocess
import sys
from pathlib import Path

import pytest

import clew
from clew.entries import Assistant, Broken, User
from clew.errors import PathNotFoundError, UsageError

USER = '{"type":"user","uuid":"a","message":{"role":"user","content":"hi"}}'
ASSISTANT = '{"type":"assistant","uuid":"b","message":{"role":"assistant","content":[]}}'


def test_read_gives_the_entries_of_a_transcript_in_order(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text(f"{USER}\n{ASSISTANT}\n", "utf-8")

    entries = list(clew.read(path))

    assert [type(entry.body) for entry in entries] == [User, Assistant]
    assert [entry.line.number for entry in entries] == [1, 2]


def test_read_gives_broken_lines_too(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text(f"{{oops\n{USER}\n", "utf-8")

    assert [type(entry.body) for entry in clew.read(str(path))] == [Broken, User]


def test_read_is_lazy(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text(f"{USER}\n", "utf-8")

    entries = clew.read(path)
    with path.open("a", encoding="utf-8") as stream:
        stream.write(f"{ASSISTANT}\n")

    assert len(list(entries)) == 2


def test_a_missing_path_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(PathNotFoundError, match="no file or folder"):
        clew.read(tmp_path / "gone.jsonl")


def test_a_folder_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is a folder"):
        clew.read(tmp_path)


def test_the_version_is_that_of_the_installed_package() -> None:
    assert clew.__version__.split(".")[0].isdecimal()


def test_a_name_that_does_not_exist_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'reed'"):
        _ = clew.reed  # type: ignore[attr-defined]  # the point of the test


def test_importing_the_package_imports_nothing_heavy() -> None:
    code = "import clew, sys; print([m for m in ('msgspec', 'click', 'rich') if m in sys.modules])"

    out = subprocess.check_output([sys.executable, "-c", code])  # noqa: S603 (our own words)

    assert out == b"[]\n"


def test_every_documented_name_is_there() -> None:
    assert [name for name in clew.__all__ if not getattr(clew, name)] == []


def test_a_look_at_the_package_shows_the_documented_names() -> None:
    assert sorted(dir(clew)) == sorted(clew.__all__)
