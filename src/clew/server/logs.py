"""Logs of the server and its workers: one line of JSON per entry, without content.

An error is logged by its kind and place. Its message may quote what somebody wrote.
"""

import json
import logging
import sys
import traceback
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from clew.errors import ClewError

REQUEST: Final = "request"
"""The attribute of a log record that has the facts of a request."""
_LOGGER: Final = "clew.server"


class JsonFormatter(logging.Formatter):
    """Formats log records as JSON."""

    def format(self, record: logging.LogRecord) -> str:  # type: ignore[explicit-override]
        """Format a record: its time, level and message, and the request or error if any."""
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "message": record.getMessage(),
            **record.__dict__.get(REQUEST, {}),
        }
        if record.exc_info and record.exc_info[1] is not None:
            line["error"] = describe_place(record.exc_info[1])
        return json.dumps(line)


def describe_place(error: BaseException) -> str:
    """Say what kind of error it is, and where it happened."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f" in {Path(frames[-1].filename).name}, line {frames[-1].lineno}" if frames else ""
    return f"{type(error).__name__}{place}"


def describe_failure(error: Exception) -> str:
    """Say what went wrong without quoting a transcript: the kind of error, and where."""
    if isinstance(error, ClewError):
        return str(error)
    return describe_place(error)


def log_to_stderr(*, is_verbose: bool) -> None:
    """Write warnings to stderr; with `is_verbose`, also each request and each derived session."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter())
    log = logging.getLogger(_LOGGER)
    log.handlers = [handler]
    log.propagate = False
    log.setLevel(logging.INFO if is_verbose else logging.WARNING)
