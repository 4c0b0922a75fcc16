"""A git repository in which sessions, people, bots and formatters work, with the truth about it."""

import datetime as dt
import os
import random
import subprocess
from pathlib import Path
from typing import Any

from clew.archive import Archive, open_archive
from tests.build import SessionBuilder, bash, edit, read, write
from tests.build.calls import Call

HAND = "hand"
START = dt.datetime(2026, 11, 1, 9, tzinfo=dt.UTC)


class Workshop:
    """A repository, a clock, and sessions whose transcripts say what they did to its files.

    `authors` has who first wrote each line: a session's name or `HAND`.
    """

    def __init__(self, folder: Path, name: str = "repo") -> None:
        self.root = folder / "claude"
        self.repo = folder / name
        self.home = folder / "archive"
        self.now = START
        self.sessions: dict[str, SessionBuilder] = {}
        self.authors: dict[str, str] = {}
        self.repo.mkdir(parents=True)
        self.git("init", "-q", "-b", "main")

    def git(self, *words: str, folder: Path | None = None, author: str = "Tester") -> str:
        """Run git at the time of the clock, which goes on."""
        self.tick()
        at = self.now.strftime("%Y-%m-%dT%H:%M:%S+0000")
        known = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
        person = {
            f"GIT_{role}_{what}": value
            for role in ("AUTHOR", "COMMITTER")
            for what, value in (("NAME", author), ("EMAIL", "t@example.invalid"), ("DATE", at))
        }
        nothing = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        done = subprocess.run(  # noqa: S603 (git, on a repository of this test)
            ["git", *words],  # noqa: S607
            cwd=folder or self.repo,
            env=known | person | nothing,
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout

    def tick(self, seconds: float = 3) -> None:
        """Let time pass."""
        self.now += dt.timedelta(seconds=seconds)

    def session(self, name: str, cwd: Path | None = None) -> SessionBuilder:
        """Return a session at the present time; a new one begins with a prompt."""
        self.tick()
        if name not in self.sessions:
            place = str(cwd or self.repo)
            builder = SessionBuilder(name, cwd=place).at(self.now.isoformat())
            self.sessions[name] = builder.user(f"Work on {name}, please")
        return self.sessions[name].at(self.now.isoformat())

    def call(self, name: str, call: Call, cwd: Path | None = None) -> None:
        """Let a session make a call."""
        builder = self.session(name, cwd).tools(call)
        self.now = max(self.now, builder.draft.now)
        self.tick()

    def path(self, file: str, folder: Path | None = None) -> Path:
        """Return where a file is."""
        return (folder or self.repo) / file

    def write(self, name: str, file: str, text: str, folder: Path | None = None) -> None:
        """Let a session write a whole file."""
        place = self.path(file, folder)
        before = place.read_text() if place.exists() else None
        call = write(str(place), text)
        if before is not None:
            result: dict[str, Any] = {**call.tool_use_result}
            result |= {"type": "update", "originalFile": before}
            call = Call("Write", call.input, f"The file {place} has been updated.", result)
        self.call(name, call, folder)
        self._save(place, text, name)

    def edit(self, name: str, file: str, old: str, new: str, folder: Path | None = None) -> None:
        """Let a session replace a text that is in a file."""
        place = self.path(file, folder)
        before = place.read_text()
        assert old in before
        self.call(name, edit(str(place), before, old, new), folder)
        self._save(place, before.replace(old, new, 1), name)

    def read(self, name: str, file: str) -> None:
        """Let a session read a file."""
        place = self.path(file)
        self.call(name, read(str(place), place.read_text()))

    def hand(self, file: str, text: str, folder: Path | None = None) -> None:
        """Let a person write a file; no session sees it."""
        self.tick()
        self._save(self.path(file, folder), text, HAND)

    def shell(self, name: str, command: str, file: str, text: str) -> None:
        """Let a session change a file by a command, which the client notices."""
        place = self.path(file)
        before = place.read_text() if place.exists() else ""
        self.call(name, _told(str(place), command, before, text))
        self._save(place, text, name)

    def format(self, file: str) -> None:
        """Let a formatter turn tabs into blanks and cut those at the ends of lines."""
        place = self.path(file)
        lines = place.read_text().split("\n")
        self.tick()
        place.write_text("\n".join(line.replace("\t", "    ").rstrip() for line in lines))

    def commit(self, subject: str, name: str | None = None, author: str = "Tester") -> str:
        """Commit all that changed, by hand or in a session; return the hash."""
        self.git("add", "-A")
        printed = self.git("commit", "-m", subject, "--allow-empty", author=author)
        if name is not None:
            command = f'git add -A && git commit -m "{subject}"'
            self.call(name, bash(command, printed))
        return self.git("rev-parse", "HEAD").strip()

    def archive(self) -> Archive:
        """Archive all sessions."""
        for builder in self.sessions.values():
            builder.write(self.root)
        archive = open_archive(self.home)
        archive.sync([self.root], workers=1)
        return archive

    def id_of(self, name: str) -> str:
        """Return the id of a session."""
        return self.sessions[name].session_id

    def _save(self, place: Path, text: str, author: str) -> None:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
        for line in text.split("\n"):
            self.authors.setdefault("".join(line.split()), author)


def _told(path: str, command: str, before: str, after: str) -> Call:
    old, new = before.splitlines(), after.splitlines()
    lines = [*(f"-{line}" for line in old), *(f"+{line}" for line in new)]
    hunk = {
        "oldStart": 1,
        "oldLines": len(old),
        "newStart": 1,
        "newLines": len(new),
        "lines": lines,
    }
    file = {"filePath": path, "hunks": [hunk]} | ({} if before else {"created": True})
    result = {
        "stdout": "",
        "stderr": "",
        "interrupted": False,
        "isImage": False,
        "bashEditDiff": {"files": [file], "moreFiles": 0, "changedFiles": [path]},
    }
    return Call("Bash", {"command": command}, "", result)


def lines(*texts: str) -> str:
    """Return a file of lines."""
    return "".join(f"{text}\n" for text in texts)


def unique(rng: random.Random, word: str, count: int) -> list[str]:
    """Return lines that nobody else writes."""
    return [f"{word}_{rng.randrange(10**9)} = {rng.randrange(10**9)}" for _ in range(count)]
