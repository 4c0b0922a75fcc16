"""Awkward histories: no line is ever attributed to a session that did not write it."""

from pathlib import Path

import pytest

from clew.insight import FileBlame, blame_file
from tests.build import edit
from tests.build.calls import Call
from tests.insight.workshop import Workshop, lines

ONE = ("exact", "one")
EXTERNAL = ("external", None)
NONE = ("none", None)


@pytest.fixture
def shop(tmp_path: Path) -> Workshop:
    return Workshop(tmp_path)


def blame(shop: Workshop, file: str, folder: Path | None = None) -> FileBlame:
    with shop.archive() as archive:
        return blame_file(archive, (folder or shop.repo) / file)


def who(
    shop: Workshop, file: str = "a.py", folder: Path | None = None
) -> list[tuple[str, str | None]]:
    names = {shop.id_of(name): name for name in shop.sessions}
    found = blame(shop, file, folder)
    return [(line.evidence, names.get(line.session_id or "")) for line in found.lines]


def put(shop: Workshop, file: str, content: bytes, subject: str) -> None:
    """Let a person write the bytes of a file, and commit them."""
    shop.tick()
    shop.path(file).write_bytes(content)
    shop.commit(subject)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_line_that_was_cut_and_typed_again_is_the_persons(shop: Workshop, end: str) -> None:
    kept, cut = f"keep_this_line = 1{end}", f"gone_and_back = 2{end}"
    shop.write("one", "a.py", kept + cut)
    shop.commit("Add", "one")
    put(shop, "a.py", kept.encode(), "Cut")

    put(shop, "a.py", (kept + cut).encode(), "Type again")

    assert who(shop) == [ONE, EXTERNAL]


def test_a_line_that_was_formatted_cut_and_typed_again_is_the_persons(shop: Workshop) -> None:
    shop.write("one", "a.py", "keep_this_line = 1\nif x:\n\tgone_and_back = 2\n")
    shop.format("a.py")
    shop.commit("Add, formatted")
    before = who(shop)
    shop.hand("a.py", "keep_this_line = 1\nif x:\n")
    shop.commit("Cut")

    shop.hand("a.py", "keep_this_line = 1\nif x:\n    gone_and_back = 2\n")
    shop.commit("Type again")

    assert before == [ONE, ONE, ("whitespace", "one")]
    assert who(shop)[2] == EXTERNAL


def test_a_value_that_a_person_changes_and_changes_back_is_the_persons(shop: Workshop) -> None:
    for number in (1, 2, 1):
        text = lines("first_line = 0", f"the_value = {number}")
        if number == 1 and not shop.path("a.py").exists():
            shop.write("one", "a.py", text)
        else:
            shop.hand("a.py", text)
        shop.commit(f"The value is {number}")

    assert who(shop) == [ONE, EXTERNAL]


@pytest.mark.parametrize(
    "content",
    [
        b"\xef\xbb\xbfkeep_this_line = 1\nsecond_line = 2\n",
        b"keep_this_line = 1\nsecond_line = 2",
        b"keep_this_line = 1\r\nsecond_line = 2\r\n",
    ],
)
def test_marks_and_ends_of_files_give_no_line_to_others(shop: Workshop, content: bytes) -> None:
    shop.write("one", "a.py", lines("keep_this_line = 1", "second_line = 2"))
    shop.commit("Add", "one")
    put(shop, "a.py", content, "Another kind of file")
    put(shop, "a.py", content + b"\nthird_line = 3\n", "More")

    found = who(shop)

    assert {name for _, name in found[:2]} <= {"one", None}
    assert {name for _, name in found[2:]} == {None}


def test_an_empty_file_has_no_lines(shop: Workshop) -> None:
    shop.write("one", "a.py", "")
    shop.commit("Empty", "one")

    assert who(shop) == []


@pytest.mark.parametrize("is_again_by_session", [False, True])
def test_a_file_that_is_made_again_is_by_whoever_made_it_last(
    shop: Workshop, *, is_again_by_session: bool
) -> None:
    text = lines("whole_file_one = 1", "whole_file_two = 2", "}")
    shop.write("one", "a.py", text)
    shop.commit("Add", "one")
    shop.path("a.py").unlink()
    shop.commit("Remove")
    if is_again_by_session:
        shop.write("two", "a.py", text)
    else:
        shop.hand("a.py", text)
    shop.commit("Make it again")

    assert who(shop) == [("exact", "two") if is_again_by_session else EXTERNAL] * 3


def test_a_copy_by_hand_is_the_persons(shop: Workshop) -> None:
    shop.write("one", "a.py", lines("copied_line = 1", "other_line = 2"))
    shop.commit("Add", "one")
    shop.hand("b.py", lines("copied_line = 1", "other_line = 2"))
    shop.commit("Copy")

    assert who(shop, "b.py") == [EXTERNAL] * 2


@pytest.mark.parametrize(
    "command",
    [
        "cp a.py b.py",
        "cat a.py > b.py",
        "cat a.py | tee b.py",
        "git show HEAD:a.py > b.py",
        "head -n 5 a.py >> b.py",
        "sed -n '1,5p' a.py > b.py",
        "git mv a.py b.py",
        "cd . && sort a.py | uniq > b.py",
        "curl -s https://example.org/a.py > b.py",
        "wget -qO- https://example.org/a.py | cat > b.py",
        "gh api repos/x/y/contents/a.py --jq .content | base64 -d > b.py",
        "(cat a.py; cat a.py) > b.py",
        "dd if=a.py of=b.py",
        "tail -n +1 < a.py > b.py",
    ],
)
def test_what_a_session_only_copies_is_not_its_own(shop: Workshop, command: str) -> None:
    text = lines("typed_by_hand = 1", "typed_as_well = 2")
    shop.hand("a.py", text)
    shop.commit("By hand")
    shop.shell("one", command, "b.py", text)
    shop.commit("Copied", "one")

    assert who(shop, "b.py") == [EXTERNAL] * 2


@pytest.mark.parametrize(
    "command",
    [
        "cat > b.py <<'EOF'\nnew_line_one = 1\nEOF",
        "cat a.py && echo 'new_line_one = 1' > b.py",
        "printf 'new_line_one = 1\\n' | tee b.py",
        "echo 'new_line_one = 1' >> b.py; head b.py",
        "python make.py > b.py",
    ],
)
def test_what_a_command_of_a_session_makes_is_its_own(shop: Workshop, command: str) -> None:
    shop.hand("a.py", lines("typed_by_hand = 1"))
    shop.commit("By hand")
    shop.shell("one", command, "b.py", lines("new_line_one = 1"))
    shop.commit("Made", "one")

    assert who(shop, "b.py") == [ONE]


def test_the_same_text_is_by_the_session_whose_work_was_committed(
    shop: Workshop, tmp_path: Path
) -> None:
    shop.hand("a.py", lines("first_old_line = 1", "last_old_line = 9"))
    shop.commit("Begin")
    tree = tmp_path / "tree"
    shop.git("worktree", "add", "-q", "-b", "side", str(tree))
    new = lines("first_old_line = 1", "the_same_idea = 5", "last_old_line = 9")
    shop.write("two", "a.py", new, tree)
    shop.write("one", "a.py", new + "only_of_one = 7\n")
    shop.git("add", "-A", folder=tree)
    shop.git("commit", "-q", "-m", "By two", folder=tree)
    shop.git("checkout", "-q", "--", "a.py")
    shop.git("merge", "-q", "--ff-only", "side")

    assert who(shop) == [EXTERNAL, ("exact", "two"), EXTERNAL]


def test_where_nothing_tells_two_sessions_apart_neither_is_named(
    shop: Workshop, tmp_path: Path
) -> None:
    shop.hand("a.py", lines("first_old_line = 1", "last_old_line = 9"))
    shop.commit("Begin")
    tree = tmp_path / "tree"
    shop.git("worktree", "add", "-q", "-b", "side", str(tree))
    new = lines("first_old_line = 1", "the_same_idea = 5", "last_old_line = 9")
    shop.write("two", "a.py", new, tree)
    shop.write("one", "a.py", new)
    shop.hand("a.py", new + "typed_by_hand = 7\n")
    shop.commit("Whose is it?")

    found = who(shop)

    assert found == [EXTERNAL] * 4


def test_two_sessions_that_write_the_same_one_after_the_other(shop: Workshop) -> None:
    shop.hand("a.py", lines("first_old_line = 1"))
    shop.commit("Begin")
    shop.write("one", "a.py", lines("first_old_line = 1", "said_by_both = 2"))
    shop.commit("One", "one")
    shop.hand("a.py", lines("first_old_line = 1"))
    shop.commit("Cut")
    shop.write("two", "a.py", lines("first_old_line = 1", "said_by_both = 2"))
    shop.commit("Two", "two")

    assert who(shop) == [EXTERNAL, ("exact", "two")]


def test_lines_common_to_everything_are_not_claimed_alone(shop: Workshop) -> None:
    shop.hand("a.py", lines("def old():", "    return None", "}", ""))
    shop.commit("Begin")
    shop.edit("one", "a.py", "def old():\n", "def old():\n    by_session = 3\n")
    text = shop.path("a.py").read_text()
    shop.hand("a.py", text + lines("def more():", "    return None", "}", "", "else:", "    pass"))
    shop.commit("Both")

    found = who(shop)

    assert found[1] == ONE
    assert [each for at, each in enumerate(found) if at != 1] == [EXTERNAL] * (len(found) - 1)


def test_cherry_picked_amended_and_rebased_commits_keep_authors(shop: Workshop) -> None:
    shop.hand("a.py", lines("first_old_line = 1", "", "", "", "last_old_line = 9"))
    shop.commit("Begin")
    shop.git("checkout", "-q", "-b", "side")
    shop.edit("one", "a.py", "first_old_line = 1\n", "first_old_line = 1\nby_session = 2\n")
    picked = shop.commit("Add", "one")
    shop.git("checkout", "-q", "main")
    shop.hand("a.py", shop.path("a.py").read_text() + "typed_at_end = 10\n")
    shop.commit("At the end")
    shop.git("cherry-pick", picked)
    shop.git("commit", "-q", "--amend", "-m", "Another name")
    was = who(shop)
    shop.edit("one", "a.py", "by_session = 2\n", "by_session = 3\n")
    shop.hand("a.py", shop.path("a.py").read_text().replace("= 3", "= 4"))
    shop.commit("Amended by hand")

    assert was[1] == ONE
    assert [name for _, name in was].count("one") == 1
    assert who(shop)[1] == EXTERNAL


def test_a_merge_of_both_sides_keeps_each_author(shop: Workshop) -> None:
    shop.hand("a.py", lines("first_old_line = 1", "middle = 5", "last_old_line = 9"))
    shop.commit("Begin")
    shop.git("checkout", "-q", "-b", "side")
    shop.edit("one", "a.py", "first_old_line = 1\n", "first_old_line = 1\nby_one = 2\n")
    shop.commit("One", "one")
    shop.git("checkout", "-q", "main")
    shop.edit("two", "a.py", "last_old_line = 9\n", "by_two = 8\nlast_old_line = 9\n")
    shop.commit("Two", "two")
    shop.git("merge", "-q", "--no-edit", "side")

    two = ("exact", "two")
    assert who(shop) == [EXTERNAL, ONE, EXTERNAL, two, EXTERNAL]


def test_a_rename_with_an_edit_by_hand_keeps_both(shop: Workshop) -> None:
    body = [f"line_number_{number} = {number}" for number in range(12)]
    shop.write("one", "a.py", lines(*body))
    shop.commit("Add", "one")
    shop.git("mv", "a.py", "b.py")
    shop.hand("b.py", lines(*body[:6], "typed_by_hand = 1", *body[6:]))
    shop.commit("Rename and type")

    found = who(shop, "b.py")

    assert found[6] == EXTERNAL
    assert {each for at, each in enumerate(found) if at != 6} == {ONE}


def test_a_file_of_the_old_name_is_another_file(shop: Workshop) -> None:
    body = [f"line_number_{number} = {number}" for number in range(12)]
    shop.write("one", "a.py", lines(*body))
    shop.commit("Add", "one")
    shop.git("mv", "a.py", "b.py")
    shop.commit("Rename")
    shop.hand("a.py", lines(*body))
    shop.commit("Typed again under the old name")

    assert {name for _, name in who(shop)} == {None}


def test_a_commit_before_the_edit_in_time_is_not_by_it(shop: Workshop) -> None:
    shop.hand("a.py", lines("first_old_line = 1", "in_the_past = 2"))
    shop.commit("Early")
    shop.hand("a.py", lines("first_old_line = 1"))
    shop.edit("one", "a.py", "first_old_line = 1\n", "first_old_line = 1\nin_the_past = 2\n")

    assert who(shop) == [EXTERNAL, EXTERNAL]


def test_what_a_person_typed_into_a_proposed_edit_is_the_persons(shop: Workshop) -> None:
    shop.hand("a.py", lines("first_old_line = 1"))
    shop.commit("Begin")
    before = shop.path("a.py").read_text()
    typed = before + lines("proposed_line = 2", "typed_by_hand = 4")
    call = edit(str(shop.path("a.py")), before, before, typed)
    proposed = before + lines("proposed_line = 2", "proposed_too = 3")
    arguments = {**call.input, "new_string": proposed}
    result = {**call.tool_use_result, "userModified": True}
    shop.call("one", Call("Edit", arguments, call.result, result))
    shop.hand("a.py", typed)
    shop.commit("Both")

    assert who(shop) == [EXTERNAL, ONE, EXTERNAL]


def test_what_was_refused_or_failed_is_not_written(shop: Workshop) -> None:
    shop.hand("a.py", lines("first_old_line = 1"))
    shop.commit("Begin")
    before = shop.path("a.py").read_text()
    text = before + "the_idea = 2\n"
    made = edit(str(shop.path("a.py")), before, before, text)
    denied = "The user doesn't want to proceed with this tool use."
    shop.call("one", Call("Edit", made.input, denied, denied=True))
    failed = "<tool_use_error>File has not been read yet.</tool_use_error>"
    shop.call("one", Call("Edit", made.input, failed, error=True))
    shop.edit("one", "a.py", "first_old_line = 1\n", "first_new_line = 1\n")
    shop.hand("a.py", lines("first_new_line = 1", "the_idea = 2"))
    shop.commit("By hand")

    assert who(shop) == [ONE, EXTERNAL]


def test_what_a_session_took_back_with_git_is_the_persons_who_types_it(shop: Workshop) -> None:
    shop.hand("a.py", lines("first_old_line = 1"))
    shop.commit("Begin")
    shop.edit("one", "a.py", "first_old_line = 1\n", "first_old_line = 1\na_try = 20\n")
    shop.shell("one", "git checkout -- a.py", "a.py", lines("first_old_line = 1"))
    shop.hand("a.py", lines("first_old_line = 1", "a_try = 20"))
    shop.commit("By hand")

    assert who(shop) == [EXTERNAL, EXTERNAL]


def test_what_a_session_saw_gone_is_the_persons_who_types_it(shop: Workshop) -> None:
    shop.hand("a.py", lines("first_old_line = 1"))
    shop.commit("Begin")
    shop.edit("one", "a.py", "first_old_line = 1\n", "first_old_line = 1\na_try = 20\n")
    shop.hand("a.py", lines("first_old_line = 1"))
    shop.read("one", "a.py")
    shop.edit("one", "a.py", "first_old_line = 1\n", "first_new_line = 1\n")
    shop.hand("a.py", lines("first_new_line = 1", "a_try = 20"))
    shop.commit("By hand")

    assert who(shop) == [ONE, EXTERNAL]


def test_a_moved_repository_keeps_authors_and_takes_none(shop: Workshop, tmp_path: Path) -> None:
    shop.hand("a.py", lines("typed_first = 1"))
    shop.commit("Begin")
    shop.edit("one", "a.py", "typed_first = 1\n", "typed_first = 1\nby_session = 2\n")
    shop.commit("Add", "one")
    moved = tmp_path / "elsewhere" / "repo"
    moved.parent.mkdir()
    shop.repo.rename(moved)
    shop.repo = moved
    shop.hand("a.py", lines("typed_first = 1", "by_session = 2", "typed_last = 3"))
    shop.commit("After the move")

    assert who(shop) == [EXTERNAL, ONE, EXTERNAL]


def test_a_message_that_only_says_revert_brings_nothing_back(shop: Workshop) -> None:
    shop.hand("a.py", lines("first_old_line = 1"))
    other = shop.commit("Begin")
    shop.edit("one", "a.py", "first_old_line = 1\n", "first_old_line = 1\ngone_and_back = 2\n")
    shop.commit("Add", "one")
    shop.hand("a.py", lines("first_old_line = 1"))
    shop.commit("Cut")
    shop.hand("a.py", lines("first_old_line = 1", "gone_and_back = 2"))
    shop.commit(f"This reverts commit {other}.")

    assert who(shop) == [EXTERNAL, EXTERNAL]


def test_a_shallow_clone_names_nobody_for_what_it_cannot_see(
    shop: Workshop, tmp_path: Path
) -> None:
    shop.write("one", "a.py", lines("first_by_one = 1", "gone_and_back = 2"))
    shop.commit("Add", "one")
    shop.hand("a.py", lines("first_by_one = 1"))
    shop.commit("Cut")
    shop.hand("a.py", lines("first_by_one = 1", "gone_and_back = 2"))
    shop.commit("Type again")
    shop.hand("c.py", lines("nothing = 1"))
    shop.commit("Later")
    shallow = tmp_path / "shallow"
    shop.git("clone", "-q", "--depth", "1", f"file://{shop.repo}", str(shallow))

    found = who(shop, folder=shallow)

    assert found[1][1] is None


def test_a_submodule_is_not_blamed_on_the_outer_repository(shop: Workshop, tmp_path: Path) -> None:
    other = Workshop(tmp_path / "other", "part")
    other.hand("a.py", lines("typed_in_part = 1"))
    other.commit("Part")
    shop.write("one", "a.py", lines("typed_in_part = 1"))
    shop.commit("Outer", "one")
    allowed = ("-c", "protocol.file.allow=always")
    shop.git(*allowed, "submodule", "add", "-q", str(other.repo), "part")
    shop.commit("Add the part")

    assert who(shop, "part/a.py") == [NONE]
    assert who(shop) == [ONE]
