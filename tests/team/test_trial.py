"""`clew server --try`: one command starts everything, and stops all of it."""

import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import httpx
import pytest

from clew.cli import main
from clew.server.local_postgres import LocalPostgresError, cache_folder

pytestmark = pytest.mark.slow

LIMIT_SECONDS = 120
INTERRUPTED = 130
STARTING = "Starting PostgreSQL"
PUSHING = "Pushing sample sessions"


@pytest.fixture
def cache() -> Iterator[Path]:
    """Give a folder for caches that every user can enter: PostgreSQL does not run as root."""
    with tempfile.TemporaryDirectory(prefix="clew-", ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


class RunningTrial:
    """A server in a process of its own, and what it said when it was ready."""

    def __init__(self, process: "subprocess.Popen[str]", said: str) -> None:
        self.process = process
        self.said = said
        self.address = re.findall(r"Serving on (\S+)", said)[0]
        self.logins = dict(re.findall(r"^  (\S+)  (\S+)$", said, re.MULTILINE))


@contextmanager
def started(cache: Path, until: str, *words: str) -> Iterator[tuple["subprocess.Popen[str]", str]]:
    """Start a trial, and give its process and what it has said until it says something."""
    environment = {**os.environ, "XDG_CACHE_HOME": str(cache), "CLEW_HOME": str(cache / "home")}
    process = subprocess.Popen(  # noqa: S603 (our own module)
        [sys.executable, "-m", "clew", "server", "--try", "--port", "0", *words],
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        start_new_session=True,
    )
    said = ""
    try:
        assert process.stderr is not None
        for line in process.stderr:
            said += line
            if until in line:
                break
        yield process, said
    finally:
        process.kill()
        process.communicate()


@contextmanager
def trial(cache: Path, *words: str) -> Iterator[RunningTrial]:
    with started(cache, "Serving on", *words) as (process, said):
        yield RunningTrial(process, said)


def stop(running: RunningTrial, number: signal.Signals) -> None:
    running.process.send_signal(number)
    _, said = running.process.communicate(timeout=LIMIT_SECONDS)
    assert running.process.returncode == 0
    assert not said.strip()


@contextmanager
def browsers(running: RunningTrial) -> Iterator[dict[str, httpx.Client]]:
    """Log each member in."""
    with ExitStack() as stack:
        found = {}
        for name, password in running.logins.items():
            browser = httpx.Client(
                base_url=running.address, trust_env=False, headers={"origin": running.address}
            )
            stack.enter_context(browser)
            form = {"name": name, "password": password}
            assert browser.post("/login", data=form).status_code == 303
            found[name] = browser
        yield found


def seen_by(browser: httpx.Client) -> set[str]:
    """Return the projects of the sessions that a member sees."""
    found = browser.get("/api/sessions").json()["sessions"]
    return {session["project"].rpartition("/")[2] for session in found}


def managed(running: RunningTrial, *words: str) -> str:
    """Return what a command of administrators says, with the settings that the trial prints."""
    lines = re.findall(r"^  export (.+)$", running.said, re.MULTILINE)
    settings = dict(shlex.split(line)[0].split("=", 1) for line in lines)
    assert list(settings) == ["CLEW_ARCHIVE", "CLEW_BLOBS"]
    done = subprocess.run(  # noqa: S603 (our own module)
        [sys.executable, "-m", "clew", "admin", *words],
        capture_output=True,
        text=True,
        env={**os.environ, **settings},
        check=True,
    )
    return done.stdout


def test_a_trial_with_samples_starts_and_stops_everything_and_is_kept(cache: Path) -> None:
    with trial(cache, "--demo") as running:
        first = running.logins
        assert list(first) == ["admin", "mira", "jonas", "lena"]
        assert httpx.get(f"{running.address}/ready", trust_env=False).status_code == 200
        assert "runs already" in second_trial(cache)
        shared = {"almanac", "rainfall"}
        seen = {"admin": shared, "mira": shared | {"tessera", "ferry"}}
        seen |= {"jonas": seen["mira"], "lena": shared | {"ferry", "homelab"}}
        with browsers(running) as members:
            assert {name: seen_by(browser) for name, browser in members.items()} == seen
        stop(running, signal.SIGINT)
    pid = cache / "clew" / "trial" / "postgres" / "data" / "postmaster.pid"
    assert not pid.exists()

    with trial(cache) as running:
        assert running.logins == first
        with browsers(running) as members:
            assert seen_by(members["lena"]) == seen["lena"]
        assert " sessions parsed, " in managed(running, "status")
        running.process.kill()
        running.process.wait()
    assert pid.exists()
    with trial(cache) as running:
        assert httpx.get(f"{running.address}/ready", trust_env=False).status_code == 200
        stop(running, signal.SIGTERM)
    assert not pid.exists()
    assert not (cache / "home").exists()


@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
@pytest.mark.parametrize("until", [STARTING, PUSHING])
def test_ctrl_c_ends_all_that_a_trial_has_begun(cache: Path, until: str) -> None:
    with started(cache, until, "--demo") as (process, _):
        # As a terminal does: every process of the group gets it.
        os.killpg(process.pid, signal.SIGINT)
        _, said = process.communicate(timeout=LIMIT_SECONDS)

    assert process.returncode in (0, INTERRUPTED)
    assert said.strip() in ("", "clew: interrupted")
    assert not processes_of(cache)
    assert not (cache / "clew" / "trial" / "postgres" / "data" / "postmaster.pid").exists()


def processes_of(cache: Path) -> list[str]:
    """Return the commands of all processes that were started for a trial."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        # Processes end meanwhile.
        with suppress(OSError):
            if os.fsencode(cache) in (folder / "environ").read_bytes():
                found.append((folder / "cmdline").read_text())
    return found


def second_trial(cache: Path) -> str:
    """Start another trial, and return why it does not start."""
    environment = {**os.environ, "XDG_CACHE_HOME": str(cache), "CLEW_HOME": str(cache / "home")}
    done = subprocess.run(
        [sys.executable, "-m", "clew", "server", "--try", "--port", "0"],
        stderr=subprocess.PIPE,
        text=True,
        check=False,
        env=environment,
        timeout=LIMIT_SECONDS,
    )
    assert done.returncode == 1
    return done.stderr


def test_a_trial_is_never_inside_the_archive(cache: Path) -> None:
    environment = {"XDG_CACHE_HOME": str(cache / "home" / "cache"), "CLEW_HOME": str(cache)}

    with pytest.raises(LocalPostgresError, match="inside the archive"):
        cache_folder(environment, cache)


def test_samples_are_for_a_trial(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["server", "--demo"]) == 2
    assert "--demo needs --try" in capsys.readouterr().err
    assert main(["--demo", "server", "--try"]) == 2
    assert "write --demo at the end" in capsys.readouterr().err
