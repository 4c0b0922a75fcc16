"""When a session that is not archived yet was last written to: a look at the ends of its files."""

import datetime as dt
import os
import re
from typing import Final

from clew.clock import format_time, normal_time
from clew.source import SourceFile, open_regular
from clew.store.jobs import Job

_TAIL_BYTES: Final = 16_384
_TIME: Final = re.compile(rb'"timestamp": ?"([^"\\]{10,40})"')
_NANO: Final = 1_000_000_000


def last_time(job: Job) -> str:
    """Return the last time in a session's transcripts.

    No row of a session is later, unless it is far from the end of its file.
    """
    return max((_last_time(task.found) for task in job.files if task.found), default="")


def _last_time(file: SourceFile) -> str:
    if file.path.suffix != ".jsonl":
        return ""
    try:
        with open_regular(file.path) as stream:
            stream.seek(max(0, file.size - _TAIL_BYTES), os.SEEK_SET)
            found = _TIME.findall(stream.read(_TAIL_BYTES))
    except OSError:
        return ""
    written = dt.datetime.fromtimestamp(file.mtime_ns / _NANO, dt.UTC)
    return max((normal_time(time.decode("ascii", "replace")) for time in found), default="") or (
        format_time(written)
    )
