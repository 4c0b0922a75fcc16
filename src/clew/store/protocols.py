"""What an archive is made of: a database, blobs and an index.

On a laptop they are SQLite, a folder and FTS5. Whoever reads or writes an archive knows these
protocols only, so that another implementation can take their place; `tests/contract` tests each.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from clew.store.frames import Frame, FrameScan
from clew.store.index_query import IndexQuery, TextGroup

if TYPE_CHECKING:
    from clew.store.rows import SessionRows

Parameters: TypeAlias = Mapping[str, object]
"""The values of a statement by name: text, numbers, bytes, None, and lists of text or numbers."""
DatabaseRow: TypeAlias = tuple[Any, ...]
PackedFrame: TypeAlias = tuple[bytes, Frame]


class Database(Protocol):
    """Runs named statements, and writes the rows of whole sessions.

    A database that shows each viewer only some sessions is one object per viewer.
    """

    @property
    def is_shared(self) -> bool:
        """Whether several syncs may write at once, to what one person or many have in it."""

    def rows(self, name: str, values: Parameters = ...) -> Iterator[DatabaseRow]:
        """Run a statement and return its rows."""

    def records(self, name: str, values: Parameters = ...) -> Iterator[dict[str, Any]]:
        """Run a statement and return its rows by the names of their columns."""

    def run(self, name: str, values: Parameters = ...) -> None:
        """Run a statement that returns nothing."""

    def run_many(self, name: str, values: Iterable[Parameters]) -> None:
        """Run a statement once for each set of values."""

    def write_session(self, rows: "SessionRows") -> int:
        """Replace all rows of a session and its texts in the index; return how many were written.

        Call it in a transaction, at the end of which the index has the texts.
        """

    def delete_session(self, session_id: str) -> None:
        """Delete all rows of a session and its texts in the index, in a transaction."""

    def transaction(self) -> AbstractContextManager[None]:
        """Write all or nothing: an exception undoes everything written in it."""

    def snapshot(self) -> AbstractContextManager[None]:
        """Let all statements in it see the same rows, whatever others write meanwhile."""

    def version(self) -> int:
        """Return a number that changes when somebody else has written."""

    def check(self, tables: Sequence[str] = ()) -> list[str]:
        """Let the database verify its own files; return what is wrong, of some tables or of all."""

    def close(self) -> None:
        """Close the connection."""


class Blobs(Protocol):
    """Archived bytes under names, each a sequence of zstd frames.

    A frame is the smallest piece that is stored and fetched: no implementation needs ranges.
    """

    def append(self, name: str, at: int, packed: Iterable[PackedFrame]) -> None:
        """Write frames after the first `at` bytes of a blob, over whatever follows them."""

    def replace(self, name: str, packed: Iterable[PackedFrame]) -> None:
        """Write frames in place of a whole blob, which is complete at every moment."""

    def flush(self, names: Iterable[str]) -> None:
        """Make blobs durable, before a row mentions what was written."""

    def seal(self, name: str, frames: Iterable[Frame]) -> None:
        """Make one file or object of all frames of a blob, which `zstd -d` alone restores.

        Frames are read as before, and a blob that grows after all is sealed again.

        Raises:
            DamagedBlobError: It is not what was written, or is missing; nothing has changed.
        """

    def unsealed(self, names: Iterable[str]) -> Iterator[str]:
        """Return those of some blobs that `seal` would change, none where a blob is one file."""

    def delete(self, names: Iterable[str]) -> None:
        """Delete blobs for good; those that are not there do not matter."""

    def presigned_url(self, name: str, seconds: int) -> str | None:
        """Return a URL by which anybody can download a sealed blob for a time.

        None if it is not sealed, or in a folder.
        """

    def prefetch(self, wanted: Iterable[tuple[str, Sequence[Frame]]]) -> None:
        """Begin to fetch blobs that are read next, where each would take a while by itself.

        Nothing depends on it: whoever reads gets the same bytes and errors.
        """

    def read(self, name: str, frames: Iterable[Frame]) -> Iterator[bytes]:
        """Return the content, frame by frame, each verified by its hash.

        Raises:
            DamagedBlobError: It is not what was written, or is missing.
        """

    def read_range(self, name: str, frames: Iterable[Frame], start: int, size: int) -> bytes:
        """Return a part of the content, decompressing no more than needed, and not verified."""

    def scan(self, name: str) -> FrameScan:
        """Find the frames of a blob, without a database."""

    def size(self, name: str) -> int:
        """Return the compressed size; 0 if there is no such blob."""

    def modified_ns(self, name: str) -> int:
        """Return when a blob was last written, in nanoseconds since 1970."""

    def folders(self) -> list[str]:
        """List the top folders, one for each root."""

    def names(self, folder: str = "") -> list[str]:
        """List all blobs, or those below a top folder."""

    def clear_cache(self) -> None:
        """Free the memory of frames that were decompressed for `read_range`."""


class SearchIndex(Protocol):
    """Finds blocks by the words of their texts; the database writes it along with its rows."""

    @property
    def database(self) -> Database:
        """The rows that the index points at."""

    def find(self, group: TextGroup, query: IndexQuery, after: int = 0) -> list[int]:
        """Return the numbers of the blocks that match, of those after a number."""

    def scores(
        self, group: TextGroup, query: IndexQuery, blocks: Sequence[int]
    ) -> dict[int, float]:
        """Return how well some blocks match, by their numbers; higher is better."""

    def split(self, text: str) -> list[str]:
        """Split a text into words exactly as the index does."""

    def words_with(self, group: TextGroup, letters: str) -> tuple[list[str], int | None]:
        """Return the indexed words that contain some letters.

        Blocks after the number returned with them may have others; None means that none has.
        """

    def update_words(self) -> None:
        """Bring the list of indexed words up to date if many blocks are new; for writers only."""

    @property
    def in_steps(self) -> "StepIndex | None":
        """The same index in steps, if it may have too many blocks to find all matches at once."""


class StepIndex(Protocol):
    """Finds blocks some at a time, in an archive of many people's sessions."""

    def find_few(self, group: TextGroup, query: IndexQuery, most: int) -> list[int] | None:
        """Return the numbers of the blocks that match, or None if there are more than `most`."""

    def find_in_sessions(
        self, group: TextGroup, query: IndexQuery, keys: Sequence[int]
    ) -> list[int]:
        """Return the numbers of those blocks of some sessions that match."""

    def find_in_blocks(
        self, group: TextGroup, query: IndexQuery, blocks: Sequence[int]
    ) -> list[int]:
        """Return the numbers of those of some blocks that match."""

    def session_key(self, block: int) -> int:
        """Return the key of the session that a block belongs to."""
