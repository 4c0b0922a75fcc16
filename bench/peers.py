"""Where other programs find the transcripts, and nothing else: a home of their own, no network."""

import hashlib
import os
import shutil
from pathlib import Path
from typing import Final

from bench.generate import cache_folder

# Nobody listens there: whoever asks the network for something gets an error at once.
NOWHERE: Final = "http://127.0.0.1:9"


def private_home(folder: Path, name: str) -> Path:
    """Give a home that a program has for itself, for this folder of transcripts."""
    digest = hashlib.sha256(os.fsencode(folder.absolute())).hexdigest()[:16]
    return cache_folder() / f"{name}-{digest}"


def isolated(home: Path) -> dict[str, str]:
    """Let a program keep all it writes in a home of its own, and reach nobody."""
    home.mkdir(parents=True, exist_ok=True)
    return {
        "HOME": str(home),
        "XDG_CACHE_HOME": str(home / "cache"),
        "XDG_CONFIG_HOME": str(home / "config"),
        "XDG_DATA_HOME": str(home / "data"),
        "CLEW_BLOBS": "",
        "CLEW_CONFIG": "",
        "HTTP_PROXY": NOWHERE,
        "HTTPS_PROXY": NOWHERE,
        "ALL_PROXY": NOWHERE,
    }


def for_ccusage(folder: Path) -> dict[str, str]:
    """Let ccusage take the folder for the one where Claude Code keeps its data."""
    home = isolated(private_home(folder, "ccusage"))
    return {**home, "CLAUDE_CONFIG_DIR": str(folder), "LOG_LEVEL": "0"}


def for_agentsview(folder: Path) -> dict[str, str]:
    """Let agentsview sync the folder alone, in its own process."""
    home = private_home(folder, "agentsview")
    return {
        **isolated(home),
        "AGENTSVIEW_DATA_DIR": str(home / "agentsview"),
        "AGENTSVIEW_DISABLE_UPDATE_CHECK": "1",
        "AGENTSVIEW_NO_DAEMON": "1",
        "AGENTSVIEW_TELEMETRY_ENABLED": "0",
        "CLAUDE_CONFIG_DIR": str(folder),
        "CLAUDE_PROJECTS_DIR": str(folder / "projects"),
    }


def forget_agentsview(folder: Path) -> None:
    """Take away what agentsview knows, so that its next sync is a first one."""
    shutil.rmtree(private_home(folder, "agentsview"), ignore_errors=True)
