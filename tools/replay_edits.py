"""Replay the edits of transcripts: do the diffs that clew shows lead from each file to the next?

    python -m tools.replay_edits [--list] [FOLDER…]

Without a FOLDER it reads the recordings, and the larger sets beside the checkout where they are.
An edit whose result has the text of the file before (Edit, MultiEdit and Write) is made again
here, with a few lines of its own, and its diff is applied to that text: both must come to the
same, and the diff's line numbers must be those of the file. Prints how many edits do and don't,
and ends with 1 when one does not; `--list` names the line of each edit.
"""

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from clew.parts import DiffHunk
from clew.tools import decode_result, file_diff

HERE: Final = Path(__file__).parents[1]
FOLDERS: Final = (
    HERE / "tests" / "recordings",
    HERE.parent / "shared" / "recordings",
    HERE.parent / "shared" / "corpus",
)


class Replay(msgspec.Struct, frozen=True):
    """One edit, made again; `problem` is empty where its diff is true."""

    file: Path
    line: int
    tool: str
    has_tabs: bool
    problem: str


def replay_folder(folder: Path) -> Iterator[Replay]:
    """Replay the edits of all transcripts in a folder."""
    for file in sorted(folder.rglob("*.jsonl")):
        for number, line in enumerate(file.read_bytes().split(b"\n"), start=1):
            replayed = replay_line(line, file, number)
            if replayed is not None:
                yield replayed


def replay_line(line: bytes, file: Path = Path(), number: int = 1) -> Replay | None:
    """Replay the edit of a line; None where it has none, or not the text before."""
    told = _result(line)
    original = told.get("originalFile", told.get("originalFileContents"))
    made = edited(original, told) if isinstance(original, str) else None
    if made is None or not isinstance(original, str):
        return None
    tool, after = made
    diff = file_diff(None, decode_result(tool, msgspec.json.encode(told), "", None))
    if diff is None:
        problem = "no diff"
    else:
        found = patched(original, diff.hunks)
        problem = "" if found == after else "other text" if found is not None else "no fit"
    return Replay(file, number, tool, "\t" in original, problem)


def edited(original: str, told: dict[str, Any]) -> tuple[str, str] | None:
    """Give the tool of a result, and the text of the file after it."""
    match told:
        case {"oldString": str(old), "newString": str(new)}:
            step = {"old_string": old, "new_string": new, "replace_all": told.get("replaceAll")}
            return "Edit", _replaced(original, step)
        case {"edits": list(steps)}:
            after = original
            for step in steps:
                after = _replaced(after, step)
            return "MultiEdit", after
        case {"type": "update", "content": str(content)}:
            return "Write", content
        case _:
            return None


def patched(original: str, hunks: Iterable[DiffHunk]) -> str | None:
    """Apply hunks to a text; None where they do not fit it, or have other line numbers."""
    lines = original.split("\n")
    old = [f"{line}\n" for line in lines[:-1]] + [line for line in lines[-1:] if line]
    new: list[str] = []
    at = 0
    for hunk in hunks:
        start = (hunk.old_start or 0) - 1
        new += old[at:start]
        gone, came = _sides(hunk.lines)
        if start < at or old[start : start + len(gone)] != gone or hunk.new_start != len(new) + 1:
            return None
        new += came
        at = start + len(gone)
    return "".join(new + old[at:])


def _result(line: bytes) -> dict[str, Any]:
    if b'"toolUseResult"' not in line:
        return {}
    try:
        row = msgspec.json.decode(line)
    except (ValueError, RecursionError):
        return {}
    result = row.get("toolUseResult") if isinstance(row, dict) else None
    return result if isinstance(result, dict) else {}


def _replaced(text: str, step: dict[str, Any]) -> str:
    old, new = step["old_string"], step["new_string"]
    if not old:
        return str(new)
    if not new and not old.endswith("\n") and f"{old}\n" in text:
        old += "\n"
    return text.replace(old, new, -1 if step.get("replace_all") else 1)


def _sides(lines: Sequence[str]) -> tuple[list[str], list[str]]:
    """Give the lines that a hunk expects and those that it leaves, with their newlines."""
    gone, came = [], []
    for line, following in zip(lines, (*lines[1:], ""), strict=True):
        text = line[1:] + ("" if following.startswith("\\") else "\n")
        if line[0] in " -":
            gone.append(text)
        if line[0] in " +":
            came.append(text)
    return gone, came


def main(words: Sequence[str] | None = None) -> int:
    """Replay folders, and say what came of it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folders", nargs="*", type=Path, metavar="FOLDER")
    parser.add_argument("--list", action="store_true", help="name the line of each edit")
    options = parser.parse_args(words)
    folders = options.folders or [folder for folder in FOLDERS if folder.is_dir()]
    replays = [replay for folder in folders for replay in replay_folder(folder)]
    for replay in replays:
        if replay.problem or options.list:
            state = replay.problem or "applies"
            print(f"{replay.file}:{replay.line}: {replay.tool}: {state}")
    true = [replay for replay in replays if not replay.problem]
    tabs = sum(replay.has_tabs for replay in true)
    print(f"{len(true):,} edits apply, {tabs:,} of them to files with tabs")
    print(f"{len(replays) - len(true):,} edits do not apply")
    return 0 if len(true) == len(replays) else 1


if __name__ == "__main__":
    sys.exit(main())
