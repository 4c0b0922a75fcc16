"""Keyrings that `PYTHON_KEYRING_BACKEND` names: one that works, and others that do not."""

# ruff: noqa: ARG002 (a backend's methods have these parameters)

import json
import os
import time
from pathlib import Path

from keyring.backend import KeyringBackend


class WorkingKeyring(KeyringBackend):
    """Keeps passwords in the file that the environment names."""

    priority = 5.0

    @property
    def _path(self) -> Path:
        return Path(os.environ["TEST_KEYRING"])

    def _read(self) -> dict[str, str]:
        return dict(json.loads(self._path.read_text())) if self._path.exists() else {}

    def get_password(  # type: ignore[explicit-override]
        self, service: str, username: str
    ) -> str | None:
        return self._read().get(f"{service} {username}")

    def set_password(  # type: ignore[explicit-override]
        self, service: str, username: str, password: str
    ) -> None:
        self._path.write_text(json.dumps({**self._read(), f"{service} {username}": password}))

    def delete_password(  # type: ignore[explicit-override]
        self, service: str, username: str
    ) -> None:
        found = self._read()
        del found[f"{service} {username}"]
        self._path.write_text(json.dumps(found))


class BrokenKeyring(WorkingKeyring):
    """Fails whatever it does."""

    def set_password(  # type: ignore[explicit-override]
        self, service: str, username: str, password: str
    ) -> None:
        raise RuntimeError("no D-Bus")

    def get_password(  # type: ignore[explicit-override]
        self, service: str, username: str
    ) -> str | None:
        raise RuntimeError("no D-Bus")


class ForgetfulKeyring(WorkingKeyring):
    """Accepts everything and has nothing."""

    def get_password(  # type: ignore[explicit-override]
        self, service: str, username: str
    ) -> str | None:
        return None


class AskingKeyring(WorkingKeyring):
    """Asks for a password on the terminal, and waits for it."""

    def set_password(  # type: ignore[explicit-override]
        self, service: str, username: str, password: str
    ) -> None:
        with Path("/dev/tty").open() as terminal:
            terminal.readline()


class SilentKeyring(WorkingKeyring):
    """Waits for a window that nobody sees."""

    def set_password(  # type: ignore[explicit-override]
        self, service: str, username: str, password: str
    ) -> None:
        time.sleep(600)
