"""Where Claude Code keeps its data on this machine."""

import os
from pathlib import Path

from clew.source import find_roots, possible_roots


def default_roots() -> list[Path]:
    """Return the folders in which Claude Code keeps its data on this machine."""
    return find_roots(os.environ, Path.home())


def search_paths() -> list[Path]:
    """Return the folders in which clew looks for data of Claude Code, present or not."""
    return possible_roots(os.environ, Path.home())
