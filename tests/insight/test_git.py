"""Reading git: nothing of a repository's settings runs, and trouble gets a clear answer."""

import os
import shutil
from pathlib import Path

import pytest

from clew.errors import ClewError, NotFoundError, UsageError
from clew.insight import blame_file, find_repository
from clew.insight.git import (
    GitFailedError,
    GitMissingError,
    NoCommitsError,
    NoRepositoryError,
    PathNotInRevisionError,
    RevisionNotFoundError,
)
from tests.insight.workshop import Workshop, lines


@pytest.fixture
def shop(tmp_path: Path) -> Workshop:
    made = Workshop(tmp_path)
    made.hand("a.py", lines("alpha_one = 1", "alpha_two = 2"))
    made.commit("Begin")
    return made


def test_a_path_outside_of_any_repository_is_named(tmp_path: Path) -> None:
    with pytest.raises(NoRepositoryError, match="not in a git repository"):
        find_repository(tmp_path / "nothing.py")


def test_a_repository_without_commits_says_so(tmp_path: Path) -> None:
    shop = Workshop(tmp_path)

    with pytest.raises(NoCommitsError, match="no commits yet"):
        find_repository(shop.repo).resolve("HEAD")


def test_a_bare_repository_has_no_files(shop: Workshop, tmp_path: Path) -> None:
    shop.git("clone", "-q", "--bare", str(shop.repo), str(tmp_path / "bare.git"))

    with pytest.raises(NoRepositoryError, match="bare repository"):
        find_repository(tmp_path / "bare.git")


def test_an_unknown_revision_is_named(shop: Workshop) -> None:
    with pytest.raises(RevisionNotFoundError, match="'nope'"):
        find_repository(shop.repo).resolve("nope")


@pytest.mark.parametrize("revision", ["--output=x", "-p", "", "a\nb"])
def test_a_revision_that_looks_like_an_option_is_refused(shop: Workshop, revision: str) -> None:
    with pytest.raises(UsageError, match="not a revision"):
        find_repository(shop.repo).resolve(revision)


def test_a_file_that_a_revision_does_not_have_is_named(shop: Workshop) -> None:
    repository = find_repository(shop.repo)

    with pytest.raises(PathNotInRevisionError, match=r"'b\.py'"):
        repository.blame(repository.resolve("HEAD"), "b.py")


def test_a_missing_git_says_what_to_do(shop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(shop.root))

    with pytest.raises(GitMissingError, match="install it"):
        find_repository(shop.repo)


def test_a_damaged_repository_gives_gits_own_words(shop: Workshop) -> None:
    (shop.repo / ".git" / "config").write_text("[core\n")

    with pytest.raises(GitFailedError, match="bad config"):
        find_repository(shop.repo)


def test_a_shallow_clone_is_recognised(shop: Workshop, tmp_path: Path) -> None:
    shop.hand("a.py", lines("alpha_one = 1", "alpha_two = 2", "alpha_three = 3"))
    shop.commit("More")
    shallow = tmp_path / "shallow"
    shop.git("clone", "-q", "--depth", "1", f"file://{shop.repo}", str(shallow))
    repository = find_repository(shallow)
    with shop.archive() as archive:
        shop.session("one")
        shop.archive()
        found = blame_file(archive, shallow / "a.py")

    assert repository.is_shallow
    assert any("shallow clone" in note for note in found.notes)
    with pytest.raises(RevisionNotFoundError, match="unshallow"):
        repository.resolve("HEAD~1")


def test_a_submodule_is_a_repository_of_its_own(shop: Workshop, tmp_path: Path) -> None:
    other = Workshop(tmp_path / "other", "part")
    other.hand("b.py", lines("part_one = 1"))
    other.commit("Part")
    allowed = ("-c", "protocol.file.allow=always")
    shop.git(*allowed, "submodule", "add", "-q", str(other.repo), "part")
    shop.commit("Add the part")

    inner = find_repository(shop.repo / "part" / "b.py")

    assert inner.top == shop.repo / "part"
    assert inner.relative(shop.repo / "part" / "b.py") == "b.py"


def test_worktrees_are_listed(shop: Workshop, tmp_path: Path) -> None:
    shop.git("worktree", "add", "-q", str(tmp_path / "tree"))

    found = find_repository(tmp_path / "tree").worktrees()

    assert found == [shop.repo, tmp_path / "tree"]


def test_a_repository_cannot_make_us_run_its_programs(shop: Workshop, tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    program = tmp_path / "program.sh"
    program.write_text(f"#!/bin/sh\ntouch '{mark}'\ncat\n")
    program.chmod(0o755)
    for key in (
        "core.fsmonitor",
        "core.pager",
        "core.sshCommand",
        "diff.external",
        "diff.bad.command",
        "diff.bad.textconv",
        "filter.bad.clean",
        "filter.bad.smudge",
        "filter.bad.process",
        "gpg.program",
        "core.alternateRefsCommand",
    ):
        shop.git("config", key, str(program))
    shop.git("config", "log.showSignature", "true")
    shop.git("config", "blame.ignoreRevsFile", "no-such-file")
    shop.git("config", "core.hooksPath", str(tmp_path))
    (shop.repo / ".gitattributes").write_text("*.py diff=bad filter=bad\n")
    mark.unlink(missing_ok=True)
    repository = find_repository(shop.repo)
    head = repository.resolve("HEAD")

    repository.blame(head, "a.py")
    repository.blame(head, "a.py", ignore_whitespace=True)
    repository.changes(head, ["a.py"])
    repository.file_names(head, "a.py")
    repository.changed_paths(head)
    repository.notes("refs/notes/ai", [head])
    repository.worktrees()

    assert not mark.exists()


def test_a_missing_object_is_not_fetched(
    shop: Workshop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = tmp_path / "ran"
    program = tmp_path / "program.sh"
    program.write_text(f"#!/bin/sh\ntouch '{mark}'\n")
    # An older git does not know the variable that forbids to fetch.
    old = tmp_path / "bin" / "git"
    old.parent.mkdir()
    old.write_text(f'#!/bin/sh\nunset GIT_NO_LAZY_FETCH\nexec {shutil.which("git")} "$@"\n')
    for path in (program, old):
        path.chmod(0o755)
    blob = shop.git("rev-parse", "HEAD:a.py").strip()
    (shop.repo / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    for key, value in (
        ("core.repositoryFormatVersion", "1"),
        ("extensions.partialClone", "origin"),
        ("remote.origin.promisor", "true"),
        ("remote.origin.url", f"ext::{program}"),
        ("protocol.ext.allow", "always"),
    ):
        shop.git("config", key, value)
    monkeypatch.setenv("PATH", f"{old.parent}{os.pathsep}{os.environ['PATH']}")
    repository = find_repository(shop.repo)

    with pytest.raises(ClewError):
        repository.blame(repository.resolve("HEAD"), "a.py")

    assert not mark.exists()


def test_variables_that_redirect_git_are_ignored(
    shop: Workshop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", "false")

    assert find_repository(shop.repo).top == shop.repo


def test_nothing_is_written(shop: Workshop) -> None:
    def state() -> dict[str, int]:
        files = [path for path in shop.repo.rglob("*") if path.is_file()]
        return {str(path): path.stat().st_mtime_ns for path in files}

    repository = find_repository(shop.repo)
    (shop.repo / "a.py").touch()
    before = state()

    head = repository.resolve("HEAD")
    repository.blame(head, "a.py")
    repository.log(head)

    assert state() == before


@pytest.mark.parametrize(
    "name", ["-x.py", "ä ö.py", "a*b.py", ":(top)x.py", 'q"uote.py', "ä\ttab.py"]
)
def test_odd_names_of_files_are_names(shop: Workshop, name: str) -> None:
    shop.hand(name, lines("odd_line_one = 1"))
    shop.commit("Odd")
    shop.hand(name, lines("odd_line_two = 2"))
    shop.commit("Odd again")
    repository = find_repository(shop.repo)
    head = repository.resolve("HEAD")

    found = repository.blame(head, name)
    changes = repository.changes(head, [name])

    assert [(line.filename, line.previous_filename) for line in found] == [(name, name)]
    assert [sorted(commit.added) for commit in changes] == [
        ["odd_line_two = 2"],
        ["odd_line_one = 1"],
    ]
    assert name in repository.changed_paths(head)


def test_a_message_cannot_pretend_to_be_another_commit(shop: Workshop) -> None:
    shop.hand("a.py", lines("alpha_one = 1"))
    shop.commit("Subject\n\n\x01deadbeef\x01")

    found = find_repository(shop.repo).log("HEAD")

    assert [commit.subject for commit in found] == ["Subject", "Begin"]


def test_full_history_has_commits_that_a_merge_hides(shop: Workshop) -> None:
    shop.git("checkout", "-q", "-b", "side")
    shop.hand("a.py", lines("alpha_one = 1", "side_line = 2"))
    shop.commit("Side")
    shop.git("checkout", "-q", "main")
    shop.hand("a.py", lines("alpha_one = 1", "side_line = 2"))
    shop.commit("The same on main")
    shop.git("merge", "-q", "--no-edit", "side")
    repository = find_repository(shop.repo)

    found = repository.changes(repository.resolve("HEAD"), ["a.py"])

    assert {"Side", "The same on main"} <= {commit.subject for commit in found}


def test_a_folder_is_not_a_file(shop: Workshop) -> None:
    with shop.archive() as archive, pytest.raises(UsageError, match="directory"):
        blame_file(archive, shop.repo)


def test_a_binary_file_has_no_lines(shop: Workshop) -> None:
    shop.path("b.bin").write_bytes(b"\x00\x01\n")
    shop.commit("Binary")

    with shop.archive() as archive, pytest.raises(UsageError, match="binary"):
        blame_file(archive, shop.repo / "b.bin")


def test_a_path_above_the_repository_is_not_in_it(shop: Workshop, tmp_path: Path) -> None:
    with pytest.raises(NotFoundError):
        find_repository(shop.repo).relative(tmp_path / "other.py")
