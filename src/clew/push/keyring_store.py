"""Tokens in the system's keyring, used in a process of its own.

A keyring may be missing, broken, locked, or ask for a password on the terminal or in a window. The
process has no terminal and is ended when it takes too long, so that no command hangs or fails by
it; whoever asks learns only that the keyring does not work.
"""

import json
import os
import subprocess
import sys
from typing import Final

SERVICE: Final = "clew"
_SECONDS: Final = 20.0
# Its own package is found wherever this one is.
_COMMAND: Final = ("-P", "-m", "clew.push.keyring_store")
_LEAST_PRIORITY: Final = 1


def read_keyring(server: str) -> str | None:
    """Return the token of a server; None if there is none, or no keyring that works."""
    found = _ask("read", server, "")
    return found or None


def write_keyring(server: str, token: str) -> bool:
    """Store a token; return whether it can be read again."""
    return _ask("write", server, token) == token


def delete_keyring(server: str) -> None:
    """Delete a token, if there is one."""
    _ask("delete", server, "")


def _ask(action: str, server: str, token: str) -> str:
    """Let another process do it: secrets go through pipes, which nobody else reads."""
    question = json.dumps([action, server, token]).encode()
    try:
        done = subprocess.run(  # noqa: S603 (our own module)
            [sys.executable, *_COMMAND],
            input=question,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=_SECONDS,
            check=False,
            start_new_session=os.name != "nt",
        )
        answer = json.loads(done.stdout) if done.returncode == 0 else ""
    except (OSError, subprocess.TimeoutExpired, ValueError):
        return ""
    return answer if isinstance(answer, str) else ""


def _answer(action: str, server: str, token: str) -> str:
    import keyring  # noqa: PLC0415 (slow to import, and may not be installed)

    if keyring.get_keyring().priority < _LEAST_PRIORITY:
        # A file without encryption is no better than ours.
        return ""
    if action == "write":
        keyring.set_password(SERVICE, server, token)
    elif action == "delete":
        keyring.delete_password(SERVICE, server)
        return ""
    return keyring.get_password(SERVICE, server) or ""


if __name__ == "__main__":
    print(json.dumps(_answer(*json.loads(sys.stdin.buffer.read()))))  # noqa: T201 (its answer)
