"""Reading git: any name of a file, any commit and any settings of its user are read right."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from clew.insight import blame_file, find_repository, make_dossier
from clew.insight.git import GitFailedError, Repository
from tests.build import bash
from tests.insight.workshop import Workshop, lines

NAMES = (
    "-x.py",
    "--rev",
    "ä ö.py",
    "a*b.py",
    ":(top)x.py",
    'q"uote.py',
    '"whole"',
    "back\\slash\\101.py",
    "ä\ttab.py",
    "two\nlines.py",
    "bell\a\b\v\f\r\x7f.py",
    "{a => b}/c.py",
    "R100",
    "C75",
    "M",
    " lead and trail ",
    "line\u2028separator\x85.py",
    "\x01",
    "HEAD",
)


@pytest.fixture
def shop(tmp_path: Path) -> Workshop:
    made = Workshop(tmp_path)
    made.hand("a.py", lines("alpha_one = 1", "alpha_two = 2"))
    made.commit("Begin")
    return made


def head_of(shop: Workshop) -> tuple[Repository, str]:
    repository = find_repository(shop.repo)
    return repository, repository.resolve("HEAD")


@pytest.mark.parametrize("name", NAMES)
def test_any_name_is_read_as_it_is(shop: Workshop, name: str) -> None:
    shop.hand(name, lines("odd_line_one = 1"))
    shop.commit("Odd")
    shop.hand(name, lines("odd_line_two = 2"))
    shop.commit("Odd again")
    repository, head = head_of(shop)

    blamed = repository.blame(head, name)
    changes = repository.changes(head, [name])
    contents = repository.blobs([f"{head}:gone\u2028.py", f"{head}:{name}", f"{head}:a.py"])
    hashes = repository.blob_hashes([f"{head}:gone\u2028\n.py", f"{head}:{name}", f"{head}:a.py"])

    assert [(line.filename, line.previous_filename) for line in blamed] == [(name, name)]
    assert [sorted(commit.added) for commit in changes] == [
        ["odd_line_two = 2"],
        ["odd_line_one = 1"],
    ]
    assert repository.changed_paths(head) == {name: name}
    assert repository.file_names(head, name) == [name]
    assert contents[f"{head}:{name}"] == b"odd_line_two = 2\n"
    assert list(hashes) == [f"{head}:{name}", f"{head}:a.py"]


@pytest.mark.parametrize("name", NAMES)
def test_any_name_is_followed_through_renames(shop: Workshop, name: str) -> None:
    text = lines(*(f"moved_line_{number} = {number}" for number in range(20)))
    shop.hand("plain.py", text)
    shop.commit("Plain")
    shop.path(name).parent.mkdir(exist_ok=True)
    shop.git("mv", "--", "plain.py", name)
    shop.commit("There")
    shop.git("mv", "--", name, "again.py")
    shop.commit("Back")
    repository, head = head_of(shop)

    assert repository.file_names(head, "again.py") == ["again.py", name, "plain.py"]
    assert repository.changed_paths(head) == {"again.py": name}


def test_a_name_that_is_no_text_is_read(shop: Workshop) -> None:
    name = os.fsdecode(b"latin-\xe9.py")
    shop.hand(name, lines("odd_line_one = 1"))
    shop.commit("Odd")
    repository, head = head_of(shop)

    assert [line.filename for line in repository.blame(head, name)] == [name]
    assert repository.changed_paths(head) == {name: name}


@pytest.mark.parametrize("name", ["two\nlines", "line\u2028sep\x85", "ä 'x\"", "-f", "form\ffeed"])
def test_a_repository_may_be_called_anything(tmp_path: Path, name: str) -> None:
    shop = Workshop(tmp_path, name)
    shop.write("one", "lib/a.py", lines("alpha_one = 1"))
    shop.commit("Begin", "one")
    tree = tmp_path / f"tree {name}"
    shop.git("worktree", "add", "-q", "-b", "side", str(tree))
    repository = find_repository(tree / "lib")

    with shop.archive() as archive:
        blamed = blame_file(archive, shop.repo / "lib" / "a.py")

    assert repository.top == tree
    assert repository.common == shop.repo / ".git"
    assert not repository.is_shallow
    assert repository.worktrees() == [shop.repo, tree]
    assert [line.session_id for line in blamed.lines] == [shop.id_of("one")]


MESSAGES = (
    ("Subject", "Subject"),
    ("a\x1e\x1f\x01 \tb | c", "a \x01 b | c"),
    ("%H %x00 %n", "%H %x00 %n"),
    ("CRLF subject\r\n\r\nThe body\r\n", "CRLF subject"),
    ("Two\nlines of it\n\nBody", "Two lines of it"),
    ("\n\n  Indented  twice  \n", "Indented twice"),
    ('"quoted\\x"', '"quoted\\x"'),
    ('"\\N{DASH}\\777"', '"\\N{DASH}\\777"'),
    ("diff --git a/a b/a\n\n@@ -1 +1 @@\n+no line\n", "diff --git a/a b/a"),
    ("\tTab", "Tab"),
    ("", ""),
    ("äöü ☃", "äöü ☃"),
)


@pytest.mark.parametrize(("message", "subject"), MESSAGES)
def test_any_message_is_read(shop: Workshop, message: str, subject: str) -> None:
    shop.hand("a.py", lines("alpha_one = 1", "new_line = 3"))
    shop.git("add", "-A")
    words = ("--cleanup=verbatim", "--allow-empty-message", "-m", message)
    shop.git("commit", "-q", *words, author='"x\\y" \x1e|<' if not message else "Zoë \x1f")
    repository, head = head_of(shop)

    found = repository.log("HEAD")
    blamed = repository.blame(head, "a.py")

    assert [commit.subject for commit in found] == [subject, "Begin"]
    assert [line.commit for line in blamed] == [found[1].hash, found[0].hash]
    assert repository.changes(head, ["a.py"])[0].added == {"new_line = 3"}


def test_a_commit_in_another_encoding_is_read(shop: Workshop) -> None:
    shop.git("config", "i18n.commitEncoding", "ISO-8859-1")
    message, author = "Größe".encode("latin-1"), "Zoë".encode("latin-1")
    raw = subprocess.run(  # (git, on a repository of this test)
        ["git", "commit", "-q", "--allow-empty", "-F", "-"],  # noqa: S607
        cwd=shop.repo,
        input=message,
        env={
            **os.environb,
            **{b"GIT_%s_NAME" % who: author for who in (b"AUTHOR", b"COMMITTER")},
            **{b"GIT_%s_EMAIL" % who: b"t@x.invalid" for who in (b"AUTHOR", b"COMMITTER")},
        },
        check=True,
        capture_output=True,
    )
    found = find_repository(shop.repo).log("HEAD")[0]

    assert raw.returncode == 0
    assert (found.subject, found.author) == ("Größe", "Zoë")


def test_a_quiet_commit_of_two_lines_is_found_as_git_prints_it(shop: Workshop) -> None:
    # The hash that git printed is of a commit that was amended since.
    printed = "[main 1234567] Add the third of its kind\n 1 file changed"
    shop.call("one", bash("git commit -F message.txt", printed))
    shop.hand("a.py", lines("alpha_one = 1"))
    shop.commit("Add  the third\nof its kind")

    with shop.archive() as archive:
        found = make_dossier(archive, find_repository(shop.repo), "HEAD")

    assert found.commits[0].subject == "Add the third of its kind"
    assert [session.id for session in found.sessions] == [shop.id_of("one")]


SETTINGS = {
    "color.ui": "always",
    "color.diff": "always",
    "color.branch": "always",
    "diff.noprefix": "true",
    "diff.mnemonicPrefix": "true",
    "diff.relative": "true",
    "diff.renames": "false",
    "diff.context": "9",
    "diff.interHunkContext": "9",
    "diff.algorithm": "patience",
    "diff.colorMoved": "zebra",
    "diff.wsErrorHighlight": "all",
    "diff.suppressBlankEmpty": "true",
    "diff.orderFile": "order",
    "diff.submodule": "log",
    "diff.external": "false",
    "diff.odd.textconv": "tr a-z A-Z <",
    "diff.odd.command": "false",
    "log.showSignature": "true",
    "log.showRoot": "false",
    "log.follow": "true",
    "log.decorate": "full",
    "log.date": "relative",
    "log.diffMerges": "off",
    "log.mailmap": "true",
    "format.pretty": "oneline",
    "format.notes": "*",
    "blame.ignoreRevsFile": ".ignored",
    "blame.markIgnoredLines": "true",
    "blame.markUnblamableLines": "true",
    "blame.blankBoundary": "true",
    "blame.showRoot": "true",
    "blame.showEmail": "true",
    "blame.coloring": "highlightRecent",
    "blame.date": "relative",
    "core.pager": "false",
    "pager.log": "false",
    "pager.blame": "true",
    "core.quotePath": "true",
    "core.abbrev": "4",
    "core.autocrlf": "true",
    "core.attributesFile": "attributes",
    "core.commentChar": "A",
    "commit.template": "no-such-file",
    "commit.gpgSign": "true",
    "i18n.logOutputEncoding": "ISO-8859-1",
    "merge.conflictStyle": "diff3",
    "grep.patternType": "fixed",
    "column.ui": "always",
    "alias.log": "status",
    "alias.blame": "status",
    "status.relativePaths": "false",
    "core.notesRef": "refs/notes/other",
    "notes.displayRef": "refs/notes/*",
}


def answers(shop: Workshop) -> list[Any]:
    """Return all that is read of a repository."""
    repository, head = head_of(shop)
    with shop.archive() as archive:
        blamed = blame_file(archive, shop.repo / "ä b.py", use_cache=False)
    return [
        blamed,
        repository.blame(head, "ä b.py"),
        repository.blame(head, "ä b.py", ignore_whitespace=True),
        repository.changes(head, ["ä b.py"]),
        repository.changes(head, ["a.py", "ä b.py"]),
        repository.log("HEAD"),
        repository.log("-E", "--grep=#(1)2\\b", head),
        repository.file_names(head, "ä b.py"),
        [repository.changed_paths(commit.hash) for commit in repository.log("HEAD")],
        repository.ancestors(head, ["ä b.py"]),
        repository.roots(),
        repository.tree_blobs(head),
        repository.worktrees(),
        repository.notes("refs/notes/ai", [head]),
        repository.known_hashes([head[:7], head]),
        repository.resolve_range("HEAD~2..HEAD"),
    ]


def by_repository(shop: Workshop, _monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in SETTINGS.items():
        shop.git("config", name, value)


def by_user(shop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    home = shop.root / "person"
    home.mkdir(parents=True)
    for name, value in SETTINGS.items():
        shop.git("config", "--file", str(home / ".gitconfig"), name, value)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)


def by_variables(shop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CONFIG_COUNT", str(len(SETTINGS)))
    for number, (name, value) in enumerate(SETTINGS.items()):
        monkeypatch.setenv(f"GIT_CONFIG_KEY_{number}", name)
        monkeypatch.setenv(f"GIT_CONFIG_VALUE_{number}", value)
    for name, value in {
        "GIT_DIR": "/nowhere",
        "GIT_WORK_TREE": "/nowhere",
        "GIT_INDEX_FILE": "/nowhere",
        "GIT_NAMESPACE": "odd",
        "GIT_LITERAL_PATHSPECS": "0",
        "GIT_GLOB_PATHSPECS": "1",
        "GIT_EXTERNAL_DIFF": "false",
        "GIT_DIFF_OPTS": "-u9",
        "GIT_PAGER": "false",
        "GIT_CEILING_DIRECTORIES": str(shop.repo.parent),
        "LANGUAGE": "de",
        "LESS": "x",
    }.items():
        monkeypatch.setenv(name, value)


@pytest.mark.parametrize("put", [by_repository, by_user, by_variables])
def test_settings_of_people_change_no_answer(
    shop: Workshop,
    monkeypatch: pytest.MonkeyPatch,
    put: Callable[[Workshop, pytest.MonkeyPatch], None],
) -> None:
    shop.hand(
        "ä b.py", lines("beta_one = 1", "beta_two = 2", "beta_three = 3", "", "beta_four = 4")
    )
    shop.commit("Add b (#12)")
    shop.edit("one", "ä b.py", "beta_two = 2\n", "beta_two = 2\nbeta_new = 22\n")
    ignored = shop.commit("Größe", "one")
    shop.git("checkout", "-q", "-b", "side")
    shop.edit("one", "ä b.py", "beta_four = 4\n", "beta_four = 4\n\tbeta_five = 5\n")
    shop.commit("Side", "one")
    shop.git("checkout", "-q", "main")
    shop.hand("a.py", lines("alpha_one = 1"))
    shop.commit("Main")
    shop.git("merge", "-q", "--no-edit", "side")
    shop.git("notes", "--ref=ai", "add", "-m", "a note", "HEAD")
    before = answers(shop)
    (shop.repo / ".ignored").write_text(f"{ignored}\n")
    (shop.repo / "order").write_text("*\n")
    (shop.repo / ".git" / "info" / "attributes").write_text("*.py diff=odd\n")

    put(shop, monkeypatch)

    for was, found in zip(before, answers(shop), strict=True):
        assert found == was


def test_a_repository_of_another_owner_gives_gits_own_words(shop: Workshop) -> None:
    if os.getuid() != 0:
        pytest.skip("only root can give a folder away")
    for folder in (shop.repo, shop.repo / ".git"):
        os.chown(folder, 12_345, 12_345)

    with pytest.raises(GitFailedError, match="dubious ownership"):
        find_repository(shop.repo)
