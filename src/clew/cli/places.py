"""Where a command looks when it is told nothing, and what to say when nothing is there."""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

import click

from clew.cli.text import visible
from clew.errors import NotFoundError
from clew.source import find_missing_roots, find_roots, to_text

USUAL_PLACES: Final = "CLAUDE_CONFIG_DIR, ~/.claude, ~/.config/claude"


def choose_paths(paths: Sequence[Path], roots: Sequence[Path]) -> list[Path]:
    """Give the paths to look in: those that were named, else all roots of this machine."""
    if paths:
        return [*paths, *roots]
    found = look_in_roots(roots)
    if not found:
        raise no_transcripts([])
    return found


def look_in_roots(roots: Iterable[Path] = ()) -> list[Path]:
    """Give the roots of this machine and some more; warn of configured ones that are missing."""
    for missing in find_missing_roots(os.environ, Path.home()):
        name = visible(to_text(str(missing)))
        click.echo(f"clew: CLAUDE_CONFIG_DIR names {name}, which does not exist", err=True)
    return find_roots(os.environ, Path.home(), roots)


def no_transcripts(looked_in: Sequence[Path]) -> NotFoundError:
    """Make the error that says where was looked and what to do."""
    places = ", ".join(map(str, looked_in)) or USUAL_PLACES
    return NotFoundError(
        f"no transcripts in {places}; name another folder with --root, or set CLAUDE_CONFIG_DIR "
        "to where Claude Code keeps its data"
    )
