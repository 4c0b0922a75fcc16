"""Where a command looks when it is told nothing, and what to say when nothing is there."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from clew.errors import NotFoundError
from clew.source import find_roots

USUAL_PLACES: Final = "CLAUDE_CONFIG_DIR, ~/.claude, ~/.config/claude"


def choose_paths(paths: Sequence[Path], roots: Sequence[Path]) -> list[Path]:
    """Give the paths to look in: those that were named, else all roots of this machine."""
    if paths:
        return [*paths, *roots]
    found = find_roots(os.environ, Path.home(), roots)
    if not found:
        raise no_transcripts([])
    return found


def no_transcripts(looked_in: Sequence[Path]) -> NotFoundError:
    """Make the error that says where was looked and what to do."""
    places = ", ".join(map(str, looked_in)) or USUAL_PLACES
    return NotFoundError(
        f"no transcripts in {places}; name another folder with --root, or set CLAUDE_CONFIG_DIR "
        "to where Claude Code keeps its data"
    )
