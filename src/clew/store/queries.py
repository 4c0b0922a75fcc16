"""Named SQL statements, read from the files beside this module."""

import re
from functools import cache
from importlib import resources
from typing import Final

_NAME: Final = re.compile(r"^-- ([a-z_]+): ", re.MULTILINE)


def statement(name: str) -> str:
    """Give a statement by its name."""
    return statements()[name]


@cache
def statements() -> dict[str, str]:
    """Read all statements, each under the name in the comment above it."""
    found: dict[str, str] = {}
    folder = resources.files("clew.store") / "sql"
    for item in folder.iterdir():
        if item.name.endswith(".sql"):
            found.update(_split(item.read_text("utf-8")))
    return found


def _split(text: str) -> dict[str, str]:
    parts = _NAME.split(text)
    return {
        name: body.partition("\n")[2].strip()
        for name, body in zip(parts[1::2], parts[2::2], strict=True)
    }
