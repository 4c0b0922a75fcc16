"""`clew open` and `clew serve`, up to the moment when the server listens."""

import os
import signal
import socket
import subprocess
from pathlib import Path

import pytest

from clew.cli import main
from clew.store import Home
from clew.store.lock import writer_lock
from tests.build import SessionBuilder
from tests.surface.running import CLEW


def first_words(*words: str) -> str:
    """Give what is said when the server listens, and end it."""
    process = subprocess.Popen(  # noqa: S603 (our own module)
        [*CLEW, *words, "--port", "0"],
        stderr=subprocess.PIPE,
        env={**os.environ, "BROWSER": "true"},
        text=True,
    )
    with process:
        assert process.stderr is not None
        line = process.stderr.readline()
        process.send_signal(signal.SIGINT)
    return line


@pytest.mark.parametrize("name", ["latest", SessionBuilder().session_id[:8]])
def test_a_session_that_nobody_has_taken_in_yet_is_opened(machine: Path, name: str) -> None:
    SessionBuilder().user("Hi").assistant("ok").write(machine)

    assert f"/sessions/{SessionBuilder().session_id} (Ctrl-C" in first_words("open", name)


def test_a_session_is_opened_before_anything_is_archived(machine: Path, tmp_path: Path) -> None:
    SessionBuilder().user("Hi").assistant("ok").write(machine)
    home = Home(tmp_path / "home")
    home.folder.mkdir()

    # As long as somebody else holds the lock, nothing can be archived.
    with writer_lock(home.lock):
        said = first_words("open", "latest")

    assert f"/sessions/{SessionBuilder().session_id} (Ctrl-C" in said
    assert not home.database.exists()


def test_a_transcript_from_anywhere_is_opened_alone(machine: Path, tmp_path: Path) -> None:
    SessionBuilder().user("Hi").assistant("ok").write(machine)
    file = SessionBuilder("other").user("Hi").assistant("ok").write(tmp_path / "elsewhere")

    said = first_words("open", str(file))

    assert f"/sessions/{SessionBuilder('other').session_id} (Ctrl-C" in said
    assert not (tmp_path / "home").exists()


@pytest.mark.usefixtures("machine")
def test_a_folder_from_anywhere_is_opened_as_a_list(tmp_path: Path) -> None:
    SessionBuilder("other").user("Hi").assistant("ok").write(tmp_path / "elsewhere")

    assert "/ (Ctrl-C" in first_words("open", str(tmp_path / "elsewhere"))


@pytest.mark.usefixtures("machine")
def test_a_path_to_nothing_is_told(tmp_path: Path) -> None:
    gone = tmp_path / "gone.jsonl"

    assert first_words("open", str(gone)).startswith(f"clew: no such file or directory: {gone}")


@pytest.mark.usefixtures("machine")
def test_a_server_that_is_told_to_end_says_nothing_more() -> None:
    process = subprocess.Popen(  # noqa: S603 (our own module)
        [*CLEW, "--demo", "serve", "--port", "0"],
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    with process:
        assert process.stderr is not None
        first = process.stderr.readline()
        os.killpg(process.pid, signal.SIGTERM)
        rest = process.stderr.read()

    assert first.startswith("Serving on")
    assert rest == ""


@pytest.mark.usefixtures("machine")
def test_a_sample_is_opened() -> None:
    assert "/sessions/b6aa330c-" in first_words("--demo", "open", "b6aa330c")


@pytest.mark.usefixtures("machine")
def test_without_transcripts_there_is_nothing_to_open(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["open", "latest"]) == 3
    assert "no transcripts found in" in capsys.readouterr().err


@pytest.mark.usefixtures("machine")
def test_a_server_for_others_tells_a_name_that_they_can_use() -> None:
    said = first_words("--demo", "serve", "--host", "0.0.0.0", "--token", "t" * 16)  # noqa: S104

    assert said.startswith(f"Serving on http://{socket.gethostname()}:")


@pytest.mark.usefixtures("machine")
def test_an_address_that_this_machine_has_not_is_told() -> None:
    said = first_words("--demo", "serve", "--host", "192.0.2.1", "--token", "t" * 16)

    assert said.endswith("choose another --host\n")


@pytest.mark.usefixtures("machine")
@pytest.mark.parametrize("command", ["open", "serve"])
def test_a_root_that_is_not_there_is_not_served(command: str, tmp_path: Path) -> None:
    gone = tmp_path / "gone"

    said = first_words(command, "--root", str(gone))

    assert said == f"clew: no such file or directory: {gone}; check the path\n"


def test_terminals_are_for_this_machine_only() -> None:
    address = ("--host", "0.0.0.0", "--token", "t" * 16)  # noqa: S104
    said = first_words("--demo", "serve", "--terminal", *address)

    assert "--terminal works only where no other machine can connect" in said
