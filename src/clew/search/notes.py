"""What was searched and what was not, in words."""

from typing import Final

from clew.figures import plural
from clew.search.blocks import Blocks
from clew.search.matches import RANKED
from clew.search.matching import Matching
from clew.search.page import HitPage

_GOES_ON: Final = "the next page continues"
_ADVICE: Final = (
    "to search the rest, add a word or a filter such as project: or before:, "
    "or simplify the regular expression"
)


def describe_words(blocks: Blocks, page: HitPage) -> tuple[str, ...]:
    """Say how hits are ranked where there are many, and how far the search has come."""
    notes: list[str] = []
    if blocks.matches.total > RANKED:
        order = "those with the most and rarest words" if blocks.matches.coverage else "the newest"
        notes.append(f"hits are ranked in groups of {RANKED:,} texts, {order} first")
    if not page.is_done:
        notes.append(f"{_searched(blocks)}; {_GOES_ON}")
    return tuple(notes)


def describe_matches(blocks: Blocks, matching: Matching, page: HitPage) -> tuple[str, ...]:
    """Say how many texts a regular expression was tried on, if not on all to their end."""
    if matching.is_late:
        return (_describe_stop(blocks, matching),)
    if not page.is_done:
        return (f"{_searched(blocks)}; {_GOES_ON}",)
    if matching.unread:
        return (f"of {plural(len(matching.unread), 'long text')} only the beginning was searched",)
    return ()


def _searched(blocks: Blocks) -> str:
    """Count texts; those that are left are known only where all of them are searched."""
    matches = blocks.matches
    is_known = matches.is_counted and blocks.searched == matches.looked
    of_all = f" of {matches.total:,}" if is_known else ""
    order = "best" if matches.coverage else "newest"
    return f"searched the {order} {blocks.searched:,}{of_all} texts"


def _describe_stop(blocks: Blocks, matching: Matching) -> str:
    cut = len(matching.long) + len(matching.unread)
    whole = blocks.searched - matching.skipped - cut
    total = blocks.count_all()
    of_all = "" if total is None else f" of {total:,}"
    beginnings = f", of {cut:,} more only the beginning" if cut else ""
    return (
        f"the search timed out: searched {whole:,}{of_all} texts, "
        f"the newest first{beginnings}; {_ADVICE}"
    )
