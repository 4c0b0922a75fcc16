"""File names from ids and titles, which may contain anything."""

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from typing import Final

from clew.export.options import ExportOptions
from clew.export.session_file import names_in
from clew.redact import Redactor
from clew.store import SessionOverview

_SUFFIXES: Final = {"html": ".html", "markdown": ".md", "json": ".json"}
_ODD: Final = re.compile(r"[^\w.-]+")
_LONGEST_NAME: Final = 60
_LONGEST_ID: Final = 80
_SHORT_ID: Final = 8
# A disk counts the bytes of a name, 255 at most, and a letter may have four.
_MOST_BYTES: Final = 160
_DEVICES: Final = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|\Z)", re.IGNORECASE)


def file_stem(session_id: str) -> str:
    """Return the name of a session's file: its id where that can be one, else one of our own."""
    plain = _ODD.sub("_", session_id)
    if plain == session_id and 0 < len(plain) <= _LONGEST_ID and not plain.startswith("."):
        return plain
    return f"{plain.lstrip('.')[:_LONGEST_NAME]}-{_digest(session_id)}"


def file_names(sessions: Sequence[SessionOverview], options: ExportOptions) -> list[str]:
    """Return the path of each session's file, no two of them the same on a disk."""
    names = [file_name(session, options) for session in sessions]
    if options.form == "html":
        # Links lead to pages by the id alone.
        return names
    times = Counter(map(_folded, names))
    return [
        name if times[_folded(name)] == 1 else _with_digest(name, session.id)
        for name, session in zip(names, sessions, strict=True)
    ]


def file_name(session: SessionOverview, options: ExportOptions) -> str:
    """Return the path of a session's file below the folder of an export."""
    suffix = _SUFFIXES[options.form]
    stem = file_stem(session.id)
    match options.form:
        case "html":
            return f"sessions/{stem}{suffix}"
        case "json":
            return f"{stem}{suffix}"
        case _:
            return f"{_project(session, options)}/{_title(session, options)}{suffix}"


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()


def _with_digest(name: str, session_id: str) -> str:
    """Add a digest of the id to a name that is not unique."""
    stem, dot, suffix = name.rpartition(".")
    return f"{stem} {_digest(session_id)}{dot}{suffix}"


def _digest(session_id: str) -> str:
    return hashlib.sha256(session_id.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _project(session: SessionOverview, options: ExportOptions) -> str:
    path = session.project
    if options.is_redacted:
        path = Redactor(names_in((session.cwd, path))).redact(path)
    last = path.replace("\\", "/").rstrip("/").rpartition("/")[2]
    return _usable(_ODD.sub("-", last)) or "no-project"


def _title(session: SessionOverview, options: ExportOptions) -> str:
    """Join day, title and the beginning of the id; a redacted title might contain secrets."""
    title = _usable(_ODD.sub("-", session.title.casefold()))
    day = _ODD.sub("-", (session.started_at or "")[:10])
    words = (day, "" if options.is_redacted else title, file_stem(session.id)[:_SHORT_ID])
    return " ".join(filter(None, words))


def _usable(name: str) -> str:
    """Cut a name to what every disk takes, and keep it from being one of Windows' devices."""
    short = name[:_LONGEST_NAME].encode()[:_MOST_BYTES].decode("utf-8", "ignore").strip("-.")
    return f"{short}-" if _DEVICES.match(short) else short
