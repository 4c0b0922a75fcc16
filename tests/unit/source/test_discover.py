"""Tests of finding files where Claude Code keeps them, or where people copied them."""

import os
from pathlib import Path

import pytest

from clew.errors import PathNotFoundError
from clew.source import (
    FileKind,
    by_session,
    classify,
    discover,
    join_lines,
    read_lines,
    to_name,
)
from tests.unit.source.trees import NEXT, SID, grow, listed

RECORDINGS = Path(__file__).parents[2] / "recordings"
SHARED = Path(__file__).parents[3].parent / "shared"
FOLDERS = [
    RECORDINGS,
    *(path for path in [SHARED / "recordings", SHARED / "corpus"] if path.exists()),
]


def test_a_root_gives_its_projects_and_what_goes_with_sessions(tmp_path: Path) -> None:
    root = grow(
        tmp_path,
        f"projects/-p/{SID}.jsonl",
        f"projects/-p/{SID}/subagents/agent-a1.jsonl",
        "projects/-p/memory/MEMORY.md",
        "history.jsonl",
        "plans/plan.md",
        "teams/t/inboxes/lead.json",
    )

    assert listed(discover(root)) == {
        "history.jsonl": "history",
        "plans/plan.md": "plan",
        f"projects/-p/{SID}.jsonl": "session",
        f"projects/-p/{SID}/subagents/agent-a1.jsonl": "agent",
        "projects/-p/memory/MEMORY.md": "memory",
        "teams/t/inboxes/lead.json": "team",
    }


def test_credentials_settings_and_the_rest_of_a_root_are_never_listed(tmp_path: Path) -> None:
    root = grow(
        tmp_path,
        f"projects/-p/{SID}.jsonl",
        "projects/-p/settings.local.json",
        f"projects/-p/{SID}/.credentials.json",
        "teams/settings.json",
        ".credentials.json",
        ".claude.json",
        "settings.json",
        "shell-snapshots/snapshot.sh",
        f"plugins/x/{NEXT}.jsonl",
    )

    assert list(listed(discover(root))) == [f"projects/-p/{SID}.jsonl"]


@pytest.mark.parametrize(
    ("asked", "relative"),
    [
        ("", f"r/projects/-p/{SID}/subagents/agent-a1.jsonl"),
        ("r", f"projects/-p/{SID}/subagents/agent-a1.jsonl"),
        ("r/projects", f"-p/{SID}/subagents/agent-a1.jsonl"),
        ("r/projects/-p", f"{SID}/subagents/agent-a1.jsonl"),
        (f"r/projects/-p/{SID}", "subagents/agent-a1.jsonl"),
        (f"r/projects/-p/{SID}/subagents", "agent-a1.jsonl"),
        (f"r/projects/-p/{SID}/subagents/agent-a1.jsonl", "agent-a1.jsonl"),
    ],
)
def test_a_file_is_the_same_from_wherever_it_is_found(
    tmp_path: Path, asked: str, relative: str
) -> None:
    grow(tmp_path, f"r/projects/-p/{SID}.jsonl", f"r/projects/-p/{SID}/subagents/agent-a1.jsonl")

    (agent,) = [file for file in discover(tmp_path / asked).files if file.agent_id]

    assert (agent.relative, agent.kind) == (relative, FileKind.AGENT)
    assert (agent.session_id, agent.agent_id, agent.project_folder) == (SID, "a1", "-p")


def test_several_roots_are_found_below_one_folder(tmp_path: Path) -> None:
    grow(
        tmp_path,
        f"a/.claude/projects/-p/{SID}.jsonl",
        "a/.claude/history.jsonl",
        f"b/deep/root/projects/named/{NEXT}.jsonl",
        "b/deep/expected.json",
        "README.md",
    )

    assert listed(discover(tmp_path)) == {
        "a/.claude/history.jsonl": "history",
        f"a/.claude/projects/-p/{SID}.jsonl": "session",
        f"b/deep/root/projects/named/{NEXT}.jsonl": "session",
    }


def test_unknown_files_of_a_project_are_listed_as_other(tmp_path: Path) -> None:
    grow(tmp_path, f"projects/-p/{SID}/new/thing.bin", "projects/-p/.hidden", "projects/-p/x/y")

    assert set(listed(discover(tmp_path)).values()) == {"other"}
    assert len(discover(tmp_path).files) == 3


def test_a_project_folder_may_have_any_name_and_its_sessions_too(tmp_path: Path) -> None:
    grow(tmp_path, "projects/sample/demo.jsonl", "projects/sample/demo/tool-results/a.txt")

    assert listed(discover(tmp_path)) == {
        "projects/sample/demo.jsonl": "session",
        "projects/sample/demo/tool-results/a.txt": "tool_result",
    }


def test_a_home_folder_gives_its_root_but_not_the_work_in_its_own_projects(tmp_path: Path) -> None:
    grow(
        tmp_path,
        f".claude/projects/-p/{SID}.jsonl",
        "projects/clew/src/secret.py",
        "projects/clew/settings.py",
        "plans/holiday.md",
    )

    assert list(listed(discover(tmp_path))) == [f".claude/projects/-p/{SID}.jsonl"]


def test_a_file_named_like_the_projects_folder_makes_no_root(tmp_path: Path) -> None:
    grow(tmp_path, "projects", "plans/plan.md", f"a/{SID}.jsonl")

    assert list(listed(discover(tmp_path))) == [f"a/{SID}.jsonl"]


def test_a_copied_transcript_brings_its_sidecars_but_not_its_neighbours(tmp_path: Path) -> None:
    grow(
        tmp_path,
        f"downloads/{SID}.jsonl",
        f"downloads/{SID}/tool-results/a.txt",
        "downloads/agent-a6e6174.jsonl",
        "downloads/tax.pdf",
        "downloads/letters/bank.pdf",
    )

    assert list(listed(discover(tmp_path))) == [
        f"downloads/{SID}.jsonl",
        f"downloads/{SID}/tool-results/a.txt",
        "downloads/agent-a6e6174.jsonl",
    ]


@pytest.mark.parametrize("asked", ["", "notes.jsonl"])
def test_a_folder_named_like_some_lines_gives_only_what_is_known(
    tmp_path: Path, asked: str
) -> None:
    grow(tmp_path, "notes.jsonl", "notes/diary.txt", "notes/tool-results/a.txt")

    assert list(listed(discover(tmp_path / asked))) == ["notes.jsonl", "notes/tool-results/a.txt"]


def test_any_lines_are_taken_in_the_folder_asked_for_but_not_further_down(tmp_path: Path) -> None:
    grow(tmp_path, "exported.jsonl", "data/train.jsonl")

    assert listed(discover(tmp_path)) == {"exported.jsonl": "session"}


def test_one_file_brings_its_sidecars_and_the_flat_agents(tmp_path: Path) -> None:
    project = grow(
        tmp_path / "projects" / "-p",
        f"{SID}.jsonl",
        f"{SID}/subagents/agent-a1.jsonl",
        f"{SID}/subagents/agent-a1.meta.json",
        "agent-3be551df.jsonl",
        f"{NEXT}.jsonl",
        f"{NEXT}/subagents/agent-a2.jsonl",
        "memory/MEMORY.md",
    )

    assert listed(discover(project / f"{SID}.jsonl")) == {
        f"{SID}.jsonl": "session",
        f"{SID}/subagents/agent-a1.jsonl": "agent",
        f"{SID}/subagents/agent-a1.meta.json": "meta",
        "agent-3be551df.jsonl": "agent",
    }


def test_one_agent_file_brings_its_description(tmp_path: Path) -> None:
    agents = grow(tmp_path / SID / "subagents", "agent-a1.jsonl", "agent-a1.meta.json", "b.txt")

    assert listed(discover(agents / "agent-a1.jsonl")) == {
        "agent-a1.jsonl": "agent",
        "agent-a1.meta.json": "meta",
    }


def test_one_file_outside_any_project_is_a_session(tmp_path: Path) -> None:
    grow(tmp_path, "export.jsonl", "other.jsonl")

    (file,) = discover(tmp_path / "export.jsonl").files

    assert (file.kind, file.session_id, file.project_folder) == (
        FileKind.SESSION,
        "export",
        tmp_path.name,
    )


def test_the_prompt_history_asked_for_alone_is_no_session(tmp_path: Path) -> None:
    grow(tmp_path, "history.jsonl", f"projects/-p/{SID}.jsonl")

    assert listed(discover(tmp_path / "history.jsonl")) == {"history.jsonl": "history"}


def test_a_relative_path_is_found_from_the_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(grow(tmp_path, f"projects/-p/{SID}.jsonl"))

    (file,) = discover(Path()).files

    assert (file.path, file.relative) == (
        tmp_path / f"projects/-p/{SID}.jsonl",
        f"projects/-p/{SID}.jsonl",
    )


def test_a_file_is_listed_as_the_system_sees_it(tmp_path: Path) -> None:
    path = grow(tmp_path, f"projects/-p/{SID}.jsonl") / f"projects/-p/{SID}.jsonl"
    status = path.stat()

    (file,) = discover(tmp_path).files

    assert (file.path, file.size, file.mtime_ns) == (path, 3, status.st_mtime_ns)
    assert (file.device, file.inode) == (status.st_dev, status.st_ino)


def test_files_come_in_one_order_with_sessions_before_their_sidecars(tmp_path: Path) -> None:
    grow(
        tmp_path,
        f"projects/-p/{NEXT}.jsonl",
        f"projects/-p/{SID}/subagents/agent-a1.jsonl",
        f"projects/-p/{SID}.jsonl",
        "projects/-a/x.jsonl",
    )

    assert list(listed(discover(tmp_path))) == [
        "projects/-a/x.jsonl",
        f"projects/-p/{SID}.jsonl",
        f"projects/-p/{SID}/subagents/agent-a1.jsonl",
        f"projects/-p/{NEXT}.jsonl",
    ]


@pytest.mark.parametrize(
    "folder", ["C--Users-me", "c--work", "-home-ünïcode", "-дом-проект", "-a b\nc", "-%2e*?"]
)
def test_project_folders_of_all_names_are_walked(tmp_path: Path, folder: str) -> None:
    grow(tmp_path, f"projects/{folder}/{SID}.jsonl")

    (file,) = discover(tmp_path).files

    assert (file.project_folder, file.session_id) == (folder, SID)


def test_names_that_are_not_utf_8_are_kept(tmp_path: Path) -> None:
    folder = tmp_path / "projects" / os.fsdecode(b"-\xff\xfe")
    grow(folder, os.fsdecode(b"\xe9t\xe9.jsonl"))

    (file,) = discover(tmp_path).files

    assert os.fsencode(to_name(file.relative)) == b"projects/-\xff\xfe/\xe9t\xe9.jsonl"
    assert [line.raw for line in read_lines(file.path)] == [b"{}"]


def test_an_empty_folder_gives_nothing(tmp_path: Path) -> None:
    found = discover(tmp_path)

    assert (found.files, found.problems) == ([], [])


def test_a_path_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(PathNotFoundError, match="nowhere"):
        discover(tmp_path / "nowhere")


def test_files_are_grouped_by_session_over_all_projects(tmp_path: Path) -> None:
    grow(
        tmp_path,
        f"projects/-a/{SID}.jsonl",
        f"projects/-b/{SID}/tool-results/x.txt",
        f"projects/-b/{NEXT}.jsonl",
        "projects/-b/agent-3be551df.jsonl",
    )

    groups = by_session(discover(tmp_path).files)

    assert {key: len(files) for key, files in groups.items()} == {SID: 2, NEXT: 1}


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: "/".join(folder.parts[-2:]))
def test_every_file_of_a_recorded_root_is_found_and_known(folder: Path) -> None:
    wanted = {path for path in folder.rglob("*") if path.is_file() and "projects" in path.parts}

    found = discover(folder)

    assert wanted <= {file.path for file in found.files}
    assert [file.relative for file in found.files if file.kind is FileKind.OTHER] == []
    assert found.problems == []


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: "/".join(folder.parts[-2:]))
def test_every_recorded_transcript_is_its_lines_joined_again(folder: Path) -> None:
    files = [file for file in discover(folder).files if file.relative.endswith(".jsonl")]

    broken = [file for file in files if join_lines(read_lines(file.path)) != file.path.read_bytes()]

    assert len(files) > 0
    assert broken == []


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: "/".join(folder.parts[-2:]))
def test_the_whole_path_of_a_transcript_tells_what_the_walk_tells(folder: Path) -> None:
    files = [file for file in discover(folder).files if file.project_folder]

    differing = [file for file in files if classify(file.path.as_posix()).kind is not file.kind]

    assert differing == []
