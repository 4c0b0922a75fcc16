"""Who takes part, and what was promised of it."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Final

import msgspec

from bench.child import Given, Page

# How many were found, or figures with their names.
Run = Callable[[Given], int | dict[str, float]]
# Halfway between the two sizes for which budgets are stated, as powers go: 100 MB and 1 GB.
LARGE_BYTES: Final = 300_000_000
# The largest folder for which a time is promised: 1 GB, with what a generator may be off.
MOST_BYTES: Final = 1_100_000_000


class Sizes(msgspec.Struct, frozen=True):
    """The folders a promise is about, by their size in bytes."""

    at_least: int = 0
    below: int = 1 << 62

    def has(self, size_bytes: int) -> bool:
        """Tell whether a folder is one of them."""
        return self.at_least <= size_bytes < self.below


ANY_SIZE: Final = Sizes()
SMALL: Final = Sizes(below=LARGE_BYTES)
LARGE: Final = Sizes(at_least=LARGE_BYTES)
UP_TO_1_GB: Final = Sizes(below=MOST_BYTES)


class Budget(msgspec.Struct, frozen=True):
    """A promise: at least so many times as fast as another contestant of the same run.

    Contestants that read different folders are compared by bytes a second, with `by_rate`.
    """

    times: float
    reference: str
    sizes: Sizes = ANY_SIZE
    by_rate: bool = False

    @property
    def text(self) -> str:
        """Say it as it is printed."""
        rate = "the rate of " if self.by_rate else ""
        return f">= {self.times:g} x {rate}{self.reference}"


class Limit(msgspec.Struct, frozen=True):
    """A promise about one figure: never above so much."""

    figure: str
    at_most: float
    sizes: Sizes = ANY_SIZE

    @property
    def text(self) -> str:
        """Say it as it is printed."""
        return f"{self.figure} <= {self.at_most:g}"


class Contestant(msgspec.Struct, frozen=True):
    """Someone who takes part: a function of ours, or a program that may be installed.

    `prepare` imports what it needs and gives the function whose time counts. `command` is a
    program with its arguments, where `{folder}` stands for the folder, `{output}` for one to write
    to, `{copy}` for a copy that `before` makes and `{session}` for the longest session; `environ`
    gives what it finds in its environment. It is timed to its end, but on a `terminal` to the end
    of what it prints, and as a server to the moment when a `page` is there.

    `place` gives the folder it reads, if that is another one. `setup` makes ready, once and
    unmeasured, what all rounds need; `before` what each of them needs. A function that runs a
    program says which one it `needs`.
    """

    name: str
    group: str
    does: str
    prepare: Callable[[], Run] | None = None
    command: tuple[str, ...] = ()
    is_limit: bool = False
    budgets: tuple[Budget, ...] = ()
    limits: tuple[Limit, ...] = ()
    environ: Callable[[Path], dict[str, str]] | None = None
    place: Callable[[], Path] | None = None
    setup: Callable[[Path], None] | None = None
    before: Callable[[Path], None] | None = None
    terminal: bool = False
    page: Page | None = None
    needs: str = ""

    @property
    def is_installed(self) -> bool:
        """Tell whether its program, if it needs one, is there."""
        program = self.command[0] if self.command else self.needs
        return not program or shutil.which(program) is not None
