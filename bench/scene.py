"""What all entries of one session share: ids, the clock, the place, and the bytes so far."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import msgspec

from bench.clients import Client
from bench.dice import Dice
from bench.project import Project
from bench.vocabulary import ADJECTIVES, NOUNS, VERBS, progressive

FLUSH: Final = 1 << 20


class Sink:
    """A transcript being written, a few megabytes at a time."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.size = 0
        self.lines = 0
        self.keeps = False
        self.kept: list[bytes] = []
        self._waiting: list[bytes] = []
        self._waiting_size = 0

    def write(self, entry: dict[str, Any]) -> None:
        """Add an entry as one line."""
        self.write_raw(msgspec.json.encode(entry))

    def write_raw(self, raw: bytes) -> None:
        """Add a line that is already encoded."""
        self._waiting += (raw, b"\n")
        self._waiting_size += len(raw) + 1
        self.size += len(raw) + 1
        self.lines += 1
        if self.keeps:
            self.kept.append(raw)
        if self._waiting_size > FLUSH:
            self.flush()

    def flush(self) -> None:
        """Put on disk what waits."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("ab") as file:
            file.writelines(self._waiting)
        self._waiting.clear()
        self._waiting_size = 0


class Scene:
    """The setting of one session. The clock only moves when something happens."""

    def __init__(self, dice: Dice, project: Project, client: Client, root: Path) -> None:
        self.dice = dice
        self.project = project
        self.client = client
        self.session_id = dice.uuid()
        self.branch = dice.choice(project.branches)
        self.cwd = project.cwd
        self.prompt_id = dice.uuid()
        self.hooks = dice.choices((0, 1, 2), weights=(45, 50, 5))[0]
        self.slug = (
            f"{dice.choice(ADJECTIVES)}-{progressive(dice.choice(VERBS))}-{dice.choice(NOUNS)}"
        )
        start = datetime.fromisoformat(f"{client.day}T08:00:00+00:00").timestamp()
        self.clock = int((start + dice.randrange(14 * 86_400)) * 1000)
        self.folder = root / "projects" / project.folder
        self.sink = Sink(self.folder / f"{self.session_id}.jsonl")
        self.sinks = [self.sink]

    @property
    def beside(self) -> Path:
        """Give the folder for what belongs to the session but not into its transcript."""
        return self.folder / self.session_id

    @property
    def size(self) -> int:
        """Count the bytes of all its transcripts."""
        return sum(sink.size for sink in self.sinks)

    def open_sink(self, path: Path) -> Sink:
        """Start a further transcript of this session."""
        sink = Sink(path)
        self.sinks.append(sink)
        return sink

    def wait(self, low: int, high: int) -> None:
        """Let some milliseconds pass."""
        self.clock += self.dice.randint(low, high)

    def now(self) -> str:
        """Give the time as the client writes it."""
        return format_time(self.clock)

    def mark(self, kind: str, **fields: object) -> None:
        """Write a marker, which has no place in the thread."""
        self.sink.write({"type": kind, **fields})


def format_time(milliseconds: int) -> str:
    """Give a time in ISO 8601 with milliseconds."""
    moment = datetime.fromtimestamp(milliseconds / 1000, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
