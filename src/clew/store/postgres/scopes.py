"""Who may see what: a viewer's scopes, and the role and views through which viewers read."""

from typing import Final

import msgspec
import psycopg

from clew.errors import ClewError
from clew.store.postgres.connection import PostgresConnection, run
from clew.store.postgres_location import NOBODY
from clew.store.queries import statement

READER: Final = "clew_reader"
"""The role that reads for all viewers; it may read views only."""


class Viewer(msgspec.Struct, frozen=True):
    """Somebody who may see the sessions of some scopes; `member` is whose notes they see."""

    scopes: tuple[int, ...]
    member: int = NOBODY


class NoScopesError(ClewError):
    """A viewer has no scopes, which is a mistake rather than an empty archive."""

    def __init__(self) -> None:
        super().__init__("this viewer has no scopes; name at least one scope that they may see")


class NoReaderRoleError(ClewError):
    """The role or the views are not there, or this user may not use them."""

    def __init__(self, user: str) -> None:
        super().__init__(
            f"viewers need the role {READER}; let an administrator of the database run "
            f'`CREATE ROLE {READER} NOLOGIN; GRANT {READER} TO "{user}"; '
            f'GRANT CREATE ON DATABASE … TO "{user}"`, then run `clew sync`'
        )


def prepare_scopes(connection: PostgresConnection) -> None:
    """Make the role and the views, as far as this user may: an archive works without them."""
    if are_ready(connection):
        return
    try:
        with connection.transaction():
            run(connection, "lock_schema")
            # Another process may have been faster.
            if are_ready(connection):
                return
            for name in ("create_reader", "create_scoped_views", "grant_scoped_views"):
                run(connection, name)
    except psycopg.errors.InsufficientPrivilege:
        return


def are_ready(connection: PostgresConnection) -> bool:
    """Tell whether this user can read for viewers."""
    found = connection.execute(statement("scopes_are_ready", "postgres").encode(), {}).fetchone()
    return bool(found and found[0])
