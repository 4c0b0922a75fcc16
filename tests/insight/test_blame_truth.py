"""Blame against recorded truth: who wrote each line of a repository, with a real client."""

import json
import subprocess
from pathlib import Path

import pytest

from clew.archive import open_archive
from clew.insight import blame_file, find_repository, make_dossier

TRUTH = Path(__file__).parents[3] / "shared" / "truth" / "git-lines"
pytestmark = pytest.mark.skipif(not TRUTH.is_dir(), reason="the recorded truth is not here")


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    place = tmp_path / "clone"
    words = ["git", "clone", "-q", str(TRUTH / "repo.bundle"), str(place)]
    subprocess.run(words, check=True)  # noqa: S603 (git, on a file of ours)
    return place


def test_every_line_has_the_message_that_wrote_it(clone: Path, tmp_path: Path) -> None:
    truth = json.loads((TRUTH / "lines.json").read_text())
    with open_archive(tmp_path / "archive") as archive:
        archive.sync([TRUTH / "root"], workers=1)
        found = {
            name: [
                (line.line, line.text, line.message_id, line.tool_call_id, line.evidence)
                for line in blame_file(archive, clone / name).lines
            ]
            for name in truth["files"]
        }

    for name, lines in truth["files"].items():
        assert found[name] == [
            (
                line["line"],
                line["text"],
                line.get("message_id"),
                line.get("tool_use_id"),
                _evidence(line),
            )
            for line in lines
        ]


def _evidence(line: dict[str, str]) -> str:
    if line["who"] == "hand":
        return "external"
    return "whitespace" if "then" in line else "exact"


def test_files_that_no_session_changed_have_no_evidence(clone: Path, tmp_path: Path) -> None:
    with open_archive(tmp_path / "archive") as archive:
        archive.sync([TRUTH / "root"], workers=1)
        found = blame_file(archive, clone / "README.md")

    assert {line.evidence for line in found.lines} == {"none"}


def test_every_commit_of_the_session_is_found(clone: Path, tmp_path: Path) -> None:
    with open_archive(tmp_path / "archive") as archive:
        archive.sync([TRUTH / "root"], workers=1)
        found = make_dossier(archive, find_repository(clone), "HEAD~8..HEAD")

    by_subject = {commit.subject: commit.session_ids for commit in found.commits}
    hand = {subject for subject, sessions in by_subject.items() if not sessions}
    assert hand == {"Hand commit"}
    assert found.sessions[0].cost_usd == pytest.approx(found.cost_usd)
