"""A server's address → what its readers got, and how much memory it had meanwhile."""

import asyncio
import random
import time
from pathlib import Path
from typing import Final
from urllib.parse import quote

import msgspec

from bench.process_tree import process_tree
from bench.queries import QUERIES
from bench.readers import Answered, Question, get, read_all

_SESSIONS: Final = 20
_FILTERS: Final = ("", "?sort=cost", "?text=test", "?has_errors=true", "?group=project")
_KINDS: Final = ("home", "list", "search", "session", "progress")
_SECOND: Final = 1.0


class Visit(msgspec.Struct, frozen=True, kw_only=True):
    """How many readers ask, how fast, and for how long."""

    address: str
    process_id: int
    readers: int
    pause: float
    seconds: float
    until_archived: bool = False
    # A sync may be over before anybody has asked for a session.
    least_seconds: float = 8.0


class Memory(msgspec.Struct, frozen=True):
    """What the server had at a moment, and what the largest of the processes below it had."""

    seconds: float
    server_mb: float
    worker_mb: float


class Visited(msgspec.Struct, frozen=True):
    """All answers, the memory from second to second, and whether all is archived."""

    answers: list[Answered]
    memory: list[Memory]
    is_archived: bool
    trouble: str = ""


async def visit(plan: Visit) -> Visited:
    """Let all readers ask, until the time is over or everything is archived."""
    observer = _Observer(plan)
    watching = asyncio.create_task(observer.watch())
    answers = await read_all(
        plan.address, plan.readers, plan.pause, observer.choose, lambda: observer.is_over
    )
    await watching
    return Visited(answers, observer.memory, observer.is_archived, observer.trouble)


class _Observer:
    """Looks at the server once a second: its latest sessions, its progress and its memory."""

    def __init__(self, plan: Visit) -> None:
        self.plan = plan
        self.memory: list[Memory] = []
        self.ids: list[str] = []
        self.is_archived = False
        self.is_over = False
        self.trouble = ""

    async def watch(self) -> None:
        """Observe until the time is over, or all is archived."""
        started = time.perf_counter()
        while not self.is_over:
            elapsed = time.perf_counter() - started
            self.memory.append(measure_memory(self.plan.process_id, elapsed))
            await self._look()
            self.is_over = elapsed > self.plan.seconds or self._is_done(elapsed)
            await asyncio.sleep(0 if self.is_over else _SECOND)

    def choose(self, dice: random.Random) -> Question:
        """Pick what a reader asks next; of sessions, one of the latest."""
        kind = dice.choice(_KINDS if self.ids else ("home", "list", "progress"))
        match kind:
            case "home":
                return kind, "/"
            case "list":
                return kind, f"/sessions{dice.choice(_FILTERS)}"
            case "search":
                return kind, f"/search?q={quote(dice.choice(QUERIES))}"
            case "session":
                return kind, f"/sessions/{dice.choice(self.ids)}"
            case _:
                return kind, "/api/health"

    def _is_done(self, elapsed: float) -> bool:
        has_time = elapsed > min(self.plan.least_seconds, self.plan.seconds)
        return self.plan.until_archived and self.is_archived and has_time

    async def _look(self) -> None:
        health = msgspec.json.decode(await get(self.plan.address, "/api/health"))
        self.is_archived = health["is_synced"] and not health.get("archiving")
        self.trouble = health["trouble"] or self.trouble
        path = f"/api/sessions?limit={_SESSIONS}"
        found = msgspec.json.decode(await get(self.plan.address, path))
        self.ids = [quote(session["id"], safe="") for session in found["sessions"]]


def measure_memory(process_id: int, elapsed: float) -> Memory:
    """Measure what a server and the processes below it have."""
    _, *below = process_tree(process_id)
    workers = max((_memory_mb(each) for each in below), default=0.0)
    return Memory(elapsed, _memory_mb(process_id), workers)


def _memory_mb(process_id: int) -> float:
    """Read how much memory a process has for itself, where the system tells."""
    try:
        told = Path(f"/proc/{process_id}/status").read_text("utf-8")
        return int(told.partition("RssAnon:")[2].split()[0]) / 1024
    except (OSError, IndexError):
        return 0.0
