"""A shell command → what it may write."""

from clew.replay.shell.effects import ANYTHING, NOTHING, Effects, covers, find_effects

__all__ = ["ANYTHING", "NOTHING", "Effects", "covers", "find_effects"]
