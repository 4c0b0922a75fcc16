"""Tests of walking through links, locked folders and things that vanish."""

import os
from pathlib import Path
from typing import Self

import pytest

from clew.source import SourceProblemKind, discover
from tests.unit.source.trees import NEXT, SID, grow, listed


def test_a_project_folder_that_is_linked_within_the_root_is_walked(tmp_path: Path) -> None:
    grow(tmp_path, f"root/todos/old/{SID}.jsonl", f"root/projects/-p/{NEXT}.jsonl")
    (tmp_path / "root/projects/-linked").symlink_to("../todos/old")

    found = discover(tmp_path / "root")

    assert len(found.files) == 2
    assert found.problems == []


def test_a_project_folder_that_leads_out_of_the_root_is_reported(tmp_path: Path) -> None:
    grow(tmp_path, f"elsewhere/{SID}.jsonl", f"root/projects/-p/{NEXT}.jsonl")
    link = tmp_path / "root/projects/-linked"
    link.symlink_to(tmp_path / "elsewhere")

    found = discover(tmp_path / "root")

    assert list(listed(found)) == [f"projects/-p/{NEXT}.jsonl"]
    assert [(each.path, each.kind) for each in found.problems] == [
        (link, SourceProblemKind.LINK_OUTSIDE)
    ]


@pytest.mark.parametrize(
    "link",
    [
        f"projects/-p/{SID}/tool-results/planted.txt",
        f"projects/-p/{SID}/tool-results",
        f"projects/-p/{SID}/subagents/agent-a1.jsonl",
        f"projects/-p/{NEXT}",
        f"projects/-p/{NEXT}.jsonl",
        "projects/-p/agent-a2.jsonl",
        "history.jsonl",
        "todos/planted",
    ],
)
@pytest.mark.parametrize("asked", ["", "projects", "projects/-p", f"projects/-p/{SID}.jsonl"])
def test_nothing_is_listed_through_a_link_that_leads_out_of_the_root(
    tmp_path: Path, link: str, asked: str
) -> None:
    root = tmp_path / "root"
    grow(tmp_path, "home/.ssh/id_rsa", f"home/{NEXT}.jsonl", f"root/projects/-p/{SID}.jsonl")
    target = "home/.ssh/id_rsa" if "." in Path(link).name else "home"
    (root / link).parent.mkdir(parents=True, exist_ok=True)
    (root / link).symlink_to(tmp_path / target)

    found = discover(root / asked)

    assert [file.path.name for file in found.files] == [f"{SID}.jsonl"]
    assert {each.kind for each in found.problems} <= {SourceProblemKind.LINK_OUTSIDE}


def test_a_linked_projects_folder_is_walked(tmp_path: Path) -> None:
    grow(tmp_path, f"disk/-p/{SID}.jsonl")
    (tmp_path / "root").mkdir()
    (tmp_path / "root/projects").symlink_to(tmp_path / "disk")

    assert list(listed(discover(tmp_path / "root"))) == [f"projects/-p/{SID}.jsonl"]


def test_a_linked_root_is_walked(tmp_path: Path) -> None:
    grow(tmp_path, f"real/projects/-p/{SID}.jsonl", "all/README.md")
    (tmp_path / "all/link").symlink_to(tmp_path / "real")

    assert list(listed(discover(tmp_path / "all"))) == [f"link/projects/-p/{SID}.jsonl"]


def test_links_that_lead_in_circles_come_to_an_end(tmp_path: Path) -> None:
    grow(tmp_path, f"projects/-p/{SID}.jsonl", f"projects/-p/{SID}/subagents/agent-a1.jsonl")
    (tmp_path / "projects/-p/up").symlink_to(tmp_path / "projects")
    (tmp_path / f"projects/-p/{SID}/subagents/self").symlink_to(".")

    assert len(discover(tmp_path).files) == 2


def test_a_file_reached_twice_is_listed_under_its_real_path(tmp_path: Path) -> None:
    grow(tmp_path, f"projects/-p/{SID}.jsonl")
    (tmp_path / "projects/-a").symlink_to("-p")
    (tmp_path / f"projects/-p/{NEXT}.jsonl").symlink_to(f"{SID}.jsonl")

    assert list(listed(discover(tmp_path))) == [f"projects/-p/{SID}.jsonl"]


def test_a_file_that_is_linked_twice_within_the_root_is_listed_once(tmp_path: Path) -> None:
    grow(tmp_path, "root/elsewhere/x.jsonl", f"root/projects/-p/{SID}.jsonl")
    for name in ("a.jsonl", "b.jsonl"):
        (tmp_path / "root/projects/-p" / name).symlink_to(tmp_path / "root/elsewhere/x.jsonl")

    assert list(listed(discover(tmp_path / "root"))) == [
        f"projects/-p/{SID}.jsonl",
        "projects/-p/a.jsonl",
    ]


def test_two_names_of_one_file_are_two_files_to_keep(tmp_path: Path) -> None:
    grow(tmp_path, f"projects/-p/{SID}.jsonl")
    (tmp_path / f"projects/-p/{NEXT}.jsonl").hardlink_to(tmp_path / f"projects/-p/{SID}.jsonl")

    assert len(discover(tmp_path).files) == 2


def test_a_link_to_credentials_is_not_followed(tmp_path: Path) -> None:
    grow(tmp_path, f"projects/-p/{SID}.jsonl", ".credentials.json")
    (tmp_path / f"projects/-p/{NEXT}.jsonl").symlink_to(tmp_path / ".credentials.json")

    assert list(listed(discover(tmp_path))) == [f"projects/-p/{SID}.jsonl"]


def test_a_link_to_no_known_place_is_not_walked(tmp_path: Path) -> None:
    grow(tmp_path, f"asked/a/{SID}.jsonl", f"disk/deep/down/projects/-p/{NEXT}.jsonl")
    (tmp_path / "asked/disk").symlink_to(tmp_path / "disk")

    assert list(listed(discover(tmp_path / "asked"))) == [f"a/{SID}.jsonl"]


def test_a_linked_file_in_no_known_place_is_not_listed(tmp_path: Path) -> None:
    grow(tmp_path, f"elsewhere/{SID}.jsonl", "asked/README.md")
    (tmp_path / "asked/link.txt").symlink_to(tmp_path / f"elsewhere/{SID}.jsonl")

    assert discover(tmp_path / "asked").files == []


def test_a_link_to_nothing_is_passed_over(tmp_path: Path) -> None:
    grow(tmp_path, f"projects/-p/{SID}.jsonl")
    (tmp_path / f"projects/-p/{NEXT}.jsonl").symlink_to("gone")

    found = discover(tmp_path)

    assert (len(found.files), found.problems) == (1, [])


def test_a_link_to_itself_is_reported(tmp_path: Path) -> None:
    grow(tmp_path, f"projects/-p/{SID}.jsonl")
    knot = tmp_path / f"projects/-p/{NEXT}.jsonl"
    knot.symlink_to(knot)

    (problem,) = discover(tmp_path).problems

    assert (problem.path, problem.kind) == (knot, SourceProblemKind.UNREADABLE)


def test_a_link_that_the_system_refuses_is_reported(tmp_path: Path) -> None:
    grow(tmp_path, f"projects/-p/{SID}.jsonl")
    (tmp_path / "projects/-p/long").symlink_to("x" * 300)

    found = discover(tmp_path)

    assert len(found.files) == 1
    assert [problem.path.name for problem in found.problems] == ["long"]


def test_a_fifo_among_the_transcripts_is_reported(tmp_path: Path) -> None:
    grow(tmp_path, f"projects/-p/{SID}.jsonl")
    os.mkfifo(tmp_path / f"projects/-p/{NEXT}.jsonl")

    found = discover(tmp_path)

    assert list(listed(found)) == [f"projects/-p/{SID}.jsonl"]
    assert [problem.kind for problem in found.problems] == [SourceProblemKind.NOT_REGULAR]


def test_a_fifo_asked_for_is_reported(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "s.jsonl")

    found = discover(tmp_path / "s.jsonl")

    assert found.files == []
    assert [problem.kind for problem in found.problems] == [SourceProblemKind.NOT_REGULAR]


def test_a_locked_folder_is_reported_and_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    grow(tmp_path, f"projects/-p/{SID}.jsonl", f"projects/-locked/{NEXT}.jsonl")
    scan = os.scandir

    # The system's refusal is played, since it refuses nothing to an administrator.
    def refuse(path: Path) -> "os._ScandirIterator[str]":
        if Path(path).name == "-locked":
            raise PermissionError(13, "Permission denied", str(path))
        return scan(path)

    monkeypatch.setattr(os, "scandir", refuse)
    found = discover(tmp_path)

    assert list(listed(found)) == [f"projects/-p/{SID}.jsonl"]
    assert [(problem.path.name, problem.text) for problem in found.problems] == [
        ("-locked", "Permission denied")
    ]


@pytest.mark.parametrize("victim", ["-gone", f"-p/{SID}.jsonl"])
def test_what_vanishes_during_the_walk_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, victim: str
) -> None:
    projects = grow(tmp_path / "projects", f"-gone/{NEXT}.jsonl", f"-p/{SID}.jsonl")
    target = projects / victim
    scan = os.scandir

    def scan_and_remove(path: Path) -> _Listing:
        with scan(path) as found:
            listing = _Listing(found)
        if Path(path) == target.parent:
            target.rename(tmp_path / "removed")
        return listing

    monkeypatch.setattr(os, "scandir", scan_and_remove)
    found = discover(projects)

    assert (len(found.files), found.problems) == (1, [])


class _Listing(list[os.DirEntry[str]]):
    """Entries of a folder that is closed already."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass


@pytest.mark.parametrize("target", [f"{SID}.txt", "gone.txt", "../../elsewhere.txt"])
def test_the_link_to_the_latest_debug_log_is_left_out(tmp_path: Path, target: str) -> None:
    grow(tmp_path, f"root/debug/{SID}.txt", f"root/projects/-p/{SID}.jsonl", "elsewhere.txt")
    (tmp_path / "root/debug/latest").symlink_to(target)

    found = discover(tmp_path / "root")

    assert listed(found) == {f"debug/{SID}.txt": "debug", f"projects/-p/{SID}.jsonl": "session"}
    assert found.problems == []
