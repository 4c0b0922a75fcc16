"""Contestants with an archive that has everything: as whole programs, and in process."""

from typing import Final

from msgspec.structs import replace

from bench.archives import (
    PAGE,
    clew_regexes,
    clew_scan,
    clew_search,
    clew_size,
    clew_unchanged,
    in_archive,
    in_synced_archive,
    make_archive,
    ripgrep,
)
from bench.child import Given
from bench.contestant import LARGE, UP_TO_1_GB, Budget, Contestant, Limit, Run
from bench.first_run import CLEW

WORD: Final = b"retry"


def byte_search() -> Run:
    """Count a word in the bytes of every transcript."""

    def run(given: Given) -> int:
        return sum(path.read_bytes().count(WORD) for path in given.paths)

    return run


def _program(name: str, group: str, does: str, *arguments: str) -> Contestant:
    """Run clew as a user does: it looks for new transcripts first, and finds none."""
    return Contestant(
        name,
        group,
        does,
        command=(*CLEW, *arguments),
        environ=in_synced_archive,
        setup=make_archive,
    )


_USAGE: Final = _program("clew usage", "usage", "the whole program", "usage", "--json")
_SYNC: Final = _program("clew sync again", "unchanged", "the whole program", "sync", "--json")

SYNCED: Final = (
    replace(_USAGE, budgets=(Budget(4, "ccusage", LARGE),)),
    Contestant(
        "clew usage --no-sync",
        "usage",
        "the whole program, files not looked at",
        command=(*CLEW, "usage", "--no-sync", "--json"),
        environ=in_archive,
        setup=make_archive,
    ),
    Contestant("clew scan", "usage", "read the files, in process", clew_scan),
    replace(_SYNC, limits=(Limit("seconds", 0.3, UP_TO_1_GB),)),
    Contestant(
        "clew unchanged",
        "unchanged",
        "the same in process",
        clew_unchanged,
        setup=make_archive,
        limits=(Limit("bytes read", 0),),
    ),
    _program("clew list", "programs", "the newest, as a table", "list", "--limit", f"{PAGE}"),
    _program("clew list --json", "programs", "all sessions", "list", "--json"),
    _program(
        "clew search", "programs", "a word", "search", "retry", "--limit", f"{PAGE}", "--json"
    ),
    Contestant(
        "clew --help",
        "programs",
        "the whole program",
        command=(*CLEW, "--help"),
        limits=(Limit("seconds", 0.15),),
    ),
    Contestant(
        "clew archive",
        "size",
        "kept bytes, rows and index of raw",
        clew_size,
        setup=make_archive,
        limits=(Limit("share", 0.4),),
    ),
    Contestant("bytes", "search", "count a word in the bytes", byte_search, is_limit=True),
    Contestant("ripgrep", "search", "count words, all threads", ripgrep, needs="rg"),
    Contestant(
        "clew queries",
        "search",
        f"{PAGE} hits with snippets",
        clew_search,
        setup=make_archive,
        limits=(Limit("p50 ms", 15, UP_TO_1_GB), Limit("p99 ms", 80, UP_TO_1_GB)),
    ),
    Contestant(
        "clew regexes",
        "search",
        "regular expressions that the index can narrow",
        clew_regexes,
        setup=make_archive,
        limits=(Limit("p99 ms", 80, UP_TO_1_GB),),
    ),
)
