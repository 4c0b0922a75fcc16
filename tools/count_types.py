"""Count the rows of transcripts by type, with nothing but the standard library.

    python tools/count_types.py FOLDER

Reads every `.jsonl` below FOLDER and prints JSON. It shares no code with the reader, so that its
counts can be compared with the reader's.
"""

import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NoReturn

# Where the finer kind of a row stands, by type.
_KINDS: Final = {
    "system": ("subtype",),
    "attachment": ("attachment", "type"),
    "progress": ("data", "type"),
}
_NONE: Final = "(none)"
_SPACE: Final = " \t\r"


def count(folder: Path) -> dict[str, Any]:
    """Count all rows below a folder; a line may hold several rows, one, or none that is whole."""
    totals: Counter[str] = Counter()
    types: Counter[str] = Counter()
    kinds: dict[str, Counter[str]] = {name: Counter() for name in _KINDS}
    for path in sorted(folder.rglob("*.jsonl")):
        totals["files"] += 1
        for line in _lines(path, totals):
            rows, is_whole = split_rows(line)
            totals["rows"] += len(rows)
            totals["glued"] += len(rows) > 1
            totals["broken"] += not is_whole
            for row in rows:
                kind = _text(row.get("type"))
                types[kind] += 1
                if kind in kinds:
                    kinds[kind][_finer_kind(row, kind)] += 1
    names = ("files", "lines", "blank", "unended", "rows", "glued", "broken")
    return {
        **{name: totals[name] for name in names},
        "types": _sorted(types),
        **{name: _sorted(counts) for name, counts in kinds.items()},
    }


def split_rows(line: bytes) -> tuple[list[dict[str, Any]], bool]:
    """Give the rows of a line, and whether nothing was left over that is no row."""
    rows: list[dict[str, Any]] = []
    try:
        text = line.decode("utf-8")
        at = 0
        while at < len(text):
            row, at = _DECODER.raw_decode(text, at)
            if not isinstance(row, dict):
                return rows, False
            rows.append(row)
            at += len(text[at:]) - len(text[at:].lstrip(_SPACE))
    except (ValueError, RecursionError):
        return rows, False
    return rows, True


def main(arguments: list[str]) -> int:
    """Print the counts of one folder."""
    if len(arguments) != 1 or not Path(arguments[0]).is_dir():
        print(__doc__, file=sys.stderr)
        return 2
    print(json.dumps(count(Path(arguments[0])), indent=2))
    return 0


def _lines(path: Path, totals: Counter[str]) -> Iterator[bytes]:
    """Yield the lines with something on them, without the NUL bytes that a crash leaves ahead."""
    data = path.read_bytes()
    totals["unended"] += bool(data) and not data.endswith(b"\n")
    for line in data.removesuffix(b"\n").split(b"\n") if data else ():
        totals["lines"] += 1
        filled = line.strip(_SPACE.encode()).lstrip(b"\x00")
        totals["blank"] += not filled
        if filled:
            yield filled


def _finer_kind(row: dict[str, Any], kind: str) -> str:
    value: Any = row
    for key in _KINDS[kind]:
        value = value.get(key) if isinstance(value, dict) else None
    return _text(value)


def _text(value: object) -> str:
    return value if isinstance(value, str) else _NONE


def _sorted(counts: Counter[str]) -> dict[str, int]:
    return dict(sorted(counts.items()))


def _refuse(word: str) -> NoReturn:
    raise ValueError(f"{word} is no JSON")


# Python reads NaN and Infinity, which JSON does not have.
_DECODER: Final = json.JSONDecoder(parse_constant=_refuse)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
