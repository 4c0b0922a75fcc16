"""A size and a seed → a folder of believable transcripts, always the same for the same two."""

import os
import re
import shutil
import sys
from pathlib import Path
from typing import Final

from bench.blueprint import Slot, draw_blueprint
from bench.clients import pick_client
from bench.dice import Dice
from bench.file_times import date_files
from bench.project import Project
from bench.session import Order, Past, SessionWriter

# A change of what is written for the same size and seed needs the next number.
GENERATOR_VERSION: Final = 2
UNITS: Final = {
    "": 1,
    "KB": 10**3,
    "MB": 10**6,
    "GB": 10**9,
    "KIB": 2**10,
    "MIB": 2**20,
    "GIB": 2**30,
}
SIZE: Final = re.compile(r"(\d+(?:\.\d+)?)\s*([KMG]I?B)?", re.IGNORECASE)

LONG_SESSION_VERSION: Final = "2.1.39"
FULL_SCALE: Final = 20_000_000


def parse_size(text: str) -> int:
    """Read a size such as `100MB`, `1.5GB` or `64KiB` as bytes."""
    match = SIZE.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"{text!r} is not a size; write it like 100MB or 1GB")
    return int(float(match[1]) * UNITS[(match[2] or "").upper()])


def generated(size: int, seed: int = 0) -> Path:
    """Give the kept folder of this size and seed, made now if it is not there yet."""
    folder = cache_folder() / f"{size}-seed{seed}-v{GENERATOR_VERSION}"
    if not folder.exists():
        generate(folder, size, seed)
    return folder


def cache_folder() -> Path:
    """Give the folder where generated transcripts are kept, outside of any checkout."""
    if chosen := os.environ.get("CLEW_BENCH_DIR"):
        return Path(chosen)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home())) / "clew-bench"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "clew-bench"
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "clew-bench"


def generate(folder: Path, size: int, seed: int = 0) -> None:
    """Write transcripts of this many bytes into a new folder, whole or not at all."""
    partial = folder.with_name(f".{folder.name}.{os.getpid()}.partial")
    partial.mkdir(parents=True)
    try:
        write_root(partial, size, seed)
        date_files(partial)
        partial.rename(folder)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def write_root(root: Path, size: int, seed: int) -> None:
    """Write a root: projects, sessions, agent runs and what lies beside them."""
    blueprint = draw_blueprint(size, seed)
    left, weight_left = float(size), blueprint.weight
    for number, slots in enumerate(blueprint.projects):
        project = Project(Dice(f"{seed}/{number}"), scale=min(1.0, size / FULL_SCALE))
        past: Past | None = None
        for position, slot in enumerate(slots):
            writer = _open_session(Dice(f"{seed}/{number}/{position}"), slot, project, root)
            # Each session takes its share of what the ones before have left.
            target = int(left * slot.weight / weight_left) if slot.weight else 0
            past = _write_session(writer, slot, target, past)
            left -= writer.scene.size
            weight_left -= slot.weight


def _open_session(dice: Dice, slot: Slot, project: Project, root: Path) -> SessionWriter:
    """Pick a version; the longest session comes from one that reports every step."""
    client = pick_client(dice, LONG_SESSION_VERSION if slot.is_longest else "")
    writer = SessionWriter(dice, project, client, root)
    if slot.is_longest:
        writer.scene.hooks = 3
    return writer


def _write_session(
    writer: SessionWriter, slot: Slot, target: int, past: Past | None
) -> Past | None:
    if target <= 0:
        writer.write_markers()
        return past
    forks = past is not None and 0 < past.size < target / 2 and writer.dice.chance(0.08)
    return writer.write(_order(writer, slot, target), past if forks else None)


def _order(writer: SessionWriter, slot: Slot, target: int) -> Order:
    """Say how many agent runs a session makes, and how many of them are mere warm-ups."""
    dice, client, runs, warm_ups = writer.dice, writer.scene.client, slot.runs, 0.0
    if not client.has("agent_files"):
        runs /= 3
    elif client.has("warm_ups"):
        runs, warm_ups = runs * 0.5, runs * 0.6
    return Order(target, _rounded(dice, runs), _rounded(dice, warm_ups), slot.is_longest)


def _rounded(dice: Dice, number: float) -> int:
    """Round up or down by chance, so that many small shares add up."""
    return int(number) + dice.chance(number % 1)
