"""A text → the passwords of its lines that are of a `.pgpass` file."""

import re
from collections.abc import Iterator
from typing import Final

from clew.redact.keywords import Positions
from clew.redact.shapes import is_placeholder
from clew.redact.spans import AsciiView, SecretSpan

RULE: Final = "password"
# Ports of the server and of poolers, and any port; others could be the number of a line, which the
# number of a column would follow.
_PORTS: Final = (":543", ":6432:", ":*:")
_HOST_SIGNS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.*/[]"
_LONGEST_HOST: Final = 255
_FIELD: Final = r"(?:[^:\s\\\"'`]|\\[:\\])"
_REST: Final = re.compile(
    rf":(?:\d{{4,5}}|\*):(?!\d+:){_FIELD}{{1,64}}+:{_FIELD}{{1,64}}+:({_FIELD}{{3,256}}+)"
    r"(?=[\s\"'`]|\\[nrt]|\Z)"
)


def find_pgpass(view: AsciiView, words: Positions) -> Iterator[SecretSpan]:
    """Find the last of five fields: host, port, database, user, password."""
    done = 0
    for position in sorted(position for port in _PORTS for position in words.get(port, ())):
        found = _REST.match(view.text, position) if position >= done else None
        if found and _has_host(view, position) and not is_placeholder(found[1]):
            done = found.end()
            yield SecretSpan(*found.span(1), RULE)


def _has_host(view: AsciiView, position: int) -> bool:
    """Return whether a host is before a port; `*` alone is distinguished from parts of an ARN."""
    head = view.plain[max(0, position - _LONGEST_HOST) : position]
    before = head.rstrip(_HOST_SIGNS)
    is_any = view.text.startswith(":*:", position)
    return len(before) < len(head) and not (is_any and before.endswith(":"))
