"""Prose as it stands in code → prose as people and models write it."""

import inspect
import re
import textwrap
from typing import Final

_BLOCK: Final = re.compile(r"\s*(?:[-*+] |\d+\. |#|\||>|```|    )")
_ENDS: Final = re.compile(r"#|\s*(?:\||```)")
_WIDE: Final = re.compile(r"[\u3000-\u9fff\uff00-\uffef]")


def prose(text: str) -> str:
    """Take the indent off and join the lines of each paragraph; code, lists and tables stay."""
    lines: list[str] = []
    in_code = False
    for line in inspect.cleandoc(text).split("\n"):
        if lines and not in_code and _continues(lines[-1], line):
            lines[-1] = _join(lines[-1], line.strip())
        else:
            lines.append(line)
        in_code ^= line.lstrip().startswith("```")
    return "\n".join(lines)


def code(text: str, indent: int = 0) -> str:
    """Take the indent of this file off some code, and put on that which it has in its own."""
    return textwrap.indent(textwrap.dedent(text).strip("\n"), " " * indent)


def _continues(before: str, line: str) -> bool:
    if not before.strip() or not line.strip() or _ENDS.match(before):
        return False
    return _BLOCK.match(line) is None


def _join(before: str, line: str) -> str:
    """Put a blank between words, but none between Chinese characters."""
    is_wide = _WIDE.match(before[-1]) and _WIDE.match(line[0])
    return f"{before}{line}" if is_wide else f"{before} {line}"
