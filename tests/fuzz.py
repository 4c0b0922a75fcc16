"""Damage real lines in many ways and see whether the reader ever raises.

    python -m tests.fuzz --lines 1000000 --seed 1 [--from DIR] [--jobs N]

The exit code is 1 when something raised; the smallest line that did is shown for each kind of
error. The same seed and number of jobs give the same lines.
"""

import argparse
import os
import re
import sys
import time
import traceback
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Final

import msgspec

from clew.entries import Entry, User, classify, decode, result_links, unnamed
from clew.source import Line
from tests.recordings import HERE

# Below this size a line is cheap to take apart; longer ones are rare and damaged as bytes only.
_SHORT_BYTES: Final = 8_000
_LONG_SHARE: Final = 0.02
_MOST_SEEDS: Final = 8_000
_SHOWN_BYTES: Final = 300

# What stands in for a value: other types, extremes, and what no encoder would write.
ODD_VALUES: Final = (
    b"null",
    b"true",
    b"0",
    b"-1",
    b"1.5",
    b"1e999",
    b"9" * 400,
    b"9223372036854775808",
    b"NaN",
    b"-Infinity",
    b'""',
    b"[]",
    b"{}",
    b"[[]]",
    b'[null,1,"a",{}]',
    b'{"type":"text"}',
    b'{"type":7,"text":[]}',
    b"[" * 3000 + b"]" * 3000,
    b'{"a":' * 1500 + b"1" + b"}" * 1500,
    b"[" * 100_000,
    b'"\\ud800"',
    b'"\\udc00\\ud800x"',
    b'"\\u0000"',
    b'"\\x"',
    b'"\xff\xfe\xc0\x80"',
    b'"\xed\xa0\x80"',
    b'"' + b"a" * 5000 + b'"',
    b'"2026-13-45T99:99:99Z"',
    b'"user"',
    b"\x00" * 64,
    b"",
    b"'a'",
)
TYPES: Final = (
    b"user",
    b"assistant",
    b"system",
    b"attachment",
    b"progress",
    b"summary",
    b"queue-operation",
    b"file-history-snapshot",
    b"cost-state",
    b"text",
    b"tool_use",
    b"tool_result",
    b"compact_boundary",
    b"",
    b"nobody-knows",
)
JUNK: Final = (*ODD_VALUES, b'"', b"\\", b",", b":", b"{", b"}", b"]", b"\xef\xbb\xbf", b"\r")

_TOKEN: Final = re.compile(
    rb'"(?:[^"\\]|\\.)*"(?P<key>:)?|-?\d[\d.eE+-]*|true|false|null|(?P<open>[{\[])|(?P<close>[}\]])'
)
_TYPE: Final = re.compile(rb'"(?:type|subtype)":"([^"]*)"')

Span = tuple[int, int]


class Seeds(msgspec.Struct, frozen=True):
    """The real lines that are damaged."""

    short: list[bytes]
    long: list[bytes]


class Finding(msgspec.Struct, frozen=True):
    """A line that made something raise."""

    target: str
    error: str
    place: str
    words: str
    raw: bytes

    @property
    def kind(self) -> str:
        """Tell findings apart by what raised which error, and where."""
        return f"{self.target}: {self.error} in {self.place}"


class Report(msgspec.Struct, frozen=True):
    """What came of one run: how many lines, how many raised, and the smallest of each kind."""

    lines: int
    raised: int = 0
    smallest: dict[str, Finding] = {}


class Order(msgspec.Struct, frozen=True):
    """What one process is asked to do."""

    folder: Path
    lines: int
    seed: str
    is_dry: bool = False


def _classify(entry: Entry) -> object:
    return classify(entry.body) if isinstance(entry.body, User) else None


def _links(entry: Entry) -> object:
    return result_links(entry.body.tool_use_result) if isinstance(entry.body, User) else None


# What is run on each entry of a damaged line, after `decode` has read the line itself.
TARGETS: Final[dict[str, Callable[[Entry], object]]] = {
    "classify": _classify,
    "links": _links,
    "drift": unnamed,
}

Mutation = Callable[[Random, bytes, Seeds], bytes]


def truncate(rng: Random, line: bytes, _: Seeds) -> bytes:
    """Stop somewhere."""
    return line[: _place(rng, line)]


def delete(rng: Random, line: bytes, _: Seeds) -> bytes:
    """Take out a piece."""
    start, end = _piece(rng, line)
    return line[:start] + line[end:]


def duplicate(rng: Random, line: bytes, _: Seeds) -> bytes:
    """Write a piece twice."""
    start, end = _piece(rng, line)
    return line[:end] + line[start:]


def insert(rng: Random, line: bytes, _: Seeds) -> bytes:
    """Put in something that does not belong there."""
    at = _place(rng, line)
    return line[:at] + rng.choice(JUNK) + line[at:]


def flip(rng: Random, line: bytes, _: Seeds) -> bytes:
    """Turn over a few bits."""
    changed = bytearray(line or b"\x00")
    for _count in range(1 + int(rng.random() * 4)):
        changed[int(rng.random() * len(changed))] ^= 1 << int(rng.random() * 8)
    return bytes(changed)


def splice(rng: Random, line: bytes, seeds: Seeds) -> bytes:
    """Go on with the end of another line."""
    other = pick(rng, seeds)
    return line[: _place(rng, line)] + other[_place(rng, other) :]


def glue(rng: Random, line: bytes, seeds: Seeds) -> bytes:
    """Put another line on the same line."""
    return line + pick(rng, seeds)


def replace_value(rng: Random, line: bytes, _: Seeds) -> bytes:
    """Put an odd value in the place of a value."""
    start, end = _any(rng, spans(line)[1], line)
    return line[:start] + rng.choice(ODD_VALUES) + line[end:]


def rename_key(rng: Random, line: bytes, _: Seeds) -> bytes:
    """Call a key otherwise, or as another key of the line."""
    keys = spans(line)[0]
    start, end = _any(rng, keys, line)
    other_start, other_end = _any(rng, keys, line)
    name = line[other_start:other_end] if rng.random() < 0.5 else b'"renamed"'
    return line[:start] + name + line[end:]


def drop_key(rng: Random, line: bytes, _: Seeds) -> bytes:
    """Take out a key with its value."""
    start, end = _any(rng, spans(line)[2], line)
    return line[:start] + line[end:].removeprefix(b",")


def change_type(rng: Random, line: bytes, _: Seeds) -> bytes:
    """Say that a record or a block is of another type."""
    found = list(_TYPE.finditer(line, 0, _SHORT_BYTES))
    if not found:
        return line
    start, end = rng.choice(found).span(1)
    return line[:start] + rng.choice(TYPES) + line[end:]


def random_bytes(rng: Random, _: bytes, __: Seeds) -> bytes:
    """Forget the line."""
    return rng.randbytes(int(rng.random() * 200))


def random_json(rng: Random, _: bytes, __: Seeds) -> bytes:
    """Make up a record."""
    keys = (b"type", b"uuid", b"message", b"content", b"timestamp", b"attachment", b"data")
    pairs = [b'"%s":%s' % (key, rng.choice(ODD_VALUES)) for key in keys if rng.random() < 0.5]
    return b'{"type":"%s",%s}' % (rng.choice(TYPES), b",".join(pairs))


# Each with its share.
MUTATIONS: Final[tuple[tuple[int, Mutation], ...]] = (
    (10, truncate),
    (10, delete),
    (10, duplicate),
    (10, insert),
    (10, flip),
    (8, splice),
    (4, glue),
    (30, replace_value),
    (8, rename_key),
    (8, drop_key),
    (8, change_type),
    (2, random_bytes),
    (2, random_json),
)
_CHOICES: Final = tuple(mutation for share, mutation in MUTATIONS for _ in range(share))
# Damage on damage is done to bytes: only real lines are taken apart, each once.
_FURTHER: Final = (truncate, delete, duplicate, insert, flip, splice, glue)


def mutate(rng: Random, seeds: Seeds) -> bytes:
    """Give a real line with one damage, or now and then with several."""
    line = rng.choice(_CHOICES)(rng, pick(rng, seeds), seeds)
    while rng.random() < 0.15:
        line = rng.choice(_FURTHER)(rng, line, seeds)
    return line.replace(b"\n", b" ")


def pick(rng: Random, seeds: Seeds) -> bytes:
    """Choose a real line, rarely a long one."""
    lines = seeds.long if seeds.long and rng.random() < _LONG_SHARE else seeds.short
    return lines[int(rng.random() * len(lines))]


@lru_cache(maxsize=_MOST_SEEDS)
def spans(line: bytes) -> tuple[list[Span], list[Span], list[Span]]:
    """Find the keys, the values and the pairs of a short line; none in one that is no JSON."""
    keys: list[Span] = []
    values: list[Span] = []
    pairs: list[Span] = []
    opened: list[tuple[int, Span | None]] = []
    key: Span | None = None
    for token in _TOKEN.finditer(line, 0, _SHORT_BYTES):
        if token["key"]:
            key = (token.start(), token.end() - 1)
            keys.append(key)
        elif token["open"]:
            opened.append((token.start(), key))
            key = None
        elif not token["close"] or opened:
            start, key = opened.pop() if token["close"] else (token.start(), key)
            values.append((start, token.end()))
            pairs += [(key[0], token.end())] if key else []
            key = None
    return keys, values, pairs


def read_seeds(folder: Path, rng: Random) -> Seeds:
    """Read the lines below a folder, each once; of many, take some by chance."""
    found = {
        line: None
        for path in sorted(folder.rglob("*.jsonl"))
        for line in path.read_bytes().split(b"\n")
        if line
    }
    lines = rng.sample(list(found), min(len(found), _MOST_SEEDS))
    short = [line for line in lines if len(line) <= _SHORT_BYTES]
    return Seeds(short, [line for line in lines if len(line) > _SHORT_BYTES])


def check(raw: bytes) -> Finding | None:
    """Read one line as the program would; what raises is a finding."""
    target = "decode"
    try:
        entries = decode(Line(raw, "fuzz.jsonl", 1, 0))
        for target, run in TARGETS.items():  # noqa: B007  named in the finding
            for entry in entries:
                run(entry)
    except Exception as error:  # noqa: BLE001  whatever is raised is what we look for
        frame = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{Path(frame.filename).name}:{frame.lineno}"
        return Finding(target, type(error).__name__, place, str(error)[:_SHOWN_BYTES], raw)
    return None


def fuzz(order: Order) -> Report:
    """Damage and check as many lines as ordered."""
    rng = Random(order.seed)  # noqa: S311  no secret, but the same lines for the same seed
    seeds = read_seeds(order.folder, rng)
    raised = 0
    smallest: dict[str, Finding] = {}
    for _ in range(order.lines):
        raw = mutate(rng, seeds)
        finding = None if order.is_dry else check(raw)
        if finding:
            raised += 1
            _keep_smallest(smallest, finding)
    return Report(order.lines, raised, smallest)


def shrink(finding: Finding, tries: int = 3000) -> Finding:
    """Take out of a line what is not needed for it to raise the same."""
    size = len(finding.raw) // 2
    while size and tries > 0:
        at = 0
        while at < len(finding.raw) and tries > 0:
            tries -= 1
            smaller = check(finding.raw[:at] + finding.raw[at + size :])
            if smaller and smaller.kind == finding.kind:
                finding = smaller
            else:
                at += size
        size //= 2
    return finding


def merge(reports: Iterable[Report]) -> Report:
    """Add up what several processes found."""
    lines = raised = 0
    smallest: dict[str, Finding] = {}
    for report in reports:
        lines, raised = lines + report.lines, raised + report.raised
        for finding in report.smallest.values():
            _keep_smallest(smallest, finding)
    return Report(lines, raised, {kind: shrink(found) for kind, found in smallest.items()})


def main(arguments: list[str] | None = None) -> int:
    """Run from the command line."""
    options = _parser().parse_args(arguments)
    began = time.perf_counter()
    share, rest = divmod(options.lines, options.jobs)
    orders = [
        Order(options.folder, share + (job < rest), f"{options.seed}/{job}", options.dry_run)
        for job in range(options.jobs)
    ]
    with ProcessPoolExecutor(options.jobs) as pool:
        report = merge(pool.map(fuzz, orders))
    seconds = time.perf_counter() - began
    rate = f"{report.lines / seconds:,.0f} lines per second"
    sys.stdout.write(f"{report.lines} lines, {report.raised} raised, {rate}\n")
    for kind, finding in sorted(report.smallest.items()):
        shown = repr(finding.raw[:_SHOWN_BYTES])
        sys.stdout.write(f"\n{kind}: {finding.words}\n  {len(finding.raw)} bytes: {shown}\n")
    return 1 if report.raised else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--lines", type=int, default=100_000, help="how many lines to make")
    parser.add_argument("--seed", default="1", help="the same seed makes the same lines")
    parser.add_argument("--from", dest="folder", type=Path, default=HERE, help="real transcripts")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes")
    parser.add_argument("--dry-run", action="store_true", help="make the lines, read none")
    return parser


def _keep_smallest(smallest: dict[str, Finding], finding: Finding) -> None:
    known = smallest.get(finding.kind)
    if known is None or len(finding.raw) < len(known.raw):
        smallest[finding.kind] = finding


def _place(rng: Random, line: bytes) -> int:
    return int(rng.random() * (len(line) + 1))


def _piece(rng: Random, line: bytes) -> Span:
    start = _place(rng, line)
    longest = 4 if rng.random() < 0.5 else len(line)
    return start, start + 1 + int(rng.random() * longest)


def _any(rng: Random, found: list[Span], line: bytes) -> Span:
    return found[int(rng.random() * len(found))] if found else _piece(rng, line)


if __name__ == "__main__":
    sys.exit(main())
