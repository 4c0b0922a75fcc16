"""`clew changes` and `clew file`: what a session changed, and files as they were."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from clew.cli.app import main
from tests.build import Call, SessionBuilder, bash, edit, read, write

CWD = "/home/dev/code/demo"
FILE = f"{CWD}/src/a.py"


@pytest.fixture
def session(machine: Path) -> str:
    """A session that wrote a file, edited it in a second turn, and then ran tests."""
    builder = SessionBuilder("changing").at("2026-11-10T09:00:00Z")
    builder.user("Write it.").tools(write(FILE, "one\ntwo\n")).assistant("Written.")
    builder.user("Change it.").tools(edit(FILE, "one\ntwo\n", "two", "\x1b[31mTWO"))
    builder.tools(write("/elsewhere/b.py", "b\n")).assistant("Done.")
    builder.write(machine)
    return builder.session_id


def ran(capfd: pytest.CaptureFixture[str], *words: str, code: int = 0) -> tuple[str, str]:
    assert main(list(words)) == code
    found = capfd.readouterr()
    return found.out, found.err


def as_json(capfd: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(ran(capfd, *words, "--json")[0])
    return found


def test_the_diff_names_turns_and_calls(session: str, capfd: pytest.CaptureFixture[str]) -> None:
    out, _ = ran(capfd, "changes", session[:12])

    assert "src/a.py  +2 -0" in out
    assert "Write in turn 1" in out
    assert "Edit in turn 2" in out
    assert "+one\n" in out
    assert "\x1b" not in out
    assert "2 files, +3 -0" in out


def test_the_numbers_of_lines(session: str, capfd: pytest.CaptureFixture[str]) -> None:
    out, _ = ran(capfd, "changes", session, "--stat", "--turn", "2")

    assert [line.split() for line in out.splitlines()][1:] == [
        ["M", "+1", "-1", "src/a.py"],
        ["2", "files,", "+2", "-1"],
    ]
    back, _ = ran(capfd, "changes", session, "--stat", "--reverse")
    assert back.splitlines()[1].split() == ["D", "+0", "-2", "src/a.py"]


def test_the_json_of_changes(session: str, capfd: pytest.CaptureFixture[str]) -> None:
    found = as_json(capfd, "changes", session)

    assert found["schema"] == "clew.changes/1"
    assert (found["session_id"], found["added"]) == (session, 3)
    file = found["files"][1]
    assert (file["name"], file["action"], file["state"]) == ("src/a.py", "create", "exact")
    assert [call["turn"] for call in file["hunks"][0]["calls"]] == [1, 2]


def test_a_patch_applies_and_is_taken_back(
    session: str, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    work = tmp_path / "work"
    work.mkdir()
    subprocess.run(["git", "init", "-q"], cwd=work, check=True)  # noqa: S607

    _, err = ran(capfd, "changes", session, "-o", str(work / "fix.patch"))
    ran(capfd, "changes", session, "--reverse", "-o", str(work / "undo.patch"))

    assert "left out: /elsewhere/b.py: outside of" in err
    subprocess.run(["git", "apply", "fix.patch"], cwd=work, check=True)  # noqa: S607
    assert (work / "src/a.py").read_text() == "one\n\x1b[31mTWO\n"
    subprocess.run(["git", "apply", "undo.patch"], cwd=work, check=True)  # noqa: S607
    assert not (work / "src/a.py").exists()


def test_a_patch_says_that_a_text_before_it_is_not_sure(
    machine: Path, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    words = {"old_string": "one", "new_string": "two"}
    changed = Call("Edit", {"file_path": FILE, **words}, "The file has been updated.")
    builder = SessionBuilder("unsure").user("Go.").tools(read(FILE, "one\n"), bash("make"))
    builder.tools(changed, read(FILE, "two\n")).assistant("Done.").write(machine)
    patch = str(tmp_path / "fix.patch")

    _, err = ran(capfd, "changes", builder.session_id, "-o", patch)

    assert "stale: src/a.py: before the first change: may have changed since the command" in err


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["--turn", "9"], 3, "no turn 9"),
        (["--json", "--stat"], 2, "--json cannot be combined"),
    ],
)
def test_what_cannot_be_shown(
    session: str, capfd: pytest.CaptureFixture[str], words: list[str], code: int, says: str
) -> None:
    assert says in ran(capfd, "changes", session, *words, code=code)[1]


def test_a_session_without_changes(machine: Path, capfd: pytest.CaptureFixture[str]) -> None:
    SessionBuilder().user("Hi.").tools(bash("ls")).assistant("Hello.").write(machine)

    assert "No file was changed in the session." in ran(capfd, "changes")[0]


def test_a_file_as_a_message_found_it(session: str, capfd: pytest.CaptureFixture[str]) -> None:
    changes = as_json(capfd, "changes", session)["files"][1]
    edited = changes["calls"][1]["message_id"]

    found = as_json(capfd, "file", "src/a.py", "--at", edited, "--session", session)
    archived = as_json(capfd, "file", "src/a.py", "--at", edited)

    assert found["schema"] == "clew.file/1"
    assert (found["path"], found["state"], found["text"]) == (FILE, "exact", "one\ntwo\n")
    assert found["stale_since"] is None
    assert archived == found


@pytest.mark.usefixtures("session")
def test_a_file_at_a_time(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    target = tmp_path / "then.py"
    out, err = ran(capfd, "file", FILE, "--at", "2026-11-12", "-o", str(target))

    assert out == ""
    assert err.startswith("stale: may have changed since the session ended")
    assert target.read_text() == "one\n\x1b[31mTWO\n"
    early = ran(capfd, "file", FILE, "--at", "2026-11-01", code=3)[1]
    assert "nothing shows the text" in early


def test_what_changed_since(session: str, capfd: pytest.CaptureFixture[str]) -> None:
    changes = as_json(capfd, "changes", session)["files"][1]
    out, _ = ran(capfd, "file", FILE, "--at", changes["calls"][1]["message_id"], "--diff")

    assert out.splitlines() == [
        "diff --git a/src/a.py b/src/a.py",
        "--- a/src/a.py",
        "+++ b/src/a.py",
        "@@ -1,2 +1,2 @@",
        " one",
        "-two",
        "+\x1b[31mTWO",
    ]


def test_what_changed_since_by_a_later_session_whose_last_edit_is_not_known(
    machine: Path, session: str, capfd: pytest.CaptureFixture[str]
) -> None:
    bare = {"filePath": FILE, "oldString": "x", "newString": "y", "originalFile": None}
    call = Call("Edit", {"file_path": FILE, "old_string": "x", "new_string": "y"}, "ok", bare)
    later = SessionBuilder("later").at("2026-11-11T09:00:00Z").user("Again.")
    later.tools(read(FILE, "one\nTHREE\n")).tools(bash("make")).tools(call).write(machine)
    changes = as_json(capfd, "changes", session)["files"][1]

    out, _ = ran(capfd, "file", FILE, "--at", changes["calls"][1]["message_id"], "--diff")

    assert out.splitlines()[-3:] == [" one", "-two", "+THREE"]


@pytest.mark.usefixtures("session")
def test_the_versions_of_a_file(capfd: pytest.CaptureFixture[str]) -> None:
    out, _ = ran(capfd, "file", FILE)
    found = as_json(capfd, "file", FILE)

    assert "2 versions" in out
    assert found["schema"] == "clew.file_versions/1"
    assert [(v["action"], v["written_lines"]) for v in found["versions"]] == [
        ("create", [[1, 2]]),
        ("edit", [[2, 2]]),
    ]


def test_one_file_is_taken_back(session: str, capfd: pytest.CaptureFixture[str]) -> None:
    out, _ = ran(capfd, "file", "src/a.py", "--reverse", session)

    assert out.startswith("diff --git a/src/a.py b/src/a.py\ndeleted file mode 100644\n")


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["none.py"], 3, "no session read or changed 'none.py'"),
        ([FILE, "--at", "whenever"], 3, "no message 'whenever'"),
        ([FILE, "--diff"], 2, "--diff requires --at"),
        ([FILE, "--reverse", "x", "--json"], 2, "--reverse cannot be combined"),
    ],
)
@pytest.mark.usefixtures("session")
def test_what_cannot_be_found(
    capfd: pytest.CaptureFixture[str], words: list[str], code: int, says: str
) -> None:
    assert says in ran(capfd, "file", *words, code=code)[1]
