"""The archive of a team: a PostgreSQL database, and blobs in a bucket or a folder."""

import msgspec

from clew.settings import hide_password
from clew.store.inline_limits import SERVER_LIMITS, InlineLimits


class PostgresLocation(msgspec.Struct, frozen=True):
    """Where the database and the blobs are, and whose sessions are read and written.

    With `scopes`, it is opened for a viewer, who sees the sessions of these scopes and only reads.
    """

    database_url: str
    blobs: str
    owner: int = 0
    scopes: tuple[int, ...] | None = None

    @property
    def limits(self) -> InlineLimits:
        """How much of a text its row has."""
        return SERVER_LIMITS

    @property
    def name(self) -> str:
        """What messages call it: its address without the password."""
        return hide_password(self.database_url)

    @property
    def has_lost_database(self) -> bool:
        """Whether a sync shall rebuild the database from blobs, which many people share."""
        return False
