"""Views for queries on PostgreSQL, made anew in each transaction that needs them."""

from clew.store.postgres.connection import PostgresConnection, run
from clew.store.view_names import VIEWS


def make_views(connection: PostgresConnection) -> None:
    """Make the views, which stand before tables of the same name until the transaction ends."""
    for name in ("tool_call", *VIEWS):
        run(connection, f"view_{name}")
