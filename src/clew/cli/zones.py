"""Time zones: that of this machine, or the one that was asked for."""

import datetime as dt
from typing import Final
from zoneinfo import ZoneInfo

import click

from clew.clock import LocalZone

_KEY: Final = "clew.zone"
_UNKNOWN: Final = "is no time zone; write one as Europe/Berlin or UTC"


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


# Read before the options whose days it decides.
zone_option: Final = click.option(
    "--tz",
    "zone",
    metavar="ZONE",
    is_eager=True,
    callback=_read_zone,
    help="Whose days to count, as in Europe/Berlin; by default those of this machine.",
)
