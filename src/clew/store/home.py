"""The archive's folder, readable by its owner alone."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

import msgspec


class Home(msgspec.Struct, frozen=True):
    """The archive's folder and the files in it."""

    folder: Path

    @property
    def database(self) -> Path:
        """The rows and the index."""
        return self.folder / "archive.db"

    @property
    def blobs(self) -> Path:
        """The folder of archived files."""
        return self.folder / "files"

    @property
    def lock(self) -> Path:
        """The lock of the one process that writes."""
        return self.folder / "lock"

    @property
    def name(self) -> str:
        """What messages call it."""
        return str(self.folder)

    @property
    def has_lost_database(self) -> bool:
        """Whether there are archived files without a database, which a sync rebuilds from them."""
        return self.blobs.is_dir() and any(self.blobs.iterdir()) and not self.database.exists()


def find_home(environ: Mapping[str, str], user_home: Path) -> Home:
    """Return the archive's folder: `CLEW_HOME`, else the platform's folder for data."""
    if environ.get("CLEW_HOME"):
        return Home(Path(environ["CLEW_HOME"]).expanduser())
    if sys.platform == "darwin":
        return Home(user_home / "Library" / "Application Support" / "clew")
    if os.name == "nt":
        base = environ.get("LOCALAPPDATA") or str(user_home / "AppData" / "Local")
        return Home(Path(base) / "clew")
    base = environ.get("XDG_DATA_HOME") or str(user_home / ".local" / "share")
    return Home(Path(base) / "clew")
