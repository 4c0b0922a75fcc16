"""The archive's folder, readable by its owner alone."""

from pathlib import Path

import msgspec

from clew.store.inline_limits import LAPTOP_LIMITS, InlineLimits


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
    def digests(self) -> Path:
        """The folder of digests, which are nowhere else if the database is lost."""
        return self.folder / "digests"

    @property
    def notes(self) -> Path:
        """The folder of readers' notes, which are nowhere else if the database is lost."""
        return self.folder / "notes"

    @property
    def replays(self) -> Path:
        """The folder of cached replays, which can always be made again."""
        return self.folder / "replays"

    @property
    def lock(self) -> Path:
        """The lock of the one process that writes."""
        return self.folder / "lock"

    @property
    def limits(self) -> InlineLimits:
        """How much of a text its row has."""
        return LAPTOP_LIMITS

    @property
    def name(self) -> str:
        """What messages call it."""
        return str(self.folder)

    @property
    def has_lost_database(self) -> bool:
        """Whether there are archived files without a database, which a sync rebuilds from them."""
        return self.blobs.is_dir() and any(self.blobs.iterdir()) and not self.database.exists()
