"""Replays of sessions, cached in the archive's folder: one file each, made when it is asked for.

A replay is used only for the state of the session that it was made from, and by the version of
clew that made it. Whatever is wrong with a file of the cache, the replay is made again.
"""

import hashlib
import logging
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from clew.replay import REPLAY_VERSION, SessionReplay, pack_replay, unpack_replay
from clew.store.home import Home
from clew.store.location import Location
from clew.writing import LinkInTargetError, whole_file

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_NAME_LENGTH: Final = 32
_LEVEL: Final = 3
_MOST_BYTES: Final = 1 << 30
_log: Final = logging.getLogger(__name__)


def cached_replay(
    location: Location, session_id: str, receipt: str, make: Callable[[], SessionReplay]
) -> SessionReplay:
    """Return the replay of a session, from the cache if it is the one of this receipt.

    Only an archive in a folder has a cache.
    """
    if not isinstance(location, Home):
        return make()
    path = replay_path(location, session_id)
    key = f"{REPLAY_VERSION} {receipt}\n".encode()
    found = _read(path, key)
    if found is None:
        found = make()
        _write(location, path, key + zstd.compress(pack_replay(found), _LEVEL))
    return found


def replay_path(home: Home, session_id: str) -> Path:
    """Return the file of a session's replay, which its id names, whatever characters that has."""
    name = hashlib.sha256(session_id.encode("utf-8", "surrogatepass")).hexdigest()
    return home.replays / f"{name[:_NAME_LENGTH]}.replay"


def _read(path: Path, key: bytes) -> SessionReplay | None:
    try:
        data = path.read_bytes()
    except OSError:
        return None
    if not data.startswith(key):
        return None
    try:
        return unpack_replay(zstd.decompress(data[len(key) :]))
    except zstd.ZstdError:
        return None


def _write(home: Home, path: Path, data: bytes) -> None:
    """Write a file of the cache; where that is not possible, there is none."""
    if len(data) > _MOST_BYTES:
        return
    with suppress(LinkInTargetError):
        try:
            with whole_file(path, home.folder, mode=0o600, folder_mode=0o700) as stream:
                stream.write(data)
        except OSError as error:
            _log.info("the replay is not cached: %s", error)
