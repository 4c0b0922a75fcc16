"""`clew hook EVENT`: what Claude Code runs when a session starts, stops, compacts or ends.

It reads what the client says on stdin, starts a process in the background that syncs and pushes,
and returns. The client waits for it and reads its output, so it imports next to nothing, prints
nothing, and succeeds whatever happens.
"""

import os
import select
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

_BACKGROUND: Final = "--background"

_PATIENCE_SECONDS: Final = 0.05
_MAX_BYTES: Final = 64 << 10
_FIRST_DESCRIPTOR: Final = 3
_LAST_DESCRIPTOR: Final = 256
# DETACHED_PROCESS, CREATE_NEW_PROCESS_GROUP and CREATE_BREAKAWAY_FROM_JOB of Windows.
_DETACHED: Final = 0x00000008 | 0x00000200 | 0x01000000


def nudge(words: Sequence[str]) -> int:
    """Start to sync and push in the background; return 0, whatever happens."""
    with suppress(BaseException):  # the session must go on, whatever is wrong here
        _start(words)
    return 0


def _start(words: Sequence[str]) -> None:
    if words[:1] == [_BACKGROUND]:
        _work(words[1], sys.stdin.buffer.read(_MAX_BYTES))
    elif words and os.name == "nt":
        _start_on_windows(words[0], sys.stdin.buffer.read(_MAX_BYTES))
    elif words:
        payload = _read_payload()
        if _fork():
            _work(words[0], payload)
            os._exit(0)


def _read_payload() -> bytes:
    """Read what the client sends; it may forget to end it, and nobody waits for that."""
    payload = b""
    deadline = time.monotonic() + _PATIENCE_SECONDS
    with suppress(OSError):
        while len(payload) < _MAX_BYTES and (left := deadline - time.monotonic()) > 0:
            if not select.select([0], [], [], left)[0] or not (piece := os.read(0, _MAX_BYTES)):
                break
            payload += piece
    return payload


def _fork() -> bool:
    """Return True in a process of its own session that has none of the client's files open."""
    if child := os.fork():
        os.waitpid(child, 0)
        return False
    try:
        os.setsid()
        if os.fork():
            os._exit(0)
        nowhere = os.open(os.devnull, os.O_RDWR)
        for descriptor in range(_FIRST_DESCRIPTOR):
            os.dup2(nowhere, descriptor)
        os.closerange(_FIRST_DESCRIPTOR, _LAST_DESCRIPTOR)
    except OSError:
        os._exit(0)
    return True


def _start_on_windows(event: str, payload: bytes) -> None:
    import subprocess  # slow, and needed here only

    process = subprocess.Popen(  # noqa: S603 (our own module)
        [sys.executable, "-m", "clew", "hook", _BACKGROUND, event],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        creationflags=_DETACHED,
    )
    if process.stdin is not None:
        process.stdin.write(payload)
        process.stdin.close()


def _work(event: str, payload: bytes) -> None:
    from clew.push.background import work  # the client waits no longer

    work(event, payload)
