"""Sizes as people write them: 500M, 20 GB."""

import re
from typing import Final

from clew.errors import UsageError

_SIZE: Final = re.compile(r"([0-9]{1,15}) ?([KMGT]?)B?")
_UNITS: Final = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_LARGEST: Final = 10**18


def parse_size(text: str) -> int:
    """Return a number of bytes, such as that of 500M or 20 GB.

    Raises:
        UsageError: It is not a size.
    """
    found = _SIZE.fullmatch(text.strip().upper())
    if found is None or int(found[1]) * _UNITS[found[2]] > _LARGEST:
        raise UsageError(f"{text!r} is not a size; use a number such as 500M or 20G")
    return int(found[1]) * _UNITS[found[2]]


def write_size(size: int) -> str:
    """Write a number of bytes in the largest unit of which it is a whole number."""
    unit = max((unit for unit in _UNITS if size % _UNITS[unit] == 0), key=_UNITS.__getitem__)
    return f"{size // _UNITS[unit]} {unit}B" if unit else str(size)
