"""What a session changed, the calls behind each hunk, and patches that git takes."""

import subprocess
from pathlib import Path

import pytest

from clew.replay import (
    Certainty,
    SessionChanges,
    describe_cause,
    find_changes,
    make_patch,
    replay_session,
    trace_lines,
    written_lines,
)
from tests.build import Call, SessionBuilder, bash, edit, read, write
from tests.unit.replay.replayed import (
    FILE,
    conversation_of,
    hunk,
    replay_of,
    shell,
    update,
    versions_of,
)

CWD = "/home/dev/code/demo"


def changes_of(builder: SessionBuilder, folder: Path, turn: int | None = None) -> SessionChanges:
    conversation = conversation_of(builder, folder)
    return find_changes(conversation, replay_session(conversation), turn)


def test_each_hunk_names_the_calls_that_made_it(tmp_path: Path) -> None:
    text = "".join(f"{n}\n" for n in range(40))
    second = text.replace("5\n", "five\n", 1)
    builder = SessionBuilder().user("First.").tools(edit(FILE, text, "5\n", "five\n"))
    builder.user("Second.").tools(edit(FILE, second, "30\n", "thirty\n"))

    (file,) = changes_of(builder, tmp_path).files

    assert (file.added, file.removed, file.state) == (2, 2, Certainty.EXACT)
    assert [[call.turn for call in hunk.calls] for hunk in file.hunks] == [[1], [2]]
    assert all(call.prompt_id for hunk in file.hunks for call in hunk.calls)


def test_one_turn_is_compared_with_what_it_found(tmp_path: Path) -> None:
    builder = SessionBuilder().user("First.").tools(write(FILE, "a\n"))
    builder.user("Second.").tools(edit(FILE, "a\n", "a", "b"))

    (file,) = changes_of(builder, tmp_path, 2).files

    assert file.hunks[0].lines == ("-a", "+b")
    assert file.action == "edit"


def test_lines_that_no_call_wrote_are_marked(tmp_path: Path) -> None:
    builder = SessionBuilder().user("Go.").tools(write(FILE, "a\nb\n")).tools(bash("make"))
    builder.tools(edit(FILE, "a\nX\nb\n", "b", "c"))

    (file,) = changes_of(builder, tmp_path).files

    assert file.hunks[0].lines == ("+a", "+X", "+c")
    assert file.hunks[0].has_outside
    assert [call.tool for call in file.hunks[0].calls] == ["Write", "Edit"]


def test_what_cannot_be_known_is_named_with_the_reason(tmp_path: Path) -> None:
    bare = {"filePath": FILE, "oldString": "a", "newString": "z", "originalFile": None}
    call = Call("Edit", {"file_path": FILE, "old_string": "a", "new_string": "z"}, "ok", bare)
    changes = changes_of(SessionBuilder().user("Go.").tools(call), tmp_path)

    (file,) = changes.files
    assert (file.state, file.has_diff) == (Certainty.UNKNOWN, False)
    assert file.reason == "the text before the first change is unknown"
    assert file.hunks[0].lines == ("-a", "+z")
    patch = make_patch(changes.files, CWD)
    assert patch.text == ""
    assert [(left.path, reason) for left, reason in patch.left_out] == [(FILE, file.reason)]


def test_what_may_have_changed_a_file_later_is_named(tmp_path: Path) -> None:
    builder = SessionBuilder().user("Go.").tools(write(FILE, "a\n")).tools(bash("npm test"))

    (file,) = changes_of(builder, tmp_path).files

    assert (file.state, file.reason) == (Certainty.EXACT, "")
    assert file.later is not None
    assert describe_cause(file.later) == "may have changed since the command: npm test"


def test_a_hook_after_the_last_edit_makes_the_change_stale(tmp_path: Path) -> None:
    builder = SessionBuilder().user("Go.").tools(write(FILE, "a\n"))
    call_id = conversation_of(builder, tmp_path).tool_calls[0].id
    hook = {"hookName": "PostToolUse:Write", "toolUseID": call_id, "hookEvent": "PostToolUse"}
    builder.attachment("hook_success", content="", stdout="", command="ruff format", **hook)

    (file,) = changes_of(builder.tools(bash("make")), tmp_path).files

    assert file.state is Certainty.STALE
    assert "a hook ran after the edit" in file.reason


def test_reads_change_nothing(tmp_path: Path) -> None:
    assert not changes_of(SessionBuilder().user("Go.").tools(read(FILE, "a")), tmp_path).files


def test_lines_belong_to_the_call_that_wrote_them_last(tmp_path: Path) -> None:
    builder = SessionBuilder().user("Go.").tools(update(FILE, "a\nb\nc\n", "a\nB\nc\n"))
    builder.tools(edit(FILE, "a\nB\nc\n", "c\n", "C\nd\n"))
    versions = versions_of(replay_of(builder, tmp_path))

    trace = trace_lines(versions)

    assert [version and version.tool for version in trace.writers] == [
        None,
        "Write",
        "Edit",
        "Edit",
    ]
    assert [version and version.tool for version in trace.removers] == [None, "Write", "Edit"]
    assert written_lines(versions[1]) == [(2, 4)]


def git(folder: Path, *words: str, text: str | None = None) -> str:
    done = subprocess.run(  # noqa: S603
        ["git", *words],  # noqa: S607
        cwd=folder,
        input=None if text is None else text.encode(),
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


FILES = {
    "a.py": ("one\ntwo\nthree\n", "one\nTWO\nthree\nfour\n"),
    "no end.txt": ("first\nlast", "first\nLAST"),
    "end.txt": ("x", "x\n"),
    "sub/new.py": (None, "new\n"),
    "empty.py": (None, ""),
    "emptied": ("a\nb\n", ""),
    "filled": ("", "now\n"),
    "tabs\tand é.py": ("\tif x:\n\t\ty\n", "\tif x:\n\t\tz\n"),
    'quo"te.txt': ("a\n", "b\n"),
    "back\\slash.txt": ("a\n", "b\n"),
    "~tilde.txt": ("a\n", "b\n"),
    "many.txt": ("\n".join(map(str, range(300))), "\n".join(map(str, range(7, 290)))),
    "returns.txt": ("a\rb\nc\n", "a\rb\nd\n"),
}


def test_git_applies_the_patch_and_takes_it_back(tmp_path: Path) -> None:
    builder = SessionBuilder().user("Go.")
    for name, (before, after) in FILES.items():
        path = f"{CWD}/{name}"
        if before == "":
            builder.tools(read(path, ""))
        builder.tools(write(path, after) if not before else update(path, before, after))
    gone = {"filePath": f"{CWD}/gone", "hunks": [hunk(1, 1, "-x", "-y")], "deleted": True}
    builder.tools(shell("rm gone", gone))
    files = changes_of(builder, tmp_path / "claude").files
    work = tmp_path / "work"
    (work / "sub").mkdir(parents=True)
    git(work, "init", "-q")
    found = {name: old for name, (old, _) in FILES.items() if old is not None}
    found["gone"] = "x\ny\n"
    put(work, found)

    there = make_patch(files, CWD)
    back = make_patch(files, CWD, reverse=True)

    assert not there.left_out
    git(work, "apply", "--whitespace=nowarn", text=there.text)
    assert contents(work) == {name: new for name, (_, new) in FILES.items()}
    git(work, "apply", "--whitespace=nowarn", text=back.text)
    assert contents(work) == found


def put(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).write_bytes(text.encode())


def contents(folder: Path) -> dict[str, str]:
    found = (path for path in folder.rglob("*") if path.is_file() and ".git" not in path.parts)
    return {path.relative_to(folder).as_posix(): path.read_bytes().decode() for path in found}


@pytest.mark.parametrize("name", [".git/info/exclude", "sub/.git/hooks/pre-commit", "../a.py"])
def test_what_git_refuses_does_not_spoil_the_rest_of_a_patch(tmp_path: Path, name: str) -> None:
    builder = SessionBuilder().user("Go.").tools(write(f"{CWD}/{name}", "a\n"))
    changes = changes_of(builder.tools(write(FILE, "b\n")), tmp_path)
    git(tmp_path, "init", "-q")

    patch = make_patch(changes.files, CWD)

    git(tmp_path, "apply", text=patch.text)
    assert (tmp_path / "a.py").read_text() == "b\n"
    assert [left.path for left, _ in patch.left_out] == [f"{CWD}/{name}"]


@pytest.mark.parametrize("path", ["/elsewhere/a.py", "C:\\x\\a.py"])
def test_files_outside_of_the_folder_are_left_out(tmp_path: Path, path: str) -> None:
    changes = changes_of(SessionBuilder().user("Go.").tools(write(path, "a")), tmp_path)

    patch = make_patch(changes.files, CWD)

    assert patch.text == ""
    assert patch.left_out[0][1] == f"outside of {CWD}"
