"""Functions and views for queries, made anew on each connection that runs them."""

from typing import Final

import apsw

from clew.store.queries import statement
from clew.store.text_functions import TextFunctions, functions

VIEWS: Final = (
    "command",
    "edit",
    "file_read",
    "web_fetch",
    "todo",
    "hook",
    "permission",
    "daily_cost",
)
"""Views that are no tables; `tool_call` is both, and has more columns as a view."""


def make_views(connection: apsw.Connection, lookup: TextFunctions) -> None:
    """Add the functions that read archived files, and the views, to a connection."""
    for name, function, arguments in functions(lookup):
        connection.create_scalar_function(
            name, function, arguments, deterministic=True, flags=apsw.SQLITE_INNOCUOUS
        )
    for name in ("tool_call", *VIEWS):
        connection.execute(statement(f"view_{name}"))
