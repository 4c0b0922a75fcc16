"""Devices of a team under faults: their sessions grow and are rewritten, and they push."""

import os
import random
import resource
import subprocess
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Final

import msgspec

from tests.build import SessionBuilder, bash
from tests.team.clean_rows import session_files
from tests.team.machines import PATIENCE, Machine

OPEN: Final = "/home/dev/shop"
"""The project that the organisation may read."""
PRIVATE: Final = "/home/dev/diary"
COMMON: Final = "zzcommonzz"
"""A word that all sessions have."""
SHARED_SESSION: Final = "the same everywhere"
_MOST_SESSIONS: Final = 12
_SMALL_DISK: Final = 30_000
_GROWS_MEANWHILE: Final = 0.3
_YEAR: Final = 365 * 24 * 3600
_CHANGES: Final = ("begin", "grow", "grow", "grow", "swell", "rewrite", "clear")


def word_of(member: str, project: str) -> str:
    """Return a word that is in all sessions of a member's project, and in no other."""
    return f"zz{member}{Path(project).name}zz"


class SoakSession(msgspec.Struct):
    """A session that a device works on."""

    name: str
    project: str
    builder: SessionBuilder

    @property
    def id(self) -> str:
        """Its id, which depends on its name alone."""
        return self.builder.session_id


class SoakDevice:
    """A machine of a member that works and pushes until it is told to stop.

    `acknowledged` are all contents of files that a push has reported as sent.
    """

    def __init__(self, machine: Machine, name: str, member: int, seed: str) -> None:
        self.machine = machine
        self.name = name
        self.member = member
        self.counts: Counter[str] = Counter()
        self.acknowledged: dict[str, set[bytes]] = {}
        self.next_fault = ""
        self._dice = random.Random(seed)  # noqa: S311 (only to choose what happens)
        self._seed = seed
        self._sessions: list[SoakSession] = []

    def set_up(self) -> None:
        """Log in, and allow all of both projects."""
        self.machine.log_in()
        for project, visibility in ((OPEN, "organisation"), (PRIVATE, "private")):
            chosen = ("everything", "--visibility", visibility, "--yes")
            self.machine.clew("consent", "set", project, *chosen)
        self._begin(SHARED_SESSION, PRIVATE)
        self._begin(f"{self._seed} first", OPEN)

    def run(self, stop: threading.Event) -> None:
        """Work and push, again and again."""
        while not stop.is_set():
            self._change()
            fault, self.next_fault = self.next_fault, ""
            if fault == "clock skew":
                self._skew()
            self.push(fault)
            stop.wait(self._dice.uniform(0, 0.5))

    @property
    def session_ids(self) -> list[str]:
        """The ids of its sessions."""
        return [each.id for each in self._sessions]

    def push(self, fault: str = "") -> bool:
        """Push once; return whether all that is there has arrived."""
        before = session_files(self.machine.claude)
        ended = [word for each in self._sessions for word in ("--ended", each.id)]
        limit = _limit_files if fault == "full disk" else None
        process = self.machine.start("push", "--json", *ended, before=limit)
        if self._dice.random() < _GROWS_MEANWHILE and not fault:
            self._grow_meanwhile()
        if fault == "killed client":
            time.sleep(self._dice.uniform(0.3, 3.0))
            process.kill()
        try:
            out, err = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            self.counts["pushes that hung"] += 1
        if process.returncode == 0 and not fault:
            for path, content in before.items():
                self.acknowledged.setdefault(path, set()).add(content)
        self.counts["pushes" if process.returncode == 0 else "failed pushes"] += 1
        self._note(err)
        self.counts["bytes"] += msgspec.json.decode(out)["bytes"] if process.returncode == 0 else 0
        return process.returncode == 0

    def _note(self, error: bytes) -> None:
        """Count errors of the program itself, which no fault excuses."""
        if b"Traceback" in error or b"internal error" in error:
            self.counts["internal errors"] += 1
            (self.machine.folder / "errors").open("ab").write(error)

    def _change(self) -> None:
        """Do something to a session, and write it."""
        change = self._dice.choice(_CHANGES)
        if change in {"begin", "clear"} and len(self._sessions) < _MOST_SESSIONS:
            self._begin(f"{self._seed} {len(self._sessions)}", self._dice.choice((OPEN, PRIVATE)))
            return
        session = self._dice.choice(self._sessions)
        if change == "rewrite":
            session.builder = SessionBuilder(session.name, cwd=session.project)
        if change == "swell":
            noise = self._dice.randbytes(100_000).hex()
            session.builder.tools(bash("xxd noise", noise)).assistant("Noise.")
        self._answer(session)
        session.builder.write(self.machine.claude)

    def _grow_meanwhile(self) -> None:
        """Append to a session as a client does, while it may be read."""
        session = self._dice.choice(self._sessions)
        before = len(session.builder.lines())
        self._answer(session)
        (path,) = self.machine.claude.rglob(f"{session.id}.jsonl")
        with path.open("ab") as stream:
            for line in session.builder.lines()[before:]:
                stream.write(line + b"\n")
                stream.flush()
                time.sleep(self._dice.uniform(0, 0.05))

    def _begin(self, name: str, project: str) -> None:
        session = SoakSession(name, project, SessionBuilder(name, cwd=project))
        words = self._words(session)
        session.builder.agent("looker", f"Look for {words}", lambda run: run.assistant(words))
        self._answer(session)
        self._sessions.append(session)
        session.builder.write(self.machine.claude)

    def _answer(self, session: SoakSession) -> None:
        words = self._words(session)
        session.builder.user(words).tools(bash("ls", words)).assistant(f"Done: {words}")

    def _words(self, session: SoakSession) -> str:
        number = self._dice.randrange(1_000_000)
        return f"{COMMON} {word_of(self.name, session.project)} {number}"

    def _skew(self) -> None:
        """Let a file be of another time."""
        files = sorted(self.machine.claude.rglob("*.jsonl"))
        moment = time.time() + self._dice.uniform(-_YEAR, _YEAR)
        os.utime(self._dice.choice(files), (moment, moment))


def _limit_files() -> None:
    """Let writing fail as on a full disk: no file of this process may become long."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (_SMALL_DISK, _SMALL_DISK))
