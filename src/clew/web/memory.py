"""Memory: what keeps a server small that many ask at once, for as long as it runs."""

import contextlib
import ctypes
import sys
from typing import Final

from clew.store import limit_memory

_DATABASE_BYTES: Final = 16_000_000
# The number of this setting, as the C library knows it.
_ARENA_MAX: Final = -8
_ARENAS: Final = 2


def stay_small() -> None:
    """Have all threads share what they have no use for any more; to be told before they start.

    Otherwise each keeps what its largest answer took, for an answer that another one will give.
    """
    limit_memory(_DATABASE_BYTES)
    if sys.platform == "linux":
        # Not every C library has it.
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).mallopt(_ARENA_MAX, _ARENAS)
