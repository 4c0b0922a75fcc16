"""What `import clew` offers; functions import what only they use, since commands start here."""

import datetime as dt
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Unpack

import msgspec
from msgspec.structs import force_setattr

from clew import archive as archive_module
from clew.analytics import FILTERS, FilterValues, ReadContext, UsageReport, read_filter
from clew.archive import Archive, Order, open_archive
from clew.clock import LocalZone
from clew.errors import PathNotFoundError, UsageError

if TYPE_CHECKING:
    from clew.conversation import Conversation
    from clew.entries import Entry
    from clew.search import Results
    from clew.store import QueryResult

__all__ = [
    "Archive",
    "Filters",
    "Order",
    "absolute_path",
    "load",
    "open_archive",
    "read",
    "to_dicts",
]

_PATH_STARTS: Final = ("/", ".", "~")


class Filters(archive_module.FilterSet, frozen=True, kw_only=True):
    """Which sessions, calls, runs or files to list, count or search; None means no filter.

        clew.Filters(project="~/code/app", since="7d", until=datetime.date(2026, 11, 14))

    The fields take what the options of the same names take on the command line: `since` and `until`
    a day, a time, `today`, `yesterday` or a length of time such as `12h`, `7d` or `2w`; `project`
    part of its path, or a path. They also accept a `date`, a `datetime` and a `Path`. A time
    without a zone is local. In `until` a day counts to its end.

    Raises:
        UsageError: A value cannot be read; the message says how to write it.
    """

    if TYPE_CHECKING:  # attributes are text, whatever they were made from

        def __init__(self, **values: Unpack[FilterValues]) -> None: ...

    # typing.override comes with Python 3.12
    def __post_init__(self) -> None:  # type: ignore[explicit-override]
        """Turn paths and times into the text that rows are compared with."""
        context = ReadContext(dt.datetime.now(LocalZone()), absolute_path)
        for each in FILTERS:
            value: object = getattr(self, each.name)
            if value is not None:
                force_setattr(self, each.name, read_filter(each.name, value, context))


def absolute_path(pattern: str | os.PathLike[str]) -> str:
    """Return a path, or text that looks like one, as an absolute path; other text as it is."""
    if isinstance(pattern, str) and not pattern.startswith(_PATH_STARTS):
        return pattern
    return str(Path(pattern).expanduser().absolute().resolve())


def read(path: str | os.PathLike[str]) -> Iterator["Entry"]:
    """Return the entries of one transcript, lazily and in the order of the file.

    Nothing in the file raises: broken lines are entries too, and each entry has its `problems`.

    Raises:
        PathNotFoundError: `path` does not exist.
        UsageError: It is a directory.
        OSError: The file cannot be read; raised when its first entry is asked for.
    """
    from clew.entries import decode_all
    from clew.source import read_lines

    file = Path(path)
    if file.is_dir():
        raise UsageError(f"{file} is a directory; use the path of a transcript (.jsonl)")
    if not file.exists():
        raise PathNotFoundError(file)
    return decode_all(read_lines(file))


def load(
    path_or_id: str | os.PathLike[str],
    roots: Iterable[str | os.PathLike[str]] | None = None,
    *,
    archive: str | os.PathLike[str] | None = None,
    blobs: str | os.PathLike[str] | None = None,
) -> "Conversation":
    """Return the conversation of one session, its agent runs included.

        conversation = clew.load("latest")
        print(conversation.session.title, conversation.totals.tool_calls)
        for message in conversation.messages:
            print(message.kind, message.text)

    Args:
        path_or_id: A transcript or its folder, the id of a session or the beginning of one, or
            `latest` for the session written to last.
        roots: Where to look for ids, by default where Claude Code keeps its data, and then in
            the archive.
        archive: The archive, as `open_archive` takes it; not used if there are `roots`.
        blobs: Where its files are, as `open_archive` takes it.

    Raises:
        PathNotFoundError: The path does not exist.
        SeveralSessionsError: There are several sessions, or none.
        SessionNotFoundError: No session has that id, or several have.
        SettingsError: An address cannot be used, or a setting.
    """
    from clew.sessions import load as load_session

    if roots is not None:
        return load_session(path_or_id, [Path(root) for root in roots])
    with open_archive(archive, blobs) as opened:
        return opened.load(path_or_id)


def to_dicts(
    rows: "Iterable[msgspec.Struct] | UsageReport | Results | QueryResult",
) -> list[dict[str, Any]]:
    """Return what an archive lists, counts or finds as plain dicts, ready for a data frame.

        with clew.open_archive() as archive:
            frame = pandas.DataFrame(clew.to_dicts(archive.sessions()))

    A usage report gives its rows, a search its hits, a query its rows by column. All dicts have
    the same keys. A struct inside a row becomes keys of its own: `usage.input_tokens` is
    `usage_input_tokens`. Times are text in UTC; a missing value is None.
    """
    from clew.search import Results
    from clew.store import QueryResult

    match rows:
        case UsageReport():
            return to_dicts(rows.rows)
        case Results():
            return to_dicts(rows.hits)
        case QueryResult(columns, found):
            return [dict(zip(columns, row, strict=True)) for row in found]
        case _:
            return [dict(_columns(row)) for row in rows]


def _columns(row: msgspec.Struct, prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name in row.__struct_fields__:
        value = getattr(row, name)
        if isinstance(value, msgspec.Struct):
            yield from _columns(value, f"{prefix}{name}_")
        else:
            yield prefix + name, _plain(value)


def _plain(value: object) -> Any:
    match value:
        case tuple():
            return [_plain(item) for item in value]
        case msgspec.UnsetType():
            return None
        case _:
            return msgspec.to_builtins(value)
