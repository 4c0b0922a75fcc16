"""A size and a seed → which sessions there are, how large, and in which project."""

from math import exp, sqrt
from statistics import NormalDist
from typing import Final

import msgspec

from bench.dice import Dice

# Shares and spreads as counted in real folders: most files are small, a few hold most bytes.
FILES_AT_100_MB: Final = 330
FILES_EXPONENT: Final = 0.843
SESSION_SHARE: Final = 0.45
EMPTY_SHARE: Final = 0.08
SIZE_SPREAD: Final = 1.8
LARGEST_SHARE: Final = 0.17
LARGEST_SESSION: Final = 40_000_000
# Some sessions end before all their runs are started.
RUNS_WRITTEN: Final = 1.4


class Slot(msgspec.Struct, frozen=True):
    """The place of one session: its share of the bytes, and its agent runs on average."""

    weight: float
    runs: float = 0.0
    is_longest: bool = False


class Blueprint(msgspec.Struct, frozen=True):
    """All sessions, project by project. The very last one is the longest."""

    files: int
    projects: tuple[tuple[Slot, ...], ...]

    @property
    def weight(self) -> float:
        """Add up the weights of all sessions."""
        return sum(slot.weight for slots in self.projects for slot in slots)


def draw_blueprint(size: int, seed: int = 0) -> Blueprint:
    """Plan the sessions for this many bytes."""
    files = max(4, round(FILES_AT_100_MB * (size / 100_000_000) ** FILES_EXPONENT))
    sessions = max(2, round(files * SESSION_SHARE))
    empty = int(sessions * EMPTY_SHARE)
    *slots, longest = _share_out(size, sessions - empty, files - sessions)
    slots += [Slot(0.0)] * empty
    dice = Dice(f"{seed}/order")
    dice.shuffle(slots)
    projects: list[list[Slot]] = [[] for _ in range(max(1, round(sqrt(sessions))))]
    shares = [1 / (rank + 2) for rank in range(len(projects))]
    for slot in slots:
        dice.choices(projects, weights=shares)[0].append(slot)
    projects[-1].append(msgspec.structs.replace(longest, is_longest=True))
    return Blueprint(files, tuple(tuple(slots) for slots in projects))


def _share_out(size: int, sessions: int, runs: int) -> list[Slot]:
    """Give the sessions that talk, the smallest first; the last is the longest."""
    normal = NormalDist(0, SIZE_SPREAD)
    weights = [exp(normal.inv_cdf((rank + 0.5) / sessions)) for rank in range(sessions)]
    largest = sum(weights) * min(LARGEST_SHARE, LARGEST_SESSION / size)
    capped = [min(weight, largest) for weight in weights]
    each = RUNS_WRITTEN * runs / sum(map(sqrt, capped))
    return [Slot(weight, each * sqrt(weight)) for weight in capped]
