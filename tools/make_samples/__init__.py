"""stories → sample sessions.

The sessions that come with clew are acted here, with the builder that the tests use: people and
code in them are invented, and every run writes the same bytes.

    uv run python -m tools.make_samples
"""

import shutil
from pathlib import Path

from tools.make_samples.sessions import build_all

__all__ = ["write_samples"]


def write_samples(root: Path) -> list[Path]:
    """Write all sessions below a root, in place of those that are there; give the transcripts."""
    shutil.rmtree(root / "projects", ignore_errors=True)
    return [scene.write(root) for scene in build_all()]
