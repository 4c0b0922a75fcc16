"""What files are called: after ids and titles, which a transcript may fill with anything."""

import hashlib
import re
from typing import Final

from clew.export.options import ExportOptions
from clew.store import SessionOverview

_SUFFIXES: Final = {"html": ".html", "markdown": ".md", "json": ".json"}
_ODD: Final = re.compile(r"[^\w.-]+")
_LONGEST_NAME: Final = 60
_LONGEST_ID: Final = 80
_SHORT_ID: Final = 8


def file_stem(session_id: str) -> str:
    """Give the name of a session's file: its id where that can be one, else one of our own."""
    plain = _ODD.sub("_", session_id)
    if plain == session_id and 0 < len(plain) <= _LONGEST_ID and not plain.startswith("."):
        return plain
    digest = hashlib.sha256(session_id.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{plain.lstrip('.')[:_LONGEST_NAME]}-{digest[:16]}"


def file_name(session: SessionOverview, options: ExportOptions) -> str:
    """Give the path of a session's file below the folder of an export."""
    suffix = _SUFFIXES[options.form]
    stem = file_stem(session.id)
    match options.form:
        case "html":
            return f"sessions/{stem}{suffix}"
        case "json":
            return f"{stem}{suffix}"
        case _:
            return f"{_project(session)}/{_title(session, options)}{suffix}"


def _project(session: SessionOverview) -> str:
    last = session.project.replace("\\", "/").rstrip("/").rpartition("/")[2]
    return _ODD.sub("-", last)[:_LONGEST_NAME].strip("-.") or "no-project"


def _title(session: SessionOverview, options: ExportOptions) -> str:
    """Tell day, title and the beginning of the id; a title may hold secrets, an id does not."""
    words = _ODD.sub("-", session.title.casefold())[:_LONGEST_NAME].strip("-.")
    day = _ODD.sub("-", (session.started_at or "")[:10])
    told = (day, "" if options.is_redacted else words, file_stem(session.id)[:_SHORT_ID])
    return " ".join(filter(None, told))
