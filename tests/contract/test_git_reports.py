"""Commits, pull requests and the cache of blame: the same on a folder and on PostgreSQL."""

from pathlib import Path

import pytest

from clew.archive import Archive
from clew.store import LineAuthors, Location
from tests.build import SessionBuilder, bash

PULL = "https://github.com/acme/demo/pull/7"
COMMITTED = "[main 1a2b3c4] Add the thing\n 1 file changed, 1 insertion(+)"


@pytest.fixture
def archive(location: Location, tmp_path: Path) -> Archive:
    root = tmp_path / "claude"
    session = (
        SessionBuilder("one")
        .user("Please commit")
        .tools(bash('git commit -m "Add the thing"', COMMITTED))
    )
    session.branch("feature").tools(bash('git commit -qm "A quiet one"'))
    session.tools(bash("gh pr create --fill", f"{PULL}\n")).assistant("Done.")
    session.write(root)
    SessionBuilder("two").user("Hello").assistant("Hello.").write(root)
    made = Archive(location)
    made.sync([root], workers=1)
    return made


def test_reports_are_in_the_rows(archive: Archive) -> None:
    with archive:
        found = [
            (each.report.kind, each.report.hash, each.report.subject, each.report.branch)
            for each in archive.git_reports()
        ]

    assert found == [
        ("commit", "1a2b3c4", "Add the thing", "main"),
        ("commit", "", "A quiet one", "feature"),
        ("pull_request", "", "", "feature"),
    ]


def test_only_the_reports_of_some_sessions(archive: Archive) -> None:
    with archive:
        names = {each.session_id for each in archive.git_reports()}

        assert archive.git_reports(["nobody"]) == []
        assert len(archive.git_reports(names)) == 3


def test_usage_by_what_came_of_it(archive: Archive) -> None:
    with archive:
        counted = {
            by: {row.key: row.model_calls for row in archive.usage(by=by).rows}
            for by in ("commit", "pr", "branch")
        }
        total = archive.usage().totals.cost_usd
        sums = [
            sum(row.cost_usd or 0 for row in archive.usage(by=by).rows)
            for by in ("commit", "pr", "branch")
        ]

    assert counted == {
        "commit": {"1a2b3c4": 1, "A quiet one": 1, "(no commit)": 3},
        "pr": {PULL: 4, "(no pr)": 1},
        "branch": {"main": 2, "feature": 3},
    }
    assert sums == pytest.approx([total] * 3)


def test_what_blame_found_out_is_kept_and_replaced(archive: Archive) -> None:
    first = LineAuthors("c" * 40, "a.py", "as of then", "[]")
    second = LineAuthors("c" * 40, "a.py", "as of now", "[1]")
    other = LineAuthors("d" * 40, "a.py", "as of now", "[2]")
    with archive:
        assert archive.keep_line_authors([first, other])
        assert archive.keep_line_authors([second])

        found = archive.line_authors(["c" * 40])

    assert found == {("c" * 40, "a.py"): second}
