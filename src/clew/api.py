"""What `import clew` offers."""

import datetime as dt
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec
from msgspec.structs import force_setattr

from clew import archive as archive_module
from clew.analytics import UsageReport
from clew.archive import Archive, Order, open_archive
from clew.clock import MOMENT_EXAMPLES, LocalZone, format_time, parse_since, parse_until
from clew.conversation import Conversation
from clew.entries import Entry, decode_all
from clew.errors import PathNotFoundError, UsageError
from clew.search import Results
from clew.sessions import load as load_session
from clew.source import read_lines
from clew.store import Answer

__all__ = ["Archive", "Filters", "Order", "load", "open_archive", "read", "to_dicts", "whole_path"]

_PATH_STARTS: Final = ("/", ".", "~")


class Filters(archive_module.Filters, frozen=True, kw_only=True):
    """What must hold of what is listed or counted; None lets everything through.

        clew.Filters(project="~/code/app", since="7d", until=datetime.date(2026, 11, 14))

    Values are what the options of the same names take on the command line: `since` and `until` a
    day, a time, `today`, `yesterday` or a length of time such as `12h`, `7d` or `2w`; `project` a
    part of its path, or a path. A `date`, a `datetime` and a `Path` are accepted, too. A time
    without a zone is local. In `until` a day counts to its end.

    Raises:
        UsageError: A value is not of these.
    """

    if TYPE_CHECKING:  # attributes are text, whatever they were made from

        def __init__(
            self,
            *,
            project: str | os.PathLike[str] | None = None,
            branch: str | None = None,
            model: str | None = None,
            tool: str | None = None,
            agent: str | None = None,
            session: str | None = None,
            since: str | dt.date | None = None,
            until: str | dt.date | None = None,
        ) -> None: ...

    # typing.override comes with Python 3.12
    def __post_init__(self) -> None:  # type: ignore[explicit-override]
        """Turn paths and times into the text that rows are compared with."""
        now = dt.datetime.now(LocalZone())
        force_setattr(self, "project", _project_path(self.project))
        force_setattr(self, "since", _moment("since", self.since, parse_since, now))
        force_setattr(self, "until", _moment("until", self.until, parse_until, now))
        super().__post_init__()


def whole_path(pattern: str | None) -> str | None:
    """Return what looks like a path as an absolute one; all else as it is."""
    if pattern is None or not pattern.startswith(_PATH_STARTS):
        return pattern
    return str(Path(pattern).expanduser().absolute().resolve())


def _project_path(project: object) -> object:
    if isinstance(project, os.PathLike):
        return str(Path(project).expanduser().absolute().resolve())
    return whole_path(project) if isinstance(project, str) else project


def _moment(
    name: str,
    value: object,
    parse: Callable[[str, dt.datetime], dt.datetime | None],
    now: dt.datetime,
) -> str | None:
    """Return a time as rows have it; a `datetime` is a `date`, and both print as ISO 8601."""
    if value is None:
        return None
    text = value.isoformat() if isinstance(value, dt.date) else value
    moment = parse(text, now) if isinstance(text, str) else None
    try:
        if moment is not None:
            return format_time(moment)
    except OverflowError:
        pass
    raise UsageError(
        f"{name}={value!r} is not a time; write it as {MOMENT_EXAMPLES}, or give a date or datetime"
    )


def read(path: str | os.PathLike[str]) -> Iterator[Entry]:
    """Give the entries of one transcript, lazily and in the order of the file.

    Nothing in the file raises: broken lines are entries too, and each entry has its `problems`.

    Raises:
        PathNotFoundError: Nothing stands at `path`.
        UsageError: A folder stands there.
        OSError: The file cannot be read; raised when its first entry is asked for.
    """
    file = Path(path)
    if file.is_dir():
        raise UsageError(f"{file} is a folder; give one transcript (.jsonl)")
    if not file.exists():
        raise PathNotFoundError(file)
    return decode_all(read_lines(file))


def load(
    path_or_id: str | os.PathLike[str], roots: Iterable[str | os.PathLike[str]] | None = None
) -> Conversation:
    """Give the conversation of one session, its agent runs included.

        conversation = clew.load("latest")
        print(conversation.session.title, conversation.totals.tool_calls)
        for message in conversation.messages:
            print(message.kind, message.text)

    Args:
        path_or_id: A transcript or its folder, the id of a session or the beginning of one, or
            `latest` for the session written to last.
        roots: Where to look for ids, by default where Claude Code keeps its data, and then in
            the archive.

    Raises:
        PathNotFoundError: Nothing stands at the path.
        SeveralSessionsError: Not one session stands there, but several or none.
        SessionNotFoundError: No session has that id, or several have.
    """
    if roots is not None:
        return load_session(path_or_id, [Path(root) for root in roots])
    with open_archive() as archive:
        return archive.load(path_or_id)


def to_dicts(
    rows: Iterable[msgspec.Struct] | UsageReport | Results | Answer,
) -> list[dict[str, Any]]:
    """Return what an archive lists, counts or finds as plain dicts, ready for a data frame.

        with clew.open_archive() as archive:
            frame = pandas.DataFrame(clew.to_dicts(archive.sessions()))

    A usage report gives its rows, a search its hits, a query its rows by column. All dicts have
    the same keys. A struct inside a row becomes keys of its own: `usage.input_tokens` is
    `usage_input_tokens`. Times are text in UTC; a missing value is None.
    """
    match rows:
        case UsageReport():
            return to_dicts(rows.rows)
        case Results():
            return to_dicts(rows.hits)
        case Answer(columns, found):
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
