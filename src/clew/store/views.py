"""Functions and views for queries, made anew on each connection that runs them."""

import apsw

from clew.store.queries import statement
from clew.store.text_functions import TextFunctions, functions
from clew.store.view_names import VIEWS


def make_views(connection: apsw.Connection, lookup: TextFunctions) -> None:
    """Add the functions that read archived files, and the views, to a connection."""
    for name, function, arguments in functions(lookup):
        connection.create_scalar_function(
            name, function, arguments, deterministic=True, flags=apsw.SQLITE_INNOCUOUS
        )
    for name in ("tool_call", *VIEWS):
        connection.execute(statement(f"view_{name}"))
