"""Time zones: that of this machine, or the one that was asked for."""

import datetime as dt
from typing import Final
from zoneinfo import ZoneInfo

import click

_KEY: Final = "clew.zone"
_UNKNOWN: Final = "is no time zone; write one as Europe/Berlin or UTC"


class LocalZone(dt.tzinfo):
    """The zone of this machine, with its summer time; the standard library has none of its own."""

    # `typing.override` comes with Python 3.12.
    def utcoffset(self, when: dt.datetime | None) -> dt.timedelta | None:  # type: ignore[explicit-override]
        """Tell how far the clock is ahead of UTC then."""
        return None if when is None else _local(when).utcoffset()

    def dst(self, when: dt.datetime | None) -> dt.timedelta | None:  # type: ignore[explicit-override]
        """Tell how much of that is summer time."""
        return None if when is None else _local(when).dst()

    def tzname(self, when: dt.datetime | None) -> str | None:  # type: ignore[explicit-override]
        """Name the zone as the machine does."""
        return None if when is None else _local(when).tzname()

    def fromutc(self, when: dt.datetime) -> dt.datetime:  # type: ignore[explicit-override]
        """Give the local time of a moment in UTC."""
        return when.replace(tzinfo=dt.UTC).astimezone().replace(tzinfo=self)


def zone_of(context: click.Context) -> dt.tzinfo:
    """Give the zone that was asked for on this command line, else that of this machine."""
    zone = context.meta.get(_KEY)
    return zone if isinstance(zone, dt.tzinfo) else LocalZone()


def _read_zone(context: click.Context, _option: click.Parameter, name: str | None) -> dt.tzinfo:
    if name is not None:
        try:
            context.meta[_KEY] = ZoneInfo(name)
        except (OSError, KeyError, ValueError) as error:
            raise click.BadParameter(f"{name!r} {_UNKNOWN}") from error
    return zone_of(context)


def _local(when: dt.datetime) -> dt.datetime:
    return when.replace(tzinfo=None).astimezone()


# Read before the options whose days it decides.
zone_option: Final = click.option(
    "--tz",
    "zone",
    metavar="ZONE",
    is_eager=True,
    callback=_read_zone,
    help="Whose days to count, as in Europe/Berlin; by default those of this machine.",
)
