"""Copy a small, telling selection of recorded sessions into the tests.

    python tools/select_recordings.py SRC DEST

SRC and DEST hold `<client version>/<scenario>/{expected.json,root/**}`. Every client version and
every scenario of SRC is in the selection at least once; bytes are kept as they are.
"""

import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

NEWEST: Final = "2.1.325"
LIMIT_BYTES: Final = 4_200_000

# These are large in the newest client's recordings, and older clients tell the same more briefly.
TOO_LARGE: Final = frozenset(
    {
        "autocompact",
        "bigturn",
        "content-blocks",
        "hooks",
        "permissions",
        "resume",
        "stream-oddities",
    }
)

OLDER: Final[dict[str, tuple[str, ...]]] = {
    "1.0.30": (
        "autocompact",
        "bigturn",
        "resume",
        "subagent",
        "subagent-nested",
        "tui-interrupt",
        "web",
    ),
    "1.0.128": (
        "compact",
        "crash",
        "hooks",
        "mcp",
        "steering",
        "subagent-types",
        "tools",
        "tui-queue",
    ),
    "2.0.14": (
        "api-errors",
        "autocompact",
        "fork",
        "subagent-nested",
        "tui-plan",
        "tui-rewind",
    ),
    "2.0.76": (
        "plan-headless",
        "pr",
        "skills",
        "subagent",
        "tui-queue",
        "web",
    ),
    "2.1.47": (
        "attachments",
        "autocompact",
        "bgagent-send",
        "resume-at",
        "subagent",
        "tui-queue",
    ),
    "2.1.150": (
        "autocompact",
        "content-blocks",
        "mcp",
        "permissions",
        "stream-oddities",
        "subagent-worktree",
        "web",
        "worktree",
    ),
}

# What a configuration folder may hold besides transcripts and must not travel.
_PRIVATE: Final = re.compile(r"settings.*\.json|\.claude\.json.*|.*credentials.*", re.IGNORECASE)
_PORTABLE: Final = re.compile(r"[A-Za-z0-9._@-]*[A-Za-z0-9_@-]")
_RESERVED: Final = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)
_LONGEST_PATH: Final = 200


def select(source: Path) -> list[Path]:
    """List the chosen `<version>/<scenario>` folders of `source`, sorted."""
    newest = {Path(NEWEST, path.name) for path in _folders(source / NEWEST)}
    newest -= {Path(NEWEST, name) for name in TOO_LARGE}
    older = {Path(version, name) for version, names in OLDER.items() for name in names}
    return sorted(newest | older)


def files_of(source: Path, chosen: list[Path]) -> list[Path]:
    """List what is copied, relative to `source`: all but private files."""
    return sorted(
        path.relative_to(source)
        for folder in chosen
        for path in (source / folder).rglob("*")
        if path.is_file() and not _PRIVATE.fullmatch(path.name)
    )


def complaints(source: Path, chosen: list[Path], files: list[Path]) -> Iterator[str]:
    """Say what is missing from the selection, or would not survive on another system."""
    known = {path.relative_to(source) for path in source.glob("*/*") if path.is_dir()}
    for folder in chosen:
        if folder not in known:
            yield f"{folder} does not exist"
    for index, word in ((0, "version"), (1, "scenario")):
        missing = {path.parts[index] for path in known} - {path.parts[index] for path in chosen}
        yield from (f"no recording of {word} {name}" for name in sorted(missing))
    size = sum((source / path).stat().st_size for path in files)
    if size > LIMIT_BYTES:
        yield f"{size} bytes are more than {LIMIT_BYTES}"
    yield from (f"{path} is not portable" for path in files if not _is_portable(path))
    if len({str(path).lower() for path in files}) < len(files):
        yield "two names differ in case alone"


def copy(source: Path, target: Path, files: list[Path]) -> None:
    """Replace the version folders of `target` by the chosen files, byte for byte."""
    for version in (NEWEST, *OLDER):
        shutil.rmtree(target / version, ignore_errors=True)
    for path in files:
        (target / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source / path, target / path)
    (target / ".gitattributes").write_text("* -text\n", encoding="utf-8")


def main(arguments: list[str]) -> int:
    """Select, check and copy; nothing is written when a check fails."""
    if len(arguments) != 2:  # noqa: PLR2004  two folders
        print(__doc__, file=sys.stderr)
        return 2
    source, target = map(Path, arguments)
    chosen = select(source)
    files = files_of(source, chosen)
    problems = list(complaints(source, chosen, files))
    if problems:
        print(*problems, sep="\n", file=sys.stderr)
        return 1
    copy(source, target, files)
    size = sum((target / path).stat().st_size for path in files)
    print(f"{len(chosen)} recordings, {len(files)} files, {size} bytes")
    return 0


def _folders(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.is_dir())


def _is_portable(path: Path) -> bool:
    return len(str(path)) <= _LONGEST_PATH and all(
        _PORTABLE.fullmatch(part) and not _RESERVED.fullmatch(part) for part in path.parts
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
