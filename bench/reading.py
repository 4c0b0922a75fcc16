"""Contestants that read: bytes, lines, entries, conversations."""

from collections.abc import Callable
from typing import Final

from bench.child import Given
from bench.contestant import Budget, Contestant, Run
from bench.own_folders import scaled

# Each function imports its library inside, so that a missing one fails alone and the memory of
# one does not count for another.
# ruff: noqa: PLC0415


def plain_read() -> Run:
    """Read every byte and look at none."""

    def run(given: Given) -> int:
        return sum(len(path.read_bytes()) for path in given.paths)

    return run


def newline_scan() -> Run:
    """Read every byte and split it into lines."""

    def run(given: Given) -> int:
        return sum(len(path.read_bytes().split(b"\n")) - 1 for path in given.paths)

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
    def run(given: Given) -> int:
        found = 0
        for path in given.paths:
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

    def run(given: Given) -> int:
        found = 0
        for path in given.paths:
            for _ in decode_all(read_lines(path)):
                found += 1
        return found

    return run


def clew_build() -> Run:
    """Find all sessions, decode their transcripts and build their conversations."""
    from clew.conversation import build
    from clew.sessions import gather, group_sessions
    from clew.source import discover

    def run(given: Given) -> int:
        sessions = group_sessions(discover(given.folder).files)
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
    from bench.long_session import LEAST_MESSAGES, long_lines
    from clew.conversation import Material, Transcript, TranscriptKind, build
    from clew.entries import decode_all
    from clew.source import split_lines

    lines = long_lines(max(LEAST_MESSAGES, scaled(messages)))
    entries = tuple(decode_all(split_lines(lines, "long.jsonl")))
    material = Material("long", (Transcript("long", TranscriptKind.SESSION, entries),))

    # As files are read once beforehand, memory is taken once: what is timed is the building.
    build(material)

    def run(_: Given) -> int:
        return len(build(material).messages)

    return run


READING: Final = (
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
        budgets=(Budget(1.25, "orjson"),),
    ),
    Contestant(
        "clew build",
        "build",
        "discover, gather, build",
        clew_build,
        budgets=(Budget(0.2, "orjson"),),
    ),
    Contestant("10,000 messages", "growth", "build a made session", short_session),
    Contestant(
        "100,000 messages",
        "growth",
        "build one ten times as long",
        long_session,
        # No more than twelve times the time.
        budgets=(Budget(1 / 12, "10,000 messages"),),
    ),
)
