"""Compare the main thread of sessions with what the Agent SDK's own reader returns.

    python tools/compare_sdk.py [--list] [FOLDER…]

Without a FOLDER it reads the recordings, and the larger sets beside the checkout where they are.
Prints how often each kind of difference occurs; `docs/differences.md` explains the kinds. Ends
with 1 when there is a difference of a kind that is not explained.
"""

import argparse
import os
import shutil
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import msgspec
from claude_agent_sdk import get_session_messages

from clew.conversation import Conversation, Location, Material, Message, build
from clew.entries import (
    Assistant,
    AttachmentRow,
    Broken,
    Entry,
    Marker,
    ProgressRow,
    Row,
    System,
    User,
)
from clew.sessions import gather, group_sessions, link_neighbours
from clew.source import FileKind, SourceFile, discover

HERE: Final = Path(__file__).parents[1]
FOLDERS: Final = (
    HERE / "tests" / "recordings",
    HERE.parent / "shared" / "recordings",
    HERE.parent / "shared" / "corpus",
)
_ANY_ID: Final = "00000000-0000-4000-8000-000000000000"
_LOCAL: Final = ("command", "command_output", "bash_input", "bash_output")


class Kind(StrEnum):
    """What may differ, in the words of `docs/differences.md`."""

    MISSING = "reader gives a row that we lost"
    OTHER_THREAD = "reader gives a row that is not on our main thread"
    OTHER_ORDER = "in another order"
    LEFT_OUT = "reader leaves out a row of the main thread"
    PARALLEL_ORDER = "results of parallel calls in another order"
    REPEAT = "another copy of a repeated prompt"
    NO_TALK = "neither a user nor an assistant row"
    QUEUE = "words that only the queue holds"
    META = "marked as meta"
    TEAM = "row of a team"
    COMPACTED = "before a compaction"
    OTHER_START = "before the session began anew"
    LOCAL = "beside a local command"
    BROKEN_CHAIN = "before a missing parent"
    UNREAD = "on a line that the reader cannot read"
    OTHER_FILE = "in another file of the session"


FAULTS: Final = frozenset({Kind.MISSING, Kind.OTHER_THREAD, Kind.OTHER_ORDER, Kind.LEFT_OUT})
EXPLAINED: Final = frozenset(Kind) - FAULTS


class Difference(msgspec.Struct, frozen=True):
    """One row that the two see differently."""

    kind: Kind
    path: Path
    line: int
    row: str
    message_kind: str


class Compared(msgspec.Struct):
    """What came of comparing a folder's sessions."""

    sessions: int = 0
    rows: int = 0
    differences: list[Difference] = []

    def count(self, kind: Kind) -> int:
        """Say how often a kind occurs."""
        return Counter(difference.kind for difference in self.differences)[kind]


def compare(folder: Path) -> Compared:
    """Compare every session that lies below a folder and has a transcript of its own."""
    compared = Compared(0, 0, [])
    files = discover(folder).files
    with _reader_home() as home:
        for session in group_sessions(files):
            material = link_neighbours(gather(session), session, files)
            conversation = build(material)
            for file in session.files:
                if file.kind is FileKind.SESSION:
                    given = read_with_sdk(file.path, home)
                    compared.sessions += 1
                    compared.rows += len(given)
                    compared.differences += find_differences(conversation, material, file, given)
    return compared


def read_with_sdk(path: Path, home: Path) -> list[str]:
    """Give the uuids of the rows that the Agent SDK returns for a transcript, in its order."""
    copied = home / "projects" / "project" / f"{_ANY_ID}.jsonl"
    copied.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(path, copied)
    try:
        return [message.uuid for message in get_session_messages(_ANY_ID)]
    except UnicodeDecodeError:
        return []


def find_differences(
    conversation: Conversation, material: Material, file: SourceFile, given: Sequence[str]
) -> list[Difference]:
    """List all differences between a conversation and the rows given for one of its files."""
    ours = _Ours(conversation, material, file)
    walk = _Walk(ours, given)
    found = [*_misplaced(ours, given), *_disordered(ours, given), *_left_out(ours, walk, given)]
    return [
        Difference(kind, file.path, _line_of(ours, row, message), row, message.kind)
        for kind, row, message in found
    ]


_Found = Iterator[tuple[Kind, str, Message]]
_NOBODY: Final = Message(id="", kind="none", role="")


class _Ours:
    """A conversation, by the rows of one of its files."""

    def __init__(self, conversation: Conversation, material: Material, file: SourceFile) -> None:
        by_id = {message.id: message for message in conversation.messages}
        self.of_row = {row: m for m in conversation.messages for row in m.entry_ids}
        self.repeats = {
            copy.id: by_id[copy.of] for copy in conversation.duplicates if copy.of in by_id
        }
        main = next((t.message_ids for t in conversation.threads if t.is_main), ())
        self.main = [by_id[name] for name in main]
        self.position = {name: position for position, name in enumerate(main)}
        self.answer_of = {
            call.result_message_id: call.message_id for call in conversation.tool_calls
        }
        entries = [e for t in material.transcripts for e in t.entries]
        self.at = {e.offset: e for e in entries if e.line.file == file.relative}
        self.rows = {
            e.body.uuid: e for e in self.at.values() if isinstance(e.body, Row) and _is_read(e)
        }
        self.file = file.relative

    def entry(self, location: Location) -> Entry | None:
        """Return the entry at a location, unless that is in another file."""
        return self.at.get(location.offset) if location.file == self.file else None

    def parent(self, row: str) -> str | None:
        """Give the parent that a row names, whether it is there or not."""
        entry = self.rows.get(row)
        return entry.body.parent_uuid if entry and isinstance(entry.body, Row) else None

    def talk(self, row: str) -> str:
        """Give the kind of the message that a row is part of, if a user or the model speaks."""
        entry = self.rows.get(row)
        speaks = entry is not None and isinstance(entry.body, User | Assistant)
        return self.of_row.get(row, _NOBODY).kind if speaks else ""


class _Walk:
    """The reader's way through the rows: from its last row up to where it stops."""

    def __init__(self, ours: _Ours, given: Sequence[str]) -> None:
        self.ours = ours
        self.below: dict[str, str] = {}
        for row in given:
            self._climb(row)
        self.top = self.root(given[0]) if given else None
        self.epoch = ours.of_row.get(given[0], _NOBODY).epoch if given else 0

    def _climb(self, row: str) -> None:
        above = self.ours.parent(row)
        while above in self.ours.rows and above not in self.below:
            self.below[above] = row
            row, above = above, self.ours.parent(above)

    def root(self, row: str) -> str:
        """Give the row above all others of this one."""
        seen = {row}
        while (above := self.ours.parent(row)) in self.ours.rows and above not in seen:
            seen.add(above)
            row = above
        return row

    def is_beside_local_command(self, row: str) -> bool:
        """Tell whether the ways part at a local command, on either side."""
        branch = [row]
        above = self.ours.parent(row)
        while above is not None and above not in self.below and above not in branch:
            branch.append(above)
            above = self.ours.parent(above)
        path = [self.below.get(above or "", "")]
        while (row := self.below.get(path[-1], "")) and row not in path:
            path.append(row)
        heads = (next(filter(None, map(self.ours.talk, way)), "") for way in (branch[::-1], path))
        return any(head in _LOCAL for head in heads)


def _misplaced(ours: _Ours, given: Sequence[str]) -> _Found:
    for row in given:
        message = ours.of_row.get(row)
        if message is None:
            kind = Kind.REPEAT if row in ours.repeats else Kind.MISSING
            yield kind, row, ours.repeats.get(row, _NOBODY)
        elif message.id not in ours.position:
            yield Kind.OTHER_THREAD, row, message


def _disordered(ours: _Ours, given: Sequence[str]) -> _Found:
    """Name each message that stands behind one which the reader gives later."""
    order = dict.fromkeys(ours.of_row[row].id for row in given if row in ours.of_row)
    names = [name for name in order if name in ours.position]
    rows = {ours.of_row[row].id: row for row in reversed(given) if row in ours.of_row}
    latest = -1
    for index, name in enumerate(names):
        position = ours.position[name]
        if position < latest:
            passed = {n for n in names[:index] if ours.position[n] > position}
            answers = {ours.answer_of.get(n) for n in (name, *passed)}
            is_parallel = len(answers) == 1 and None not in answers
            kind = Kind.PARALLEL_ORDER if is_parallel else Kind.OTHER_ORDER
            yield kind, rows[name], ours.of_row[rows[name]]
        latest = max(latest, position)


def _left_out(ours: _Ours, walk: _Walk, given: Sequence[str]) -> _Found:
    known = set(given)
    for message in ours.main:
        for where in message.lines:
            entry = ours.entry(where)
            if entry is None:
                yield Kind.OTHER_FILE, message.id, message
                continue
            row = entry.body.uuid if isinstance(entry.body, Row | Broken) else ""
            if row not in known:
                yield _why_left_out(entry, row or message.id, message, walk), row, message


def _why_left_out(entry: Entry, row: str, message: Message, walk: _Walk) -> Kind:
    body = entry.body
    if isinstance(body, Marker):
        return Kind.QUEUE
    if isinstance(body, Broken) or (isinstance(body, User | Assistant) and not _is_read(entry)):
        return Kind.UNREAD
    if not isinstance(body, User | Assistant):
        return Kind.NO_TALK
    if body.is_meta:
        return Kind.META
    if body.team_name:
        return Kind.TEAM
    return _where_left_out(row, message, walk)


def _where_left_out(row: str, message: Message, walk: _Walk) -> Kind:
    if walk.top is None:
        return Kind.LEFT_OUT
    if walk.root(row) == walk.top:
        return Kind.LOCAL if walk.is_beside_local_command(row) else Kind.LEFT_OUT
    if message.epoch < walk.epoch:
        return Kind.COMPACTED
    return Kind.BROKEN_CHAIN if walk.ours.parent(walk.top) else Kind.OTHER_START


def _is_read(entry: Entry) -> bool:
    """Tell whether the reader takes an entry in: it has an id, a known type and its own line."""
    body = entry.body
    if not isinstance(body, User | Assistant | System | ProgressRow | AttachmentRow):
        return False
    return entry.start == 0 and entry.end < 0 and bool(body.uuid)


def _line_of(ours: _Ours, row: str, message: Message) -> int:
    entry = ours.rows.get(row)
    if entry is not None:
        return entry.line.number
    return message.lines[0].line if message.lines else 0


@contextmanager
def _reader_home() -> Iterator[Path]:
    """Have the reader look into a new folder instead of the user's own."""
    before = os.environ.get("CLAUDE_CONFIG_DIR")
    with TemporaryDirectory() as folder:
        os.environ["CLAUDE_CONFIG_DIR"] = folder
        try:
            yield Path(folder)
        finally:
            del os.environ["CLAUDE_CONFIG_DIR"]
            if before is not None:
                os.environ["CLAUDE_CONFIG_DIR"] = before


def main(arguments: Sequence[str]) -> int:
    """Compare the folders, print the table, and tell whether all is explained."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folders", nargs="*", type=Path, metavar="FOLDER")
    parser.add_argument("--list", action="store_true", help="print each difference too")
    options = parser.parse_args(arguments)
    folders = options.folders or [folder for folder in FOLDERS if folder.exists()]
    results = {folder: compare(folder) for folder in folders}
    if options.list:
        for result in results.values():
            _print_each(result.differences)
    print(*_table(results), sep="\n")
    return int(any(result.count(kind) for result in results.values() for kind in FAULTS))


def _print_each(differences: Iterable[Difference]) -> None:
    for difference in differences:
        location = f"{difference.path}:{difference.line}"
        print(location, difference.kind, difference.message_kind, difference.row, sep="\t")


def _table(results: dict[Path, Compared]) -> Iterator[str]:
    """Give a line for each count, with a column for each folder."""
    columns = list(results.values())
    yield _line("", (f"{folder.parent.name}/{folder.name}" for folder in results))
    yield _line("sessions", (f"{column.sessions:,}" for column in columns))
    yield _line("rows that the reader gives", (f"{column.rows:,}" for column in columns))
    for kind in Kind:
        mark = " (NOT explained)" if kind in FAULTS else ""
        yield _line(f"{kind}{mark}", (f"{column.count(kind):,}" for column in columns))


def _line(name: str, cells: Iterable[str]) -> str:
    return f"{name:66}" + "".join(f"{cell:>20}" for cell in cells)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
