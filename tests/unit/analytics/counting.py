"""Counting what builders write: through the archive and from the files, which must agree."""

import datetime as dt
import tempfile
from pathlib import Path
from typing import Any

from clew.analytics import (
    FilterSet,
    ScanOptions,
    UsageReport,
    bucket_letters,
    scan,
    summarise,
)
from clew.archive import Archive, open_archive
from tests.build import SessionBuilder, Usage

NOW = dt.datetime(2026, 11, 15, tzinfo=dt.UTC)
OPUS = "claude-opus-5-5"


def session(name: str = "session", model: str = OPUS, **place: Any) -> SessionBuilder:
    """Begin a session with a prompt."""
    return SessionBuilder(name, **place).model(model).user("Go on.")


def answered(usage: Usage, model: str = OPUS, **changes: Any) -> SessionBuilder:
    """Give a session with one answer of this usage; `changes` are set in it as clients write it."""
    return spent(session(model=model).assistant("Done.", usage=usage), **changes)


def spent(builder: SessionBuilder, **changes: Any) -> SessionBuilder:
    """Change the usage of the last row."""
    builder.rows[-1]["message"]["usage"].update(changes)
    return builder


def count(
    root: Path,
    *sessions: SessionBuilder,
    by: str = "model",
    zone: dt.tzinfo = dt.UTC,
    filters: FilterSet | None = None,
) -> UsageReport:
    """Write sessions below a root and count all that stands there, both ways."""
    for builder in sessions:
        builder.write(root)
    with tempfile.TemporaryDirectory() as home, open_archive(Path(home)) as archive:
        warm = count_archive(archive, root, by, zone, filters)
    cold = count_files(root, by, zone, filters)
    assert warm == cold
    return warm


def count_archive(
    archive: Archive,
    root: Path,
    by: str = "model",
    zone: dt.tzinfo = dt.UTC,
    filters: FilterSet | None = None,
) -> UsageReport:
    """Take a root into an archive and count there."""
    archive.sync([root], now=NOW, workers=1)
    return archive.usage(filters or FilterSet(), by, zone)


def count_files(
    root: Path, by: str = "model", zone: dt.tzinfo = dt.UTC, filters: FilterSet | None = None
) -> UsageReport:
    """Count the transcripts below a root themselves."""
    asked = ScanOptions(
        filters=filters or FilterSet(),
        letters=bucket_letters(zone),
        with_agents=by == "agent" or bool(filters and filters.agent),
    )
    found = scan([root], asked)
    return summarise(found.sums, by, zone, filters, found.client_costs, found.hours)
