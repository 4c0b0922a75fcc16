"""Reading and printing times; everything is UTC inside."""

from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)


def parse_time(text: str) -> datetime | None:
    """Read an ISO 8601 time; one without a zone is taken as UTC. None when it is not a time."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    try:
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except OverflowError:
        return None


def milliseconds(text: str) -> int | None:
    """Read an ISO 8601 time as milliseconds since 1970, None when it is not one."""
    moment = parse_time(text)
    return None if moment is None else (moment - _EPOCH) // _MILLISECOND


def format_time(moment: datetime) -> str:
    """Print a time as ISO 8601 UTC with milliseconds, the way transcripts do."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
