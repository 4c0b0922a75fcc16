"""Waiting for what others announce with `notify`, on a connection of its own."""

from clew.store.postgres.connection import connect
from clew.store.postgres_location import PostgresLocation
from clew.store.queries import statement_on


class Listener:
    """Wakes up when something was announced on a channel."""

    def __init__(self, location: PostgresLocation, channel: str) -> None:
        self._connection = connect(location.database_url)
        self._connection.execute(statement_on("listen", channel, "team").encode())

    def wait(self, seconds: float) -> bool:
        """Wait for so long at most; return whether anything was announced."""
        return bool(list(self._connection.notifies(timeout=seconds, stop_after=1)))

    def close(self) -> None:
        """Stop listening."""
        self._connection.close()
