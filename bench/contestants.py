"""The table of contestants: limits that nobody can pass, libraries, programs, and clew."""

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from bench.append import APPEND, FIRST
from bench.archives import (
    PAGE,
    clew_scan,
    clew_search,
    clew_size,
    clew_unchanged,
    clew_usage,
    forget_new_archive,
    in_archive,
    in_new_archive,
    make_archive,
    ripgrep,
)
from bench.contest import Budget, Contestant, Limit, Run
from bench.pages import LOG, PAGES
from bench.peers import for_agentsview, for_ccusage, forget_agentsview

# Each function imports its library inside, so that a missing one fails alone and the memory of
# one does not count for another.
# ruff: noqa: PLC0415

WORD: Final = b"retry"


def plain_read() -> Run:
    """Read every byte and look at none."""

    def run(paths: Sequence[Path]) -> int:
        return sum(len(path.read_bytes()) for path in paths)

    return run


def newline_scan() -> Run:
    """Read every byte and split it into lines."""

    def run(paths: Sequence[Path]) -> int:
        return sum(len(path.read_bytes().split(b"\n")) - 1 for path in paths)

    return run


def json_lines() -> Run:
    """Decode each line with the standard library."""
    import json

    return _line_by_line(json.loads, ValueError)


def orjson_lines() -> Run:
    """Decode each line with orjson."""
    import orjson

    return _line_by_line(orjson.loads, ValueError)


def msgspec_lines() -> Run:
    """Decode each line with msgspec, without types."""
    import msgspec

    return _line_by_line(msgspec.json.Decoder().decode, msgspec.DecodeError)


def _line_by_line(decode: Callable[[bytes], object], bad: type[Exception]) -> Run:
    def run(paths: Sequence[Path]) -> int:
        found = 0
        for path in paths:
            with path.open("rb") as lines:
                for line in lines:
                    try:
                        decode(line)
                    except bad:
                        continue
                    found += 1
        return found

    return run


def clew_decode() -> Run:
    """Decode each line to typed entries."""
    from clew.entries import decode_all
    from clew.source import read_lines

    def run(paths: Sequence[Path]) -> int:
        found = 0
        for path in paths:
            for _ in decode_all(read_lines(path)):
                found += 1
        return found

    return run


def clew_build() -> Run:
    """Find all sessions, decode their transcripts and build their conversations."""
    from clew.conversation import build
    from clew.sessions import gather, group_sessions
    from clew.source import discover

    def run(paths: Sequence[Path]) -> int:
        sessions = group_sessions(discover(Path(os.path.commonpath(paths))).files)
        return sum(len(build(gather(session)).messages) for session in sessions)

    return run


def short_session() -> Run:
    """Build a session of ten thousand messages."""
    return _build_long(10_000)


def long_session() -> Run:
    """Build a session that is ten times as long."""
    return _build_long(100_000)


def _build_long(messages: int) -> Run:
    """Decode a session of its own, and give the function that builds it, whatever the folder."""
    from bench.long_session import long_lines
    from clew.conversation import Material, Transcript, TranscriptKind, build
    from clew.entries import decode_all
    from clew.source import split_lines

    entries = tuple(decode_all(split_lines(long_lines(messages), "long.jsonl")))
    material = Material("long", (Transcript("long", TranscriptKind.SESSION, entries),))

    # As files are read once beforehand, memory is taken once: what is timed is the building.
    build(material)

    def run(_: Sequence[Path]) -> int:
        return len(build(material).messages)

    return run


def byte_search() -> Run:
    """Count a word in the bytes of every transcript."""

    def run(paths: Sequence[Path]) -> int:
        return sum(path.read_bytes().count(WORD) for path in paths)

    return run


CONTESTANTS: Final = (
    Contestant("read", "decode", "read every byte", plain_read, is_limit=True),
    Contestant("newlines", "decode", "split into lines", newline_scan, is_limit=True),
    Contestant("json", "decode", "json.loads", json_lines),
    Contestant("orjson", "decode", "orjson.loads", orjson_lines),
    Contestant("msgspec", "decode", "msgspec, untyped", msgspec_lines),
    Contestant(
        "clew decode",
        "decode",
        "read_lines, decode_all",
        clew_decode,
        budget=Budget(1.5, "orjson"),
    ),
    Contestant("orjson lines", "build", "orjson.loads", orjson_lines),
    Contestant(
        "clew build",
        "build",
        "discover, gather, build",
        clew_build,
        budget=Budget(0.2, "orjson lines"),
    ),
    Contestant("10,000 messages", "growth", "build a made session", short_session),
    Contestant(
        "100,000 messages",
        "growth",
        "build one ten times as long",
        long_session,
        # No more than twelve times the time.
        budget=Budget(1 / 12, "10,000 messages"),
    ),
    Contestant(
        "ccusage",
        "usage",
        "daily, as JSON",
        command=("ccusage", "daily", "--json", "--offline"),
        environ=for_ccusage,
    ),
    Contestant("clew cold", "usage", "scan, summarise", clew_scan, budget=Budget(1.4, "ccusage")),
    Contestant(
        "clew warm",
        "usage",
        "open the archive, count",
        clew_usage,
        budget=Budget(10, "ccusage"),
        setup=make_archive,
    ),
    Contestant(
        "clew usage PATH",
        "usage",
        "the whole program",
        command=(sys.executable, "-m", "clew", "usage", "{folder}", "--json"),
    ),
    Contestant(
        "clew usage",
        "usage",
        "the whole program",
        command=(sys.executable, "-m", "clew", "usage", "--no-sync", "--json"),
        environ=in_archive,
        setup=make_archive,
    ),
    Contestant(
        "agentsview",
        "sync",
        "first sync, in one process",
        command=("agentsview", "sync"),
        environ=for_agentsview,
        before=forget_agentsview,
    ),
    Contestant(
        "clew sync",
        "sync",
        "first sync, the whole program",
        command=(sys.executable, "-m", "clew", "sync", "--json"),
        environ=in_new_archive,
        before=forget_new_archive,
        budget=Budget(10, "agentsview"),
        limits=(Limit("peak MB", 400),),
    ),
    Contestant(
        "clew unchanged",
        "unchanged",
        "sync what is kept already",
        clew_unchanged,
        setup=make_archive,
        limits=(Limit("seconds", 0.2), Limit("bytes read", 0)),
    ),
    *APPEND,
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
        "clew search",
        "search",
        f"{PAGE} hits with snippets",
        clew_search,
        setup=make_archive,
        limits=(Limit("p50 ms", 15), Limit("p99 ms", 80)),
    ),
    *PAGES,
    Contestant(
        "clew --help",
        "start",
        "the whole program",
        command=(sys.executable, "-m", "clew", "--help"),
        limits=(Limit("seconds", 0.15),),
    ),
)
REFERENCES: Final = {
    "decode": "orjson",
    "build": "orjson lines",
    "growth": "10,000 messages",
    "usage": "ccusage",
    "sync": "agentsview",
    "append": FIRST,
    "search": "bytes",
    "html": LOG,
}
