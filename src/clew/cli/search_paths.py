"""Where commands look for transcripts, and the error when there are none."""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

import click

from clew.cli.text import visible
from clew.errors import NotFoundError
from clew.source import find_missing_roots, find_roots, to_text

DEFAULT_PATHS: Final = "CLAUDE_CONFIG_DIR, ~/.claude, ~/.config/claude"


def paths_or_roots(paths: Sequence[Path], roots: Sequence[Path]) -> list[Path]:
    """Give the paths to search: those on the command line, else all roots of this machine."""
    if paths:
        return [*paths, *roots]
    found = find_existing_roots(roots)
    if not found:
        raise no_transcripts([])
    return found


def find_existing_roots(roots: Iterable[Path] = ()) -> list[Path]:
    """Give this machine's roots and the additional ones; warn of missing ones."""
    for missing in find_missing_roots(os.environ, Path.home()):
        name = visible(to_text(str(missing)))
        click.echo(f"clew: {name}, set in CLAUDE_CONFIG_DIR, does not exist", err=True)
    return find_roots(os.environ, Path.home(), roots)


def no_transcripts(searched: Sequence[Path]) -> NotFoundError:
    """Make the error that says where clew searched and what to do."""
    paths = ", ".join(map(str, searched)) or DEFAULT_PATHS
    return NotFoundError(
        f"no transcripts found in {paths}; use --root to add a directory, or set CLAUDE_CONFIG_DIR "
        "to Claude Code's data directory"
    )
