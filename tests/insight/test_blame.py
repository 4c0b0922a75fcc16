"""Blame on repositories that are made here: no line goes to a session that did not write it."""

import shutil
from pathlib import Path

import pytest

from clew.insight import FileBlame, blame_file, choose_lines
from tests.insight.workshop import HAND, Workshop, lines


@pytest.fixture
def shop(tmp_path: Path) -> Workshop:
    return Workshop(tmp_path)


def blame(shop: Workshop, file: str, revision: str | None = None) -> FileBlame:
    with shop.archive() as archive:
        return blame_file(archive, shop.repo / file, revision)


def who(shop: Workshop, found: FileBlame) -> list[tuple[str, str | None]]:
    names = {shop.id_of(name): name for name in shop.sessions}
    return [(line.evidence, names.get(line.session_id or "")) for line in found.lines]


def test_lines_of_a_session_have_its_prompt_model_and_commit(shop: Workshop) -> None:
    shop.write("one", "a.py", lines("alpha_one = 1", "alpha_two = 2"))
    commit = shop.commit("Add a", "one")

    found = blame(shop, "a.py")

    line = found.lines[1]
    assert (line.line, line.text, line.evidence) == (2, "alpha_two = 2", "exact")
    assert line.session_id == shop.id_of("one")
    assert line.prompt == "Work on one, please"
    assert (line.turn, line.commit) == (1, commit)
    assert line.model == shop.sessions["one"].draft.model
    assert line.message_id is not None
    assert line.cost_usd is None or line.cost_usd > 0
    assert found.sessions[shop.id_of("one")]


def test_lines_by_hand_and_older_than_any_session_are_external(shop: Workshop) -> None:
    shop.hand("a.py", lines("older_line = 0", "second_old = 0"))
    shop.commit("Begin")
    shop.edit("one", "a.py", "second_old = 0\n", "second_old = 0\nby_session = 1\n")
    shop.hand("a.py", shop.path("a.py").read_text() + "typed_by_hand = 2\n")
    shop.commit("Both", "one")

    found = blame(shop, "a.py")

    external = ("external", None)
    assert who(shop, found) == [external, external, ("exact", "one"), external]


def test_a_file_that_no_session_changed_has_no_evidence(shop: Workshop) -> None:
    shop.hand("b.py", lines("quite_alone = 1"))
    shop.write("one", "a.py", lines("alpha_one = 1"))
    shop.read("one", "b.py")
    shop.commit("Both", "one")

    found = blame(shop, "b.py")

    assert who(shop, found) == [("none", None)]
    assert "No session" in found.notes[0]


def test_a_formatter_leaves_whitespace_as_evidence(shop: Workshop) -> None:
    shop.write("one", "a.py", lines("def function_one():", "\treturn 'tabbed one'   "))
    shop.format("a.py")
    shop.commit("Formatted", "one")

    assert who(shop, blame(shop, "a.py")) == [("exact", "one"), ("whitespace", "one")]


def test_a_rename_keeps_authors(shop: Workshop) -> None:
    shop.write("one", "old.py", lines(*(f"value_{n} = {n}{n}" for n in range(6))))
    shop.commit("Add", "one")
    shop.git("mv", "old.py", "new.py")
    shop.commit("Rename")
    shop.edit("two", "new.py", "value_2 = 22\n", "value_two = 'by two'\n")
    shop.commit("Edit", "two")

    found = who(shop, blame(shop, "new.py"))

    assert [name for _, name in found] == ["one", "one", "two", "one", "one", "one"]


def test_a_squash_merge_keeps_authors(shop: Workshop) -> None:
    shop.hand("a.py", lines("begin_here = 1"))
    shop.commit("Begin")
    shop.git("checkout", "-q", "-b", "feature")
    shop.edit("one", "a.py", "begin_here = 1\n", "begin_here = 1\nfeature_one = 1\n")
    shop.commit("Part one", "one")
    shop.edit("two", "a.py", "feature_one = 1\n", "feature_one = 1\nfeature_two = 2\n")
    shop.commit("Part two", "two")
    shop.git("checkout", "-q", "main")
    shop.git("merge", "-q", "--squash", "feature")
    shop.commit("All of it")

    found = who(shop, blame(shop, "a.py"))

    assert found == [("external", None), ("exact", "one"), ("exact", "two")]


def test_work_in_a_worktree_counts(shop: Workshop, tmp_path: Path) -> None:
    shop.hand("a.py", lines("begin_here = 1"))
    shop.commit("Begin")
    tree = tmp_path / "elsewhere"
    shop.git("worktree", "add", "-q", "-b", "side", str(tree))
    shop.edit("one", "a.py", "begin_here = 1\n", "begin_here = 1\nin_the_tree = 2\n", tree)
    shop.git("commit", "-qam", "Side", folder=tree)
    shop.git("merge", "-q", "--no-ff", "-m", "Merge side", "side")

    assert who(shop, blame(shop, "a.py"))[1] == ("exact", "one")


def test_lines_of_a_bot_are_never_claimed(shop: Workshop) -> None:
    shop.write("one", "deps.txt", lines("library-one==1.0.0", "library-two==1.0.0"))
    shop.commit("Add", "one")
    shop.hand("deps.txt", lines("library-one==1.0.1", "library-two==1.0.0"))
    shop.commit("Bump library-one", author="bot[bot]")

    assert who(shop, blame(shop, "deps.txt")) == [("external", None), ("exact", "one")]


def test_a_text_that_a_person_wrote_again_is_the_persons(shop: Workshop) -> None:
    shop.write("one", "a.py", lines("keep_this_line = 1", "gone_and_back = 2"))
    shop.commit("Add", "one")
    shop.hand("a.py", lines("keep_this_line = 1"))
    shop.commit("Remove")
    shop.hand("a.py", lines("keep_this_line = 1", "gone_and_back = 2"))
    shop.commit("Typed once more")

    assert who(shop, blame(shop, "a.py")) == [("exact", "one"), ("external", None)]


def test_what_a_session_took_back_is_not_its_own_when_a_person_types_it(shop: Workshop) -> None:
    shop.hand("a.py", lines("first_old_line = 1"))
    shop.commit("Begin")
    shop.edit("one", "a.py", "first_old_line = 1\n", lines("first_old_line = 1", "a_try = 2"))
    shop.edit("one", "a.py", "a_try = 2\n", "")
    shop.hand("a.py", lines("first_old_line = 1", "a_try = 2"))
    shop.commit("By hand")

    found = blame(shop, "a.py")

    assert who(shop, found) == [("external", None)] * 2


def test_what_a_session_took_back_and_wrote_again_is_its_own(shop: Workshop) -> None:
    shop.hand("a.py", lines("first_old_line = 1"))
    shop.commit("Begin")
    for old, new in (("", "a_try = 2\n"), ("a_try = 2\n", ""), ("", "a_try = 2\n")):
        shop.edit("one", "a.py", f"first_old_line = 1\n{old}", f"first_old_line = 1\n{new}")
    shop.commit("By the session")

    found = blame(shop, "a.py")

    assert who(shop, found) == [("external", None), ("exact", "one")]


@pytest.mark.parametrize(
    ("setting", "attributes"),
    [
        (("color.diff", "always"), ""),
        (("i18n.logOutputEncoding", "UTF-16"), ""),
        (("diff.odd.binary", "true"), "*.py diff=odd\n"),
        (("diff.noprefix", "true"), "*.py -diff\n"),
        (("diff.interHunkContext", "20"), "*.py binary\n"),
    ],
)
def test_settings_of_a_repository_give_no_line_to_a_session(
    shop: Workshop, setting: tuple[str, str], attributes: str
) -> None:
    shop.hand(".gitattributes", attributes)
    cut = lines("first_old_line = 1", "second_old_line = 2")
    whole = lines("first_old_line = 1", "by_session = 42", "second_old_line = 2")
    shop.hand("a.py", cut)
    shop.commit("Begin")
    shop.write("one", "a.py", whole)
    shop.commit("Add a line")
    shop.hand("a.py", cut)
    shop.commit("Cut it")
    shop.hand("a.py", whole)
    shop.commit("Type it again")
    shop.git("config", *setting)

    found = blame(shop, "a.py")

    assert who(shop, found) == [("external", None)] * 3


def test_a_line_that_a_merge_introduced_is_not_introduced_again(shop: Workshop) -> None:
    shop.hand("a.py", lines("first_old_line = 1", "value = 1", "last_old_line = 3"))
    shop.commit("Begin")
    for branch, value in (("side", 2), ("main", 3)):
        shop.git("checkout", "-q", *(["-b"] if branch == "side" else []), branch)
        shop.hand("a.py", lines("first_old_line = 1", f"value = {value}", "last_old_line = 3"))
        shop.commit(f"On {branch}")
    shop.git("merge", "-q", "--no-commit", "-X", "ours", "side")
    solved = lines("first_old_line = 1", "value_of_both = 5", "last_old_line = 3")
    shop.write("one", "a.py", solved)
    merge = shop.commit("Merge")
    at_merge = blame(shop, "a.py")
    shop.hand("a.py", lines("first_old_line = 1", "last_old_line = 3"))
    shop.commit("Cut it")
    shop.hand("a.py", solved)
    shop.commit("Type it again")

    found = blame(shop, "a.py")

    assert (at_merge.lines[1].evidence, at_merge.lines[1].commit) == ("exact", merge)
    assert who(shop, found) == [("external", None)] * 3


def test_a_revert_gives_a_line_back_to_its_author(shop: Workshop) -> None:
    shop.write("one", "a.py", lines("keep_this_line = 1", "gone_and_back = 2"))
    shop.commit("Add", "one")
    shop.hand("a.py", lines("keep_this_line = 1"))
    shop.commit("Remove")
    shop.git("revert", "--no-edit", "HEAD")

    assert who(shop, blame(shop, "a.py")) == [("exact", "one"), ("exact", "one")]


def test_a_write_after_a_commit_is_not_its_source(shop: Workshop) -> None:
    shop.hand("a.py", lines("the_same_line = 1"))
    shop.commit("By hand")
    shop.write("one", "a.py", lines("the_same_line = 1"))

    assert who(shop, blame(shop, "a.py")) == [("external", None)]


def test_the_same_text_in_another_file_is_not_evidence(shop: Workshop) -> None:
    shop.write("one", "a.py", lines("copied_line = 1", "other_line = 2"))
    shop.write("one", "b.py", lines("something_else = 1"))
    shop.commit("Add", "one")
    shop.hand("b.py", lines("something_else = 1", "copied_line = 1"))
    shop.commit("Copy by hand")

    assert who(shop, blame(shop, "b.py")) == [("exact", "one"), ("external", None)]


def test_what_a_session_only_fetches_is_not_its_own(shop: Workshop) -> None:
    shop.hand("a.py", lines("base_of_file = 1"))
    shop.commit("Begin")
    pulled = lines("base_of_file = 1", "from_a_colleague = 2")
    shop.shell("one", "git stash pop", "a.py", pulled)
    shop.commit("Applied", "one")

    assert who(shop, blame(shop, "a.py"))[1] == ("external", None)


def test_what_a_command_wrote_is_exact_and_told(shop: Workshop) -> None:
    shop.hand("a.py", lines("base_of_file = 1"))
    shop.commit("Begin")
    shop.read("one", "a.py")
    text = lines("base_of_file = 1", "from_a_heredoc = 2")
    shop.shell("one", "echo 'from_a_heredoc = 2' >> a.py", "a.py", text)
    shop.commit("Appended", "one")

    found = blame(shop, "a.py")

    assert who(shop, found)[1] == ("exact", "one")
    assert [line.is_told for line in found.lines] == [False, True]


def test_changes_on_the_disk_have_no_commit(shop: Workshop) -> None:
    shop.write("one", "a.py", lines("committed_line = 1"))
    shop.commit("Add", "one")
    shop.edit("two", "a.py", "committed_line = 1\n", "committed_line = 1\nnot_yet_there = 2\n")

    found = blame(shop, "a.py")
    committed = blame(shop, "a.py", "HEAD")

    assert who(shop, found) == [("exact", "one"), ("exact", "two")]
    assert found.lines[1].commit is None
    assert "uncommitted" in found.notes[0]
    assert len(committed.lines) == 1


def test_a_new_file_is_blamed_before_its_first_commit(shop: Workshop) -> None:
    shop.hand("a.py", lines("something = 1"))
    shop.commit("Begin")
    shop.write("one", "b.py", lines("brand_new_line = 1"))

    assert who(shop, blame(shop, "b.py")) == [("exact", "one")]


def test_a_second_blame_answers_from_the_cache(shop: Workshop) -> None:
    shop.write("one", "a.py", lines("alpha_one = 1", "alpha_two = 2"))
    commit = shop.commit("Add", "one")
    with shop.archive() as archive:
        first = blame_file(archive, shop.repo / "a.py")
        kept = archive.line_authors([commit])
        again = blame_file(archive, shop.repo / "a.py")

    assert kept[commit, "a.py"].json.count("exact") == 2
    assert again == first


def test_a_session_that_goes_on_is_not_answered_from_the_cache(shop: Workshop) -> None:
    shop.hand("a.py", lines("alpha_one = 1"))
    shop.commit("Begin")
    shop.edit("one", "a.py", "alpha_one = 1\n", "alpha_one = 1\nalpha_two = 2\n")
    before = who(shop, blame(shop, "a.py"))
    shop.commit("Add", "one")
    shop.edit("one", "a.py", "alpha_two = 2\n", "alpha_two = 2\nalpha_three = 3\n")
    shop.commit("More", "one")

    assert before == [("external", None), ("exact", "one")]
    assert who(shop, blame(shop, "a.py")) == [*before, ("exact", "one")]


def test_a_moved_repository_is_recognised_by_what_was_in_it(shop: Workshop, tmp_path: Path) -> None:
    shop.write("one", "a.py", lines("alpha_one = 1", "alpha_two = 2"))
    shop.commit("Add", "one")
    shop.edit("one", "a.py", "alpha_one = 1\n", "alpha_one = 'edited'\n")
    shop.commit("Edit", "one")
    moved = tmp_path / "moved"
    shop.git("clone", "-q", str(shop.repo), str(moved))
    with shop.archive() as archive:
        found = blame_file(archive, moved / "a.py")

    assert who(shop, found) == [("exact", "one"), ("exact", "one")]


def test_another_repository_with_the_same_file_is_not_claimed(
    shop: Workshop, tmp_path: Path
) -> None:
    shop.write("one", "LICENSE", lines("Permission is hereby granted", "to anybody at all"))
    shop.commit("Licence", "one")
    other = Workshop(tmp_path / "other", "elsewhere")
    other.now = shop.now
    other.hand("LICENSE", shop.path("LICENSE").read_text())
    other.commit("Licence")
    with shop.archive() as archive:
        found = blame_file(archive, other.repo / "LICENSE")

    assert {line.evidence for line in found.lines} == {"none"}


@pytest.mark.parametrize("is_here", [True, False])
def test_a_repository_of_the_same_template_is_not_claimed(
    shop: Workshop, tmp_path: Path, *, is_here: bool
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    shop.git("init", "-q", folder=other)
    package = lines('"name": "app"', '"typescript": "^5.3.0"', '"react": "^18.0.0"')
    for folder in (shop.repo, other):
        shop.hand("package.json", package, folder)
        shop.hand("README.md", lines("The readme of the template", "Tell what it is for"), folder)
        shop.git("add", "-A", folder=folder)
        shop.git("commit", "-qm", "Begin", folder=folder)
    shop.edit("one", "package.json", "5.3.0", "5.4.0", other)
    shop.edit("one", "README.md", "Tell what it is for", "For something else", other)
    shop.hand("package.json", package.replace("5.3.0", "5.4.0"))
    shop.commit("Bump", author="bot[bot]")
    if not is_here:
        shutil.rmtree(other)

    found = blame(shop, "package.json")

    assert {line.session_id for line in found.lines} == {None}


def test_a_clone_beside_the_repository_is_a_copy_of_it(shop: Workshop, tmp_path: Path) -> None:
    shop.hand("a.py", lines("first_old_line = 1"))
    shop.commit("Begin")
    clone = tmp_path / "clone"
    shop.git("clone", "-q", str(shop.repo), str(clone))
    for number in (1, 2):
        text = clone.joinpath("a.py").read_text() + f"by_session_{number} = 2\n"
        shop.write("one", "a.py", text, clone)
        shop.git("commit", "-qam", f"Add {number}", folder=clone)
    shop.git("pull", "-q", str(clone), "main")

    found = blame(shop, "a.py")

    assert who(shop, found) == [("external", None), ("exact", "one"), ("exact", "one")]


def test_some_lines_can_be_chosen(shop: Workshop) -> None:
    shop.write("one", "a.py", lines("alpha_one = 1", "alpha_two = 2", "alpha_three = 3"))
    shop.commit("Add", "one")

    found = choose_lines(blame(shop, "a.py"), 2, 3)

    assert [line.line for line in found.lines] == [2, 3]
    assert HAND not in found.sessions
