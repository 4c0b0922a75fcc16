"""Memory limits for a server that runs for a long time."""

import contextlib
import ctypes
import sys
from typing import Final

from clew.store import limit_memory

_DATABASE_BYTES: Final = 16_000_000
# M_ARENA_MAX of the C library's mallopt.
_ARENA_MAX: Final = -8
_ARENAS: Final = 2


def limit_server_memory() -> None:
    """Limit SQLite's caches and the number of malloc arenas; call it before threads start.

    Otherwise each thread's arena stays as large as its largest response ever was.
    """
    limit_memory(_DATABASE_BYTES)
    if sys.platform == "linux":
        # Not every C library has it.
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).mallopt(_ARENA_MAX, _ARENAS)


def release_memory() -> None:
    """Return freed memory to the system, where the C library can.

    Otherwise a server stays as large as the longest session it has ever shown.
    """
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).malloc_trim(0)
