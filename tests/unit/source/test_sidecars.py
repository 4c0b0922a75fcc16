"""Tests of what stands beside a transcript."""

import os
from pathlib import Path

import pytest

from clew.errors import PathNotFoundError
from clew.source import discover, find_tool_result, list_sidecars, read_sidecar
from tests.unit.source.trees import NEXT, SID, grow


def project(folder: Path) -> Path:
    return grow(
        folder / "projects" / "-p",
        f"{SID}.jsonl",
        f"{SID}/subagents/agent-a1.jsonl",
        f"{SID}/subagents/agent-a1.meta.json",
        f"{SID}/subagents/workflows/wf_1/agent-a2.jsonl",
        f"{SID}/subagents/workflows/wf_1/journal.jsonl",
        f"{SID}/workflows/wf_1.json",
        f"{SID}/tool-results/b1.txt",
        f"{SID}/custom-title.json",
        f"{SID}/archived.json",
        "agent-3be551df.jsonl",
        f"{NEXT}.jsonl",
    )


def test_sidecars_are_sorted_into_their_kinds(tmp_path: Path) -> None:
    sidecars = list_sidecars(project(tmp_path) / f"{SID}.jsonl")

    assert [file.agent_id for file in sidecars.agents] == ["a1", "a2"]
    assert [file.agent_id for file in sidecars.flat_agents] == ["3be551df"]
    assert [file.path.name for file in sidecars.metas] == ["agent-a1.meta.json"]
    assert [file.path.name for file in sidecars.workflows] == ["journal.jsonl", "wf_1.json"]
    assert [file.path.name for file in sidecars.tool_results] == ["b1.txt"]
    assert [file.path.name for file in sidecars.titles] == ["custom-title.json"]


def test_all_sidecars_are_listed_but_not_the_session_itself(tmp_path: Path) -> None:
    sidecars = list_sidecars(project(tmp_path) / f"{SID}.jsonl")

    names = {file.path.name for file in sidecars.files}
    assert len(sidecars.files) == 9
    assert "archived.json" in names
    assert f"{SID}.jsonl" not in names


def test_a_listed_session_has_the_sidecars_of_its_path(tmp_path: Path) -> None:
    path = project(tmp_path) / f"{SID}.jsonl"
    (session,) = [file for file in discover(tmp_path).files if file.path == path]

    assert list_sidecars(session) == list_sidecars(path)


def test_a_session_without_sidecars_has_none(tmp_path: Path) -> None:
    grow(tmp_path, "s.jsonl")

    assert list_sidecars(tmp_path / "s.jsonl").files == []


def test_sidecars_of_a_session_that_is_not_there_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(PathNotFoundError):
        list_sidecars(tmp_path / "s.jsonl")


@pytest.mark.parametrize(
    "reference",
    [
        "b1.txt",
        f"/home/someone/.claude/projects/-elsewhere/{SID}/tool-results/b1.txt",
        "C:\\Users\\me\\.claude\\projects\\C--x\\tool-results\\b1.txt",
    ],
)
def test_a_kept_output_is_found_by_its_last_name(tmp_path: Path, reference: str) -> None:
    sidecars = list_sidecars(project(tmp_path) / f"{SID}.jsonl")

    found = find_tool_result(sidecars, reference)

    assert found is not None
    assert found.path == tmp_path / f"projects/-p/{SID}/tool-results/b1.txt"


@pytest.mark.parametrize("reference", ["", "/etc/passwd", "../custom-title.json", "tool-results/"])
def test_a_path_outside_the_kept_outputs_finds_nothing(tmp_path: Path, reference: str) -> None:
    sidecars = list_sidecars(project(tmp_path) / f"{SID}.jsonl")

    assert find_tool_result(sidecars, reference) is None


def test_a_sidecar_is_read_whole_within_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "b1.txt"
    path.write_bytes(b"x" * 3_000_000)

    assert read_sidecar(path, 10_000_000) == b"x" * 3_000_000


@pytest.mark.parametrize(("limit", "expected"), [(4, b"0123"), (10, b"0123456789"), (0, b"")])
def test_a_sidecar_is_cut_at_the_limit(tmp_path: Path, limit: int, expected: bytes) -> None:
    path = tmp_path / "b1.txt"
    path.write_bytes(b"0123456789")

    assert read_sidecar(path, limit) == expected


def test_a_sidecar_that_is_no_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "b1.txt")

    with pytest.raises(OSError, match="not a regular file"):
        read_sidecar(tmp_path / "b1.txt", 10)
