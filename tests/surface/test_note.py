"""`clew note`: on the terminal, as JSON, and as a file."""

import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from clew.cli.app import app
from tests.build import SessionBuilder

ONE = SessionBuilder("one").session_id
TWO = SessionBuilder("two").session_id


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "claude"
    SessionBuilder("one").user("Fix the retry bug").assistant("Done.").write(root)
    SessionBuilder("two").user("Write the docs").assistant("Done.").write(root)
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(root))
    monkeypatch.setenv("CLEW_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def run(*words: str, code: int = 0, given: str | bytes | None = None) -> Result:
    done = CliRunner().invoke(app, words, input=given, catch_exceptions=False)
    assert done.exit_code == code, done.output
    return done


def fails(*words: str) -> tuple[type[BaseException] | None, str]:
    done = CliRunner().invoke(app, words)
    return (None if done.exception is None else type(done.exception)), str(done.exception)


def test_a_note_is_made_shown_and_listed() -> None:
    assert "No notes yet" in run("note").stderr

    made = run(
        "note", ONE[:13], "--star", "--tag", "bug", "--tag", "#later", "--title", "Retries",
        "--text", "Breaks.\nOn 503.\x1b[31m",
    ).stdout  # fmt: skip

    assert made.splitlines() == [
        "* Retries",
        f"  {ONE}",
        "  tags: bug, later",
        "  Breaks.",
        "  On 503.",
    ]
    assert run("note", ONE).stdout == made
    assert run("note").stdout == made
    listed = run("list", "--no-sync").stdout
    assert "* Retries" in listed
    assert "bug, later" in listed
    shown = run("show", ONE, "--no-sync").stdout
    assert "#bug · #later" in shown.replace("* starred · ", "")
    assert "On 503." in shown


def test_notes_are_json_for_programs() -> None:
    found = json.loads(run("note", ONE, TWO, "--hide", "--json").stdout)

    assert found["schema"] == "clew.notes/1"
    assert [(note["session_id"], note["is_hidden"]) for note in found["notes"]] == [
        (ONE, True),
        (TWO, True),
    ]
    told = run("list", "--no-sync")
    assert "No sessions match" in told.stderr
    assert "Hidden by you: 2 sessions (`--hidden` to list)" in told.stderr
    assert len(json.loads(run("list", "--hidden", "--no-sync", "--json").stdout)["sessions"]) == 2
    assert json.loads(run("list", "--no-sync", "--json").stdout)["hidden"] == 2
    run("note", ONE, "--show")
    assert len(json.loads(run("list", "--no-sync", "--json").stdout)["sessions"]) == 1


def test_bookmarks_have_comments_and_go() -> None:
    whole = json.loads(run("show", ONE, "--json").stdout)
    message = whole["messages"][1]["id"]
    run("note", ONE, "--bookmark", message[:20], "--comment", "the cause")

    assert f"bookmark {message}  the cause" in run("note", ONE).stdout
    assert json.loads(run("show", ONE, "--json").stdout)["note"]["bookmarks"][0]["message_id"] == (
        message
    )
    run("note", ONE, "--remove-bookmark", message)
    assert "no note" in run("note", ONE).stdout


def test_a_note_is_cleared() -> None:
    run("note", ONE, "--star", "--tag", "bug")

    assert "no note" in run("note", ONE, "--clear").stdout
    assert "No notes yet" in run("note").stderr


def test_a_note_is_written_in_an_editor(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = "import sys; p = sys.argv[1]; t = open(p).read(); open(p, 'w').write(t + 'more')"
    script = home.parent / "edit.py"
    script.write_text(code)
    monkeypatch.setenv("EDITOR", f"{sys.executable} {script}")
    run("note", ONE, "--text", "First.")

    run("note", ONE, "--edit")

    assert json.loads(run("note", ONE, "--json").stdout)["notes"][0]["text"] == "First.\nmore"


def test_a_file_gives_all_notes_back(home: Path, tmp_path: Path) -> None:
    run("note", ONE, "--star", "--title", "Retries")
    file = tmp_path / "notes.jsonl"

    assert "1 note written" in run("note", "export", "-o", str(file)).stderr
    assert run("note", "export").stdout == file.read_text()
    assert run("note", "export", ONE).stdout == file.read_text()
    run("note", ONE, "--clear")
    assert "0 notes imported; 1 note not newer" in run("note", "import", str(file)).stderr
    for path in (*home.glob("archive.db*"), *home.glob("notes/*")):
        path.unlink()
    run("sync")
    assert json.loads(run("note", "import", "-", "--json", given=file.read_bytes()).stdout) == {
        "schema": "clew.notes_import/1",
        "imported": 1,
    }
    assert "* Retries" in run("note").stdout


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("note", "--star"), "name the sessions"),
        (("note", ONE, "--comment", "why"), "belongs to a bookmark"),
        (("note", ONE, "--text", "a", "--edit"), "cannot be combined"),
        (("note", ONE, TWO, "--edit"), "works with one session"),
        (("note", ONE, "-o", "x"), "`clew note export` only"),
        (("note", "export", "--star"), "changes no note"),
        (("note", "import"), "name one file"),
        (("note", ONE, "--title", "x" * 201), "use 200 at most"),
        (("note", ONE, "--tag", "a,b"), "which no tag may"),
        (("note", "nothing", "--star"), "no session id starts with"),
        (("note", ONE, "--bookmark", "nothing"), "no message whose id starts with"),
        (("note", "import", "missing.jsonl"), "no such file"),
    ],
)
def test_mistakes_are_explained(words: tuple[str, ...], reason: str) -> None:
    error, told = fails(*words)

    assert error is not None
    assert reason in told


@pytest.mark.parametrize(
    ("form", "written"),
    [
        ("html", "See &lt;b&gt;the log"),
        ("markdown", r"> See \<b>the log"),
        ("json", '"text":"See <b>the log"'),
    ],
)
def test_exports_have_the_note(tmp_path: Path, form: str, written: str) -> None:
    message = json.loads(run("show", ONE, "--json").stdout)["messages"][1]["id"]
    run("note", ONE, "--star", "--tag", "bug", "--title", "<Retries>", "--text", "See <b>the log")
    run("note", ONE, "--bookmark", message, "--comment", "the cause")

    run("export", form, ONE, "-o", str(tmp_path / "out"))

    texts = [
        path.read_text(errors="replace") for path in (tmp_path / "out").rglob("*") if path.is_file()
    ]
    # Lists of sessions have the note, too, but not its bookmarks.
    [text] = [text for text in texts if written in text and "the cause" in text]
    assert "bug" in text
    assert "Retries" in text
