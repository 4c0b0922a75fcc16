"""The examples of the documents: commands and Python with what they print on the sample sessions.

    python -m tests.examples

writes the output of every example again. An example is a `console` block whose commands begin
with `$ clew`, or a `python` block with a `text` block right behind it.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from clew.samples import samples_root
from tests.surface.running import on_terminal

ROOT: Final = Path(__file__).parents[1]
PAGES: Final = tuple(ROOT / "docs" / name for name in ("commands.md", "python.md", "recipes.md"))

_EXAMPLE: Final = re.compile(
    r"^```console\n(?P<console>\$ clew.*?)^```$"
    r"|^```python\n(?P<python>.*?)^```\n\n```text\n(?P<printed>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
_COMMAND: Final = re.compile(r"^\$ clew.*\n", re.MULTILINE)
_IMPORT: Final = re.compile(r"^(?:import|from) (\w+)", re.MULTILINE)
_ERASE_LINE: Final = "\x1b[2K"
_STYLE: Final = re.compile(r"\x1b\[[\d;]*m")
# The year stands in place of the time for sessions of another year.
_CHANGING: Final = (
    (re.compile(r"(\b\d{1,2} [A-Z][a-z]{2}) +(?:\d\d:\d\d|\d{4})"), r"\1"),
    (re.compile(r"\bin \d+(?:\.\d+)? m?s\b"), "in a moment"),
    (re.compile(r"\d+(?:\.\d+)? (?:[kM]B|bytes)\b"), "size"),
    (re.compile(r"[ \t]+"), " "),
    (re.compile(r"─+"), "─"),
)


class Sandbox:
    """A home with the sample sessions, in which examples run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.work = folder / "work"
        self.work.mkdir()
        # New files, so that none is about to be deleted by the client.
        shutil.copytree(samples_root(), folder / ".claude", copy_function=shutil.copy)
        self.environment = {
            "HOME": str(folder),
            "CLEW_ARCHIVE": "",
            "CLEW_CONFIG": "",
            "CLEW_HOME": "",
            "XDG_CONFIG_HOME": str(folder / ".config"),
            "XDG_DATA_HOME": str(folder / ".local" / "share"),
            "CLAUDE_CONFIG_DIR": "",
            "TZ": "UTC",
            "PYTHONUTF8": "1",
        }
        self._terminal("sync")

    def run(self, example: str) -> str:
        """Return an example as it must stand in the document."""
        return _EXAMPLE.sub(self._rewrite, example)

    def _rewrite(self, match: re.Match[str]) -> str:
        if match["console"]:
            commands = _COMMAND.findall(match["console"])
            return "```console\n" + "".join(map(self._command, commands)) + "```"
        source = match["python"]
        return f"```python\n{source}```\n\n```text\n{self._python(source)}```"

    def _command(self, line: str) -> str:
        words = shlex.split(line.removeprefix("$ clew"), comments=True)
        return line + self._terminal(*(word.replace("~", str(self.folder)) for word in words))

    def _terminal(self, *words: str) -> str:
        return self._tidy(on_terminal(*words, folder=self.work, variables=self.environment))

    def _python(self, source: str) -> str:
        done = subprocess.run(  # noqa: S603 (our own example)
            [sys.executable, "-W", "error", "-c", source],
            cwd=self.work,
            env={**os.environ, **self.environment},
            capture_output=True,
            check=False,
            encoding="utf-8",
        )
        return self._tidy(done.stdout + done.stderr)

    def _tidy(self, text: str) -> str:
        # A bar of progress is erased before the result is printed.
        result = text.rpartition(_ERASE_LINE)[2]
        plain = _STYLE.sub("", result).replace(str(self.folder), "/home/mira")
        lines = plain.rstrip().splitlines()
        return "".join(f"{line.rstrip()}\n" for line in lines)


@contextmanager
def sandbox() -> Iterator[Sandbox]:
    """Have a home with the samples for as long as the block runs."""
    with tempfile.TemporaryDirectory() as folder:
        yield Sandbox(Path(folder).resolve())


def find_examples(text: str) -> list[str]:
    """Return the examples of a document, each with its output."""
    return [match[0] for match in _EXAMPLE.finditer(text)]


def missing_packages(example: str) -> list[str]:
    """Return the packages that a Python example imports and that are not installed."""
    return [name for name in _IMPORT.findall(example) if find_spec(name) is None]


def stable(text: str) -> str:
    """Return the text of an example without what changes from day to day."""
    for pattern, constant in _CHANGING:
        text = pattern.sub(constant, text)
    return text


if __name__ == "__main__":
    with sandbox() as home:
        for page in PAGES:
            text = page.read_text("utf-8")
            for example in find_examples(text):
                printed = example if missing_packages(example) else home.run(example)
                if stable(printed) != stable(example):
                    text = text.replace(example, printed)
            page.write_text(text, "utf-8")
