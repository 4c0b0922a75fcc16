"""The files of a laptop that team servers concern, in the archive's folder and for its owner alone.

None of them is derived from transcripts, so none can be made again.
"""

import hashlib
import hmac
import os
import secrets
import tomllib
from pathlib import Path
from typing import Any, Final

import msgspec

from clew.errors import ClewError
from clew.settings import HOME, data_folder
from clew.store import Home, Location
from clew.writing import whole_file

_KEY_BYTES: Final = 32


class UnreadablePushFileError(ClewError):
    """A file about team servers is not what clew wrote."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"{path} cannot be used ({reason}); correct it, or restore a backup")


class PushFiles(msgspec.Struct, frozen=True):
    """The folder, and what it contains."""

    folder: Path

    @property
    def logins(self) -> Path:
        """Which servers the user is logged in to."""
        return self.folder / "servers.toml"

    @property
    def consents(self) -> Path:
        """What may leave, for each project."""
        return self.folder / "consent.toml"

    @property
    def key(self) -> Path:
        """The random key of this laptop, which never leaves it."""
        return self.folder / "push.key"

    @property
    def lock(self) -> Path:
        """The lock of the one process that pushes."""
        return self.folder / "push.lock"

    @property
    def roots(self) -> Path:
        """The ids of roots, once more."""
        return self.folder / "push-roots.json"

    @property
    def folders(self) -> Path:
        """Which folders sessions worked in: a cache."""
        return self.folder / "push-folders.cache"

    @property
    def pulled(self) -> Path:
        """The folder to which sessions of others are downloaded, before they are archived."""
        return self.folder / "pulled"


def find_push_files(location: Location) -> PushFiles:
    """Return the files that go with an archive; one on a server has no folder on this laptop."""
    if isinstance(location, Home):
        return PushFiles(location.folder)
    home = os.environ.get(HOME)
    return PushFiles(Path(home) if home else data_folder(os.environ, Path.home()))


def write_private(path: Path, text: str) -> None:
    """Write a file that only its owner can read; it is complete at every moment."""
    with whole_file(path, path.parent, mode=0o600, folder_mode=0o700) as stream:
        stream.write(text.encode())


def read_toml(path: Path) -> dict[str, Any]:
    """Read a file; one that does not exist is empty.

    Raises:
        UnreadablePushFileError: It is not TOML.
    """
    try:
        return tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except FileNotFoundError:
        return {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UnreadablePushFileError(path, str(error)) from error


def laptop_key(files: PushFiles) -> bytes:
    """Return the key of this laptop, which is made when it is first needed.

    Raises:
        UnreadablePushFileError: It was damaged.
    """
    try:
        found = bytes.fromhex(files.key.read_text("ascii").strip())
    except FileNotFoundError:
        write_private(files.key, secrets.token_hex(_KEY_BYTES) + "\n")
        found = bytes.fromhex(files.key.read_text("ascii").strip())
    except ValueError as error:
        raise UnreadablePushFileError(files.key, "it is not a key") from error
    if len(found) != _KEY_BYTES:
        raise UnreadablePushFileError(files.key, "it is not a key")
    return found


def names_key(files: PushFiles, server: str) -> bytes:
    """Return the key of names on one server, which say nothing about those on another.

    Raises:
        UnreadablePushFileError: The key of this laptop was damaged.
    """
    return hmac.digest(laptop_key(files), b"key\0" + server.encode(), "sha256")


def hide_name(key: bytes, *names: str) -> str:
    """Return what stands for a name elsewhere: nobody without the key can tell which name it is."""
    text = "\0".join(names).encode("utf-8", "surrogatepass")
    return hmac.new(key, text, hashlib.sha256).hexdigest()[:32]
