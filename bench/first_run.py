"""Contestants on a machine where nothing is archived yet: how soon there is an answer.

On a terminal, clew answers and then archives: the clock stops when the answer stands there, and
Ctrl-C ends the rest. With its output in a pipe it answers, and ends.
"""

import sys
from typing import Final

from bench.archives import forget_new_archive, in_new_archive
from bench.child import Page
from bench.contestant import UP_TO_1_GB, Budget, Contestant, Limit
from bench.peers import for_ccusage

CLEW: Final = (sys.executable, "-m", "clew")
SESSIONS: Final = 20
_ON_FIRST_PAGE: Final = 10
_NO_SLOWER: Final = Budget(1, "ccusage")


def _answer(*arguments: str, promised: tuple[Budget | Limit, ...] = ()) -> Contestant:
    """Let a user type a command in a terminal."""
    return _first(arguments, "on a terminal, to the end of its answer", promised, terminal=True)


def _piped(*arguments: str, promised: tuple[Budget | Limit, ...] = ()) -> Contestant:
    """Let a script run a command."""
    return _first(arguments, "in a pipe, the whole program", promised, terminal=False)


def _first(
    arguments: tuple[str, ...],
    does: str,
    promised: tuple[Budget | Limit, ...],
    *,
    terminal: bool,
) -> Contestant:
    name = " ".join(("first: clew", *arguments))
    return Contestant(
        name,
        "first",
        does,
        command=(*CLEW, *arguments),
        environ=in_new_archive,
        before=forget_new_archive,
        budgets=tuple(each for each in promised if isinstance(each, Budget)),
        limits=tuple(each for each in promised if isinstance(each, Limit)),
        terminal=terminal,
    )


FIRST_RUN: Final = (
    Contestant(
        "ccusage",
        "first",
        "daily, as JSON",
        command=("ccusage", "daily", "--json", "--offline"),
        environ=for_ccusage,
    ),
    _answer("usage", promised=(_NO_SLOWER,)),
    _piped("usage", "--json", promised=(_NO_SLOWER,)),
    _answer("list", promised=(Limit("seconds", 1.5, UP_TO_1_GB),)),
    _piped("list", "--limit", f"{SESSIONS}", promised=(Limit("seconds", 1.5, UP_TO_1_GB),)),
    _piped("list", "--json"),
    _answer("show", "latest", promised=(Limit("screen s", 1, UP_TO_1_GB),)),
    _answer(),
    Contestant(
        "first: clew open",
        "first",
        f"to a page with the newest {_ON_FIRST_PAGE} sessions",
        command=(*CLEW, "open", "--port", "0"),
        environ=in_new_archive,
        before=forget_new_archive,
        page=Page("/", _ON_FIRST_PAGE),
        limits=(Limit("seconds", 2, UP_TO_1_GB),),
    ),
)
