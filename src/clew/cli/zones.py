"""The `--tz` option."""

import datetime as dt
from typing import Final
from zoneinfo import ZoneInfo

import click

from clew.clock import LocalZone

_KEY: Final = "clew.zone"
_UNKNOWN: Final = "is not a time zone; use a name such as Europe/Berlin or UTC"


def zone_of(context: click.Context) -> dt.tzinfo:
    """Return the time zone of --tz, else that of this machine."""
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
    help="Time zone of days, such as Europe/Berlin. Default: that of this machine.",
)
