"""Named SQL statements, read from the files beside this module.

A name in braces stands for the text of that name: what several statements ask is told once.
"""

import re
from functools import cache
from importlib import resources
from typing import Final

_NAME: Final = re.compile(r"^-- ([a-z_]+): ", re.MULTILINE)
_PART: Final = re.compile(r"\{([a-z_]+)\}")


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
    return {name: _whole(name, found) for name in found}


def _whole(name: str, known: dict[str, str]) -> str:
    """Give a statement with its parts in their places."""
    return _PART.sub(lambda part: _whole(part[1], known).removesuffix(";"), known[name])


def _split(text: str) -> dict[str, str]:
    parts = _NAME.split(text)
    return {
        name: body.partition("\n")[2].strip()
        for name, body in zip(parts[1::2], parts[2::2], strict=True)
    }
