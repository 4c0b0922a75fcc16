"""OpenedArchive: one archive, opened for reading when it is first needed."""

from types import TracebackType
from typing import Final, Self

from clew.analytics import FilterSet
from clew.errors import NotFoundError
from clew.store import ArchiveReader, Location, Order, explain_error, open_reader

EVERYTHING: Final = FilterSet()
LATEST_FIRST: Final = Order()


class NoArchiveError(NotFoundError):
    """There is no archive yet."""

    def __init__(self, place: str) -> None:
        super().__init__(f"no archive in {place} yet; run `clew sync` to create it")


class OpenedArchive:
    """One archive, opened for reading when it is first needed."""

    def __init__(self, location: Location) -> None:
        self.location = location
        self._opened: ArchiveReader | None = None

    def __enter__(self) -> Self:
        """Use it in a `with` block, so that the database is closed."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the database; where it turned out to be damaged or out of reach, say what to do.

        Raises:
            ClewError: It did.
        """
        self.close()
        if explained := explain_error(self.location, error):
            raise explained from error

    def close(self) -> None:
        """Close the database."""
        if self._opened is not None:
            self._opened.close()
            self._opened = None

    def forget(self) -> None:
        """Free the memory of cached file contents."""
        if self._opened is not None:
            self._opened.blobs.clear_cache()

    @property
    def exists(self) -> bool:
        """Whether anything was synced yet."""
        if self._opened is None:
            self._opened = open_reader(self.location)
        return self._opened is not None

    @property
    def is_empty(self) -> bool:
        """Whether no session has been archived yet."""
        return not self.exists or not self._reader.has_sessions()

    @property
    def is_complete(self) -> bool:
        """Whether it has all that it knows of: only previews leave something out."""
        return True

    def version(self) -> str:
        """Return a text that changes with every change of the archive; "" if there is none yet."""
        return self._reader.version() if self.exists else ""

    def session_version(self, session_id: str) -> str:
        """Return a text that changes with every change of a session.

        Raises:
            SessionNotFoundError: No session has that id.
        """
        return self._reader.session_version(session_id)

    def session_versions(self) -> dict[str, str]:
        """Return the versions of all sessions, by id."""
        return self._reader.session_versions() if self.exists else {}

    def find_session(self, name: str) -> str:
        """Return the full id of a session, given an id, a unique prefix or `latest`.

        Raises:
            SessionNotFoundError: No session has that id, or several have.
        """
        return self._reader.find_session(name)

    @property
    def _reader(self) -> ArchiveReader:
        """The archive, opened for reading.

        Raises:
            NoArchiveError: Nothing was synced yet.
        """
        if self._opened is None:
            self._opened = open_reader(self.location)
        if self._opened is None:
            raise NoArchiveError(self.location.name)
        return self._opened
