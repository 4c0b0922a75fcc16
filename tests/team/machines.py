"""Machines of a team as processes of their own: a server, workers, and laptops with their homes."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import httpx
import msgspec

from clew.server.accounts import create_member, create_organisation, list_organisations
from clew.server.devices import register_device
from clew.store.postgres.team import open_team
from clew.store.postgres_location import PostgresLocation

CLEW: Final = (sys.executable, "-m", "clew")
# Far longer than anything takes, however busy the machine is.
PATIENCE: Final = 120.0
_HOST: Final = "127.0.0.1"
_PROJECT: Final = Path(__file__).parents[2]
_OWN_SETTINGS: Final = ("CLEW_", "CLAUDE_", "XDG_")


class Machine(msgspec.Struct, frozen=True):
    """A machine of a member, with a home of its own, on which commands run."""

    folder: Path
    address: str
    token: str

    @property
    def claude(self) -> Path:
        """Where Claude Code keeps its files."""
        return self.folder / ".claude"

    @property
    def home(self) -> Path:
        """Where clew keeps its archive."""
        return self.folder / "clew"

    @property
    def environ(self) -> dict[str, str]:
        """The environment of processes on this machine."""
        return {
            **plain_environ(),
            "HOME": str(self.folder),
            "CLEW_HOME": str(self.home),
            "CLAUDE_CONFIG_DIR": str(self.claude),
            "PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring",
        }

    def log_in(self) -> None:
        """Use the token of this device."""
        self.claude.mkdir(parents=True, exist_ok=True)
        self.clew("login", self.address, "--token", "-", stdin=self.token)

    def start(
        self, *words: str, before: Callable[[], None] | None = None
    ) -> "subprocess.Popen[bytes]":
        """Start a command, in a process in which something else is called before."""
        return subprocess.Popen(  # noqa: S603 (our own module)
            [*CLEW, *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=self.environ,
            cwd=self.folder,
            preexec_fn=before,  # noqa: PLW1509 (it only sets a limit)
        )

    def clew(self, *words: str, stdin: str = "") -> str:
        """Run a command that has to succeed; return what it prints."""
        process = self.start(*words)
        out, err = process.communicate(stdin.encode(), PATIENCE)
        assert process.returncode == 0, (words, out.decode(), err.decode())
        return out.decode()

    def run_client(self, cwd: str, *steps: Sequence[str]) -> list[dict[str, Any]]:
        """Run a scripted client with the hooks of this machine; return how its hooks ended."""
        words = [str(self.claude), cwd, msgspec.json.encode(steps).decode()]
        done = subprocess.run(  # noqa: S603 (our own module)
            [sys.executable, "-m", "tests.team.scripted_client", *words],
            stdout=subprocess.PIPE,
            check=False,
            env=self.environ,
            cwd=_PROJECT,
        )
        assert done.returncode in (0, -signal.SIGKILL)
        return [msgspec.json.decode(line) for line in done.stdout.splitlines()]

    def hook_log(self) -> str:
        """Return what hooks have done in the background."""
        path = self.home / "hooks" / "log"
        return path.read_text() if path.exists() else ""

    def transcripts(self) -> dict[str, bytes]:
        """Return the transcripts of Claude Code by their paths."""
        return read_transcripts(self.claude)

    def client(self) -> httpx.Client:
        """Return what asks the server for pages and data as this device."""
        headers = {"authorization": f"Bearer {self.token}"}
        address = self.address
        return httpx.Client(base_url=address, trust_env=False, timeout=PATIENCE, headers=headers)


class TeamPrograms:
    """A server and its workers, which may be killed and started again."""

    def __init__(
        self,
        location: PostgresLocation,
        worker: Sequence[str] = (*CLEW, "worker"),
        logs: Path | None = None,
    ) -> None:
        self.location = location
        self._logs = logs
        self.port = _free_port()
        self.address = f"http://{_HOST}:{self.port}"
        own = {"CLEW_ARCHIVE": location.database_url, "CLEW_BLOBS": location.blobs}
        self._environ = {**plain_environ(), **own}
        self._worker = worker
        self.running: dict[str, subprocess.Popen[bytes]] = {}

    def start_server(self) -> None:
        """Start the server, and wait until it answers."""
        self._start("server", [*CLEW, "server", "--port", str(self.port)])
        until = time.monotonic() + PATIENCE
        while not self._is_ready():
            assert time.monotonic() < until, "the server does not answer"
            if self.running["server"].poll() is not None:
                self._start("server", [*CLEW, "server", "--port", str(self.port)])
            time.sleep(0.1)

    def start_worker(self, name: str = "worker") -> None:
        """Start a worker."""
        self._start(name, self._worker)

    def kill(self, name: str) -> None:
        """End a process as a power cut does."""
        process = self.running.pop(name)
        process.kill()
        process.wait()

    def stop(self) -> dict[str, int]:
        """Let all processes end as they are used to; return their exit codes."""
        for process in self.running.values():
            process.terminate()
        codes = {name: process.wait(PATIENCE) for name, process in self.running.items()}
        self.running.clear()
        return codes

    def join(self, name: str, organisation: str = "acme") -> tuple[int, str]:
        """Let somebody join, with a device; return their number and the device's token."""
        with open_team(self.location) as team:
            known = {one.name: one for one in list_organisations(team)}
            own = known.get(organisation) or create_organisation(team, organisation)
            member = create_member(team, own.id, name).id
            return member, register_device(team, own.id, member, "laptop").token

    def another_device(self, member: int, organisation: str = "acme") -> str:
        """Return the token of another device of a member."""
        with open_team(self.location) as team:
            known = {one.name: one.id for one in list_organisations(team)}
            return register_device(team, known[organisation], member, "desktop").token

    def _start(self, name: str, command: Sequence[str]) -> None:
        place = Path(os.devnull) if self._logs is None else self._logs / f"{name}.log"
        with place.open("ab") as log:
            self.running[name] = subprocess.Popen(  # noqa: S603 (our own module)
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=self._environ,
                cwd=_PROJECT,
            )

    def _is_ready(self) -> bool:
        try:
            return httpx.get(f"{self.address}/ready", trust_env=False, timeout=10).is_success
        except httpx.HTTPError:
            return False


def read_transcripts(folder: Path) -> dict[str, bytes]:
    """Return the transcripts below a folder by their paths."""
    found = sorted(folder.rglob("*.jsonl"))
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


def plain_environ() -> dict[str, str]:
    """Return the environment without the settings of whoever runs this."""
    return {name: value for name, value in os.environ.items() if not name.startswith(_OWN_SETTINGS)}


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind((_HOST, 0))
        return int(listener.getsockname()[1])
