"""Count how many agent runs hang on the call that started them, and by which evidence.

    python tools/link_rates.py [--list] [FOLDER…]

Without a FOLDER it reads the recordings, and the larger sets beside the checkout where they are.
A run is linkable when its session is at hand and reaches past the run's start, and when a call
started it: warm-ups, suggestions, side questions and compactions are the client's own, and of a
stub only the end is left. Ends with 1 when fewer than 97 % of the linkable runs are linked.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Final

import msgspec

from clew.conversation import AgentRun, Conversation, Material, build
from clew.sessions import gather, group_sessions
from clew.source import discover

HERE: Final = Path(__file__).parents[1]
FOLDERS: Final = (
    HERE / "tests" / "recordings",
    HERE.parent / "shared" / "recordings",
    HERE.parent / "shared" / "corpus",
)
LOWEST_RATE: Final = 0.97
ALL: Final = "all"
# Where runs are written, and what tells of their start, changed with these versions.
BANDS: Final = {
    "to 2.0.27, in the session": (0, 0, 0),
    "2.0.28 to 2.1.1, beside it": (2, 0, 28),
    "2.1.2 to 2.1.75, in a folder": (2, 1, 2),
    "2.1.76 on, with a meta file": (2, 1, 76),
}
_STARTED_BY_CALLS: Final = ("agent", "teammate", "workflow")
_STUB_LINES: Final = 5


class Standing(StrEnum):
    """Whether a run could be linked, and if not, why."""

    LINKED = "linked"
    UNLINKED = "not linked"
    OWN = "the client's own"
    STUB = "stub"
    NO_PARENT = "no session at hand"
    OLD_PARENT = "session ends earlier"


class Counted(msgspec.Struct, frozen=True):
    """One run, as far as it is counted."""

    session_id: str
    run_id: str
    band: str
    kind: str
    standing: Standing
    evidence: str


def count(folder: Path) -> list[Counted]:
    """Count the agent runs of all sessions below a folder."""
    counted = []
    for session in group_sessions(discover(folder).files):
        material = gather(session)
        conversation = build(material)
        counted += [_count(run, conversation, material) for run in conversation.agent_runs]
    return counted


def rate(runs: Iterable[Counted]) -> float | None:
    """Give the share of linkable runs that are linked, if there are any."""
    standings = Counter(run.standing for run in runs)
    linkable = standings[Standing.LINKED] + standings[Standing.UNLINKED]
    return standings[Standing.LINKED] / linkable if linkable else None


def _count(run: AgentRun, conversation: Conversation, material: Material) -> Counted:
    return Counted(
        material.session_id,
        run.id,
        _band(run, conversation),
        run.kind,
        _standing(run, conversation, material),
        run.link or "",
    )


def _standing(run: AgentRun, conversation: Conversation, material: Material) -> Standing:
    if run.kind not in _STARTED_BY_CALLS:
        return Standing.OWN
    if run.tool_call_id is not None:
        return Standing.LINKED
    lines = [len(t.entries) for t in material.transcripts if run.id in (t.agent_id, t.name)]
    if not run.prompt and sum(lines) <= _STUB_LINES:
        return Standing.STUB
    if all(message.agent_run_id for message in conversation.messages):
        return Standing.NO_PARENT
    if conversation.session.ended_at <= run.started_at:
        return Standing.OLD_PARENT
    return Standing.UNLINKED


def _band(run: AgentRun, conversation: Conversation) -> str:
    own = (m.version for m in conversation.messages if m.agent_run_id == run.id and m.version)
    text = next(own, None) or next(iter(conversation.session.versions), "")
    numbers = tuple(int(part) for part in text.split(".") if part.isdecimal())
    return next(
        band for band, first in reversed(BANDS.items()) if numbers >= first or not any(first)
    )


def main(arguments: Sequence[str]) -> int:
    """Count the folders' runs, print the tables, and tell whether enough are linked."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folders", nargs="*", type=Path, metavar="FOLDER")
    parser.add_argument("--list", action="store_true", help="print each run without a call too")
    options = parser.parse_args(arguments)
    folders = options.folders or [folder for folder in FOLDERS if folder.exists()]
    lowest = 1.0
    for folder in folders:
        counted = count(folder)
        print(f"{folder}: {len(counted)} agent runs")
        if options.list:
            _print_each(counted)
        print(*_table("kind", counted, [run.kind for run in counted]), sep="\n")
        print(*_table("standing", counted, [run.standing for run in counted]), sep="\n")
        linked = [run for run in counted if run.standing is Standing.LINKED]
        print(*_table("evidence", linked, [run.evidence for run in linked]), sep="\n")
        print(*_rates(counted), sep="\n", end="\n\n")
        lowest = min(lowest, rate(counted) or 1.0)
    return int(lowest < LOWEST_RATE)


def _print_each(counted: Iterable[Counted]) -> None:
    for run in counted:
        if run.standing not in (Standing.LINKED, Standing.OWN):
            print(run.session_id, run.run_id, run.kind, run.standing, sep="\t")


def _table(title: str, runs: Sequence[Counted], names: Sequence[str]) -> Iterator[str]:
    """Give a line for each band, with how many of its runs go by each name."""
    columns = sorted(set(names))
    counts = Counter(zip((run.band for run in runs), names, strict=True))
    counts.update((ALL, name) for name in names)
    yield _line(f"by {title}", columns)
    for band in (*BANDS, ALL):
        yield _line(f"  {band}", (f"{counts[band, name]:,}" for name in columns))


def _rates(counted: Sequence[Counted]) -> Iterator[str]:
    yield _line("rate", ("linkable", "linked", "rate"))
    for band in (*BANDS, ALL):
        own = [run for run in counted if band in (run.band, ALL)]
        standings = Counter(run.standing for run in own)
        linked = standings[Standing.LINKED]
        share = rate(own)
        cells = (linked + standings[Standing.UNLINKED], linked)
        shown = "-" if share is None else f"{share:.1%}"
        yield _line(f"  {band}", (*(f"{cell:,}" for cell in cells), shown))


def _line(name: str, cells: Iterable[str]) -> str:
    return f"{name:32}" + "".join(f"{cell:>22}" for cell in cells)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
