"""nothing → sessions to look at.

Sample sessions for those who have none yet: a root like the one that Claude Code keeps, made by
`tools/make_samples`. All people, projects and figures in them are invented.
"""

from importlib import resources
from pathlib import Path

__all__ = ["samples_root"]


def samples_root() -> Path:
    """Return the folder that contains the samples, to be read like `~/.claude`."""
    return Path(str(resources.files(__name__)))
