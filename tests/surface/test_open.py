"""`clew open` and `clew serve`, up to the moment when the server listens."""

import os
import signal
import subprocess
from pathlib import Path

import pytest

from clew.cli import main
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


@pytest.mark.usefixtures("machine")
def test_a_sample_is_opened() -> None:
    assert "/sessions/b6aa330c-" in first_words("--demo", "open", "b6aa330c")


@pytest.mark.usefixtures("machine")
def test_without_transcripts_there_is_nothing_to_open(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["open", "latest"]) == 3
    assert "no transcripts in" in capsys.readouterr().err


@pytest.mark.usefixtures("machine")
@pytest.mark.parametrize("command", ["open", "serve"])
def test_a_root_that_is_not_there_is_not_served(command: str, tmp_path: Path) -> None:
    gone = tmp_path / "gone"

    said = first_words(command, "--root", str(gone))

    assert said == f"clew: there is no file or folder at {gone}; check the path\n"
