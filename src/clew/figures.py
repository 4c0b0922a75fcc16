"""Numbers formatted for people."""

from typing import Final

_SECOND: Final = 1000
_MINUTE: Final = 60
_HOUR: Final = 3600
_DAY: Final = 86400


def plural(number: int, noun: str, nouns: str = "") -> str:
    """Write a number with its noun: `1 call`, `2,000 calls`."""
    return f"{number:,} {noun if number == 1 else nouns or noun + 's'}"


def duration(milliseconds: float) -> str:
    """Write a length of time: `0.4 s`, `12 s`, `2 min 10 s`, `1 h 12 min`, `3 d 4 h`."""
    seconds = milliseconds / _SECOND
    if seconds < _MINUTE:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < _HOUR:
        return _two(whole // _MINUTE, "min", whole % _MINUTE, "s")
    if whole < _DAY:
        return _two(whole // _HOUR, "h", whole % _HOUR // _MINUTE, "min")
    return _two(whole // _DAY, "d", whole % _DAY // _HOUR, "h")


def _two(large: int, unit: str, small: int, small_unit: str) -> str:
    return f"{large} {unit} {small} {small_unit}" if small else f"{large} {unit}"
