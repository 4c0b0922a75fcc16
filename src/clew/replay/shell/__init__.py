"""A shell command → what it may write."""

from clew.replay.shell.copies import copies_text
from clew.replay.shell.effects import ANYTHING, NOTHING, Effects, covers, find_effects

__all__ = ["ANYTHING", "NOTHING", "Effects", "copies_text", "covers", "find_effects"]
