"""Writes lines as a client does: one after the other, each on disk at once."""

from collections.abc import Sequence
from pathlib import Path

Plan = Sequence[tuple[Path, bytes]]


def write_lines(plan: Plan) -> None:
    """Write each line to the end of its file."""
    for path, line in plan:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab", buffering=0) as stream:
            stream.write(line.rstrip(b"\n") + b"\n")
