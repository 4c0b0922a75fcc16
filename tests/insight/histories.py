"""Random histories of a repository: who writes what, where the truth is known."""

import random
from pathlib import Path

from tests.insight.workshop import Workshop, unique

FILES = ("a.py", "lib/b.py")
COMMON = ("}", "", "else:", "    return None", "import os", "pass")
SESSIONS = ("one", "two", "three")


class History:
    """Makes random changes; `common` has which sessions wrote each of the lines that all write."""

    def __init__(self, folder: Path, seed: int, steps: int = 40) -> None:
        self.shop = Workshop(folder)
        self.rng = random.Random(seed)  # noqa: S311 (a history that can be made again)
        self.common: dict[str, set[str]] = {}
        self.steps = steps
        self.branches = 0
        self.renames = 0
        self.files = list(FILES)

    def run(self) -> Workshop:
        """Let people, sessions and tools work, then commit what is left."""
        for file in self.files:
            self.shop.hand(file, "\n".join([*unique(self.rng, "old", 4), *self._common(2)]) + "\n")
        self.shop.commit("Begin")
        moves = (
            (self._session_edit, 10),
            (self._session_write, 2),
            (self._shell, 2),
            (self._hand, 5),
            (self._format, 1),
            (self._commit, 5),
            (self._bot, 1),
            (self._squash, 1),
            (self._merge, 1),
            (self._rename, 1),
            (self._revert, 1),
            (self._rebase, 1),
            (self._amend, 1),
        )
        for _ in range(self.steps):
            self.rng.choices([move for move, _ in moves], [weight for _, weight in moves])[0]()
        self.shop.commit("The rest")
        return self.shop

    def _common(self, count: int, session: str | None = None) -> list[str]:
        found = self.rng.choices(COMMON, k=count)
        if session is not None:
            for line in found:
                self.common.setdefault("".join(line.split()), set()).add(session)
        return found

    def _file(self) -> str:
        return self.rng.choice([f for f in self.files if self.shop.path(f).exists()])

    def _new(self, word: str, session: str | None = None) -> list[str]:
        own = unique(self.rng, word, self.rng.randint(1, 3))
        own = [f"\t{line}  " if self.rng.random() < 0.2 else line for line in own]
        mixed = [*own, *self._common(self.rng.randint(0, 2), session)]
        self.rng.shuffle(mixed)
        return mixed

    def _changed(self, lines: list[str], new: list[str]) -> list[str]:
        start = self.rng.randint(0, len(lines))
        end = min(len(lines), start + self.rng.choice((0, 0, 0, 1, 2)))
        return [*lines[:start], *new, *lines[end:]]

    def _lines(self, file: str) -> list[str]:
        return self.shop.path(file).read_text().split("\n")[:-1]

    def _session_edit(self) -> None:
        name, file = self.rng.choice(SESSIONS), self._file()
        old = self._lines(file)
        start = self.rng.randint(0, max(len(old) - 1, 0))
        count = self.rng.randint(1, 3)
        part = old[start : start + count]
        text = "".join(f"{line}\n" for line in part)
        before = self.shop.path(file).read_text()
        if not part or before.count(text) != 1 or not text.strip():
            return
        new = "".join(f"{line}\n" for line in self._changed(part, self._new(name, name)))
        if new != text and new:
            self.shop.edit(name, file, text, new)

    def _session_write(self) -> None:
        name, file = self.rng.choice(SESSIONS), self._file()
        new = self._changed(self._lines(file), self._new(name, name))
        self.shop.write(name, file, "".join(f"{line}\n" for line in new))

    def _shell(self) -> None:
        name, file = self.rng.choice(SESSIONS), self._file()
        self.shop.read(name, file)
        new = [*self._lines(file), *self._new(name, name)]
        text = "".join(f"{line}\n" for line in new)
        self.shop.shell(name, f"cat >> {file} <<'EOF'\n…\nEOF", file, text)

    def _hand(self) -> None:
        file = self._file()
        new = self._changed(self._lines(file), self._new("hand"))
        self.shop.hand(file, "".join(f"{line}\n" for line in new))

    def _format(self) -> None:
        self.shop.format(self._file())

    def _commit(self) -> None:
        self.shop.commit(f"Commit {self.rng.random()}", self.rng.choice((None, *SESSIONS)))

    def _bot(self) -> None:
        self.shop.commit("Before the bot")
        file = self._file()
        self.shop.hand(file, "\n".join([*self._lines(file), *unique(self.rng, "bot", 2)]) + "\n")
        self.shop.commit("Bump", author="bot[bot]")

    def _on_branch(self) -> str:
        self.shop.commit("Before a branch")
        self.branches += 1
        name = f"branch-{self.branches}"
        self.shop.git("checkout", "-q", "-b", name)
        for _ in range(self.rng.randint(1, 3)):
            self.rng.choice((self._session_edit, self._hand, self._session_write))()
            self._commit()
        self.shop.git("checkout", "-q", "main")
        return name

    def _squash(self) -> None:
        name = self._on_branch()
        self.shop.git("merge", "-q", "--squash", name)
        self.shop.commit(f"Squash {name}")

    def _merge(self) -> None:
        name = self._on_branch()
        self.shop.git("merge", "-q", "--no-ff", "-m", f"Merge {name}", name)

    def _rebase(self) -> None:
        """Copy the commits of a branch, which get new hashes and times."""
        name = self._on_branch()
        self.shop.hand("other.txt", "\n".join(unique(self.rng, "other", 2)) + "\n")
        self.shop.commit("Meanwhile")
        self.shop.git("rebase", "-q", "main", name)
        self.shop.git("checkout", "-q", "main")
        self.shop.git("merge", "-q", "--ff-only", name)

    def _rename(self) -> None:
        self.shop.commit("Before a rename")
        self.renames += 1
        at = self.rng.randrange(len(self.files))
        old, new = self.files[at], f"renamed_{self.renames}.py"
        self.shop.git("mv", old, new)
        self.files[at] = new
        self.shop.commit("Rename")

    def _revert(self) -> None:
        self.shop.commit("Before a revert")
        file = self._file()
        kept = self._lines(file)
        self.shop.hand(file, "".join(f"{line}\n" for line in kept[: len(kept) // 2]))
        self.shop.commit("Cut the file")
        self.shop.git("revert", "--no-edit", "HEAD")

    def _amend(self) -> None:
        self.shop.commit("To be amended")
        self._session_edit()
        self.shop.git("add", "-A")
        self.shop.git("commit", "-q", "--amend", "--no-edit", "--allow-empty")
