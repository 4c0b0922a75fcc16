"""Cuts in the database: read before a session grows, written when its rows are."""

from typing import Any, Final

import apsw
import msgspec

from clew.store.past import CUT_TABLES, Cut, Known, Past
from clew.store.queries import statement
from clew.store.rows import PARSER_VERSION

# What is settled between sessions, and who a session is, no tail tells.
_NOT_OWN: Final = ("key", "project_id", "title", "title_source", "resumed_from", "forked_from")
# These are numbered within their session; all others are known by when they were written.
NUMBERED: Final = ("message", "block")
ROW_TABLES: Final = tuple(table for table in CUT_TABLES if table not in NUMBERED)


class TailRows(msgspec.Struct, frozen=True):
    """Where the rows of a tail begin in a table, and how many there are."""

    first: int
    count: int


def load_known(connection: apsw.Connection, session_id: str) -> Known | None:
    """Read what is known of a session that was cut; None when that cannot be relied on."""
    found = connection.execute(statement("find_cut"), {"session": session_id}).fetchone()
    if found is None or found[3] != PARSER_VERSION:
        return None
    key = int(found[0])
    if not _stand_as_written(connection, key, _tail_rows(found[2])):
        return None
    past = msgspec.json.decode(found[1], type=Past)
    names = list(connection.execute(statement("cut_names"), {"session_key": key}))
    prints, said = b"".join(row[0] for row in names), "\n".join(row[1] for row in names)
    return Known(past, prints, said, _session(connection, key))


def save_cut(connection: apsw.Connection, key: int, cut: Cut, rows: dict[str, TailRows]) -> None:
    """Remember where a session is cut, and which names it has before."""
    values = {"session_key": key, "past": _json(cut.past), "tail_rows": _json(rows)}
    connection.execute(statement("save_cut"), {**values, "parser_version": PARSER_VERSION})
    if cut.names:
        connection.execute(
            statement("add_cut_names"), {"session_key": key, "prints": cut.names, "said": cut.said}
        )


def delete_cut(connection: apsw.Connection, key: int) -> None:
    """Forget where a session was cut."""
    for name in ("delete_cut", "delete_cut_names"):
        connection.execute(statement(name), {"session_key": key})


def forget_cut(connection: apsw.Connection, session_id: str) -> None:
    """Forget where a session was cut, by its id."""
    found = connection.execute(statement("find_cut"), {"session": session_id}).fetchone()
    if found is not None:
        delete_cut(connection, int(found[0]))


def tail_rows(connection: apsw.Connection, key: int) -> dict[str, TailRows]:
    """Give where the rows of a session's tail stand."""
    found = next(connection.execute(statement("cut_rows"), {"session_key": key}))
    return _tail_rows(found[0])


def _tail_rows(text: str) -> dict[str, TailRows]:
    return msgspec.json.decode(text, type=dict[str, TailRows])


def _stand_as_written(connection: apsw.Connection, key: int, rows: dict[str, TailRows]) -> bool:
    """Tell whether the tail's rows are where they were put: a database may be packed by others."""
    for table, tail in rows.items():
        query = f"SELECT count(*) FROM {table} WHERE session_key = ? AND rowid >= ?"  # noqa: S608
        if next(connection.execute(query, (key, tail.first)))[0] != tail.count:
            return False
    return True


def _session(connection: apsw.Connection, key: int) -> dict[str, Any]:
    cursor = connection.execute("SELECT * FROM session WHERE key = ?", (key,))
    names = [column[0] for column in cursor.get_description()]
    row = dict(zip(names, next(cursor), strict=True))
    return {name: value for name, value in row.items() if name not in _NOT_OWN}


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()
