"""What a shell command may write: nothing, some files and folders, or anything."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from clew.replay.shell.downloads import DOWNLOADERS, download_targets
from clew.replay.shell.lexer import Script, ShellWord, SimpleCommand, split_commands
from clew.replay.shell.programs import (
    ASSIGNMENT,
    NEUTRAL,
    SENSITIVE,
    SERVERS,
    WRITERS,
    only_reads,
    without_prefixes,
)
from clew.tools import resolve_path

_XARGS_VALUED: Final = ("-n", "-I", "-P", "-L", "-d", "-s", "-E")
_FIND_RUNS: Final = ("-exec", "-execdir")
_DEVICES: Final = ("/dev/", "/proc/")
_LONGEST: Final = 100_000
_SCRIPT_FILE: Final = re.compile(r"-[nErszu]*f|--file")
_SCRIPT_WRITES: Final = re.compile(r"(?:^|[;}/\d$gpI])\s*[wWe]\b")


class Effects(msgspec.Struct, frozen=True):
    """What a command may write.

    `paths` are files, or folders with all that is below; with `is_any` they are not all.
    One that `is_detached` may go on after its call has ended.
    """

    paths: tuple[str, ...] = ()
    is_any: bool = False
    is_detached: bool = False
    makes_links: bool = False

    @property
    def is_none(self) -> bool:
        """Whether it writes nothing."""
        return not self.is_any and not self.paths


ANYTHING: Final = Effects(is_any=True)
NOTHING: Final = Effects()


def find_effects(command: str, cwd: str) -> Effects:
    """Tell what a command may write if it runs in a folder."""
    script = split_commands(command) if len(command) <= _LONGEST else None
    if script is None:
        return ANYTHING
    return _EffectReader(script, cwd).read()


class _UnknownError(Exception):
    """A command that may write anything."""


class _EffectReader:
    def __init__(self, script: Script, cwd: str) -> None:
        self.script, self.cwd = script, cwd
        self.is_lost = not cwd
        self.paths: dict[str, None] = {}
        self.makes_links = False

    def read(self) -> Effects:
        is_any = self.script.has_expanding_heredoc
        for command in self.script.commands:
            try:
                self._read_command(command)
            except _UnknownError:
                is_any |= not _is_server(command)
        return Effects(
            tuple(self.paths),
            is_any=is_any,
            is_detached=self.script.is_detached,
            makes_links=self.makes_links,
        )

    def _read_command(self, command: SimpleCommand) -> None:
        for target in command.targets:
            if not target.text.startswith(_DEVICES):
                self._write(target)
        words = without_prefixes(command.words)
        if not words:
            return
        name = words[0].text.rpartition("/")[2]
        if not words[0].is_plain or (words[0].has_glob and name not in ("[", "[[")):
            raise _UnknownError
        self._run(name, words[1:])

    def _run(self, name: str, words: Sequence[ShellWord]) -> None:
        texts = [word.text for word in words]
        if name in ("cd", "pushd", "popd"):
            self._move(words)
        elif name == "xargs":
            self._run_by_xargs(words)
        elif name == "find":
            self._run_by_find(words)
        elif name in DOWNLOADERS:
            self._download(name, words)
        elif name in ("timeout", "env"):
            self._run_wrapped(words)
        elif name == "sed":
            self._edit_by_sed(words)
        elif name == "ln":
            self.makes_links = True
            raise _UnknownError
        elif name in WRITERS:
            for word in words:
                if not word.text.startswith("-") or not word.is_plain:
                    self._write(word)
        elif name not in NEUTRAL and not (
            only_reads(name, texts) and (name not in SENSITIVE or all(w.is_plain for w in words))
        ):
            raise _UnknownError

    def _move(self, words: Sequence[ShellWord]) -> None:
        known = [word for word in words if word.is_plain and not word.has_glob]
        # In a group a move ends with it.
        if self.script.has_groups or len(words) != 1 or not known or known[0].text == "-":
            self.is_lost = True
        else:
            self.cwd = resolve_path(known[0].text, self.cwd)

    def _run_by_xargs(self, words: Sequence[ShellWord]) -> None:
        rest = list(words)
        while rest and rest[0].text.startswith("-"):
            option = rest.pop(0)
            if option.text in _XARGS_VALUED and rest:
                rest.pop(0)
        self._only_read(rest)

    def _only_read(self, words: Sequence[ShellWord]) -> None:
        """Refuse a command that is run on files, unless it only reads them."""
        texts = [word.text for word in words]
        if words and not (words[0].is_plain and only_reads(texts[0], texts[1:])):
            raise _UnknownError

    def _run_by_find(self, words: Sequence[ShellWord]) -> None:
        rest = list(words)
        at = next((at for at, word in enumerate(rest) if word.text in _FIND_RUNS), None)
        while at is not None:
            ends = (end for end in range(at, len(rest)) if rest[end].text in (";", "+"))
            end = next(ends, len(rest))
            self._only_read(rest[at + 1 : end])
            del rest[at : end + 1]
            at = next((at for at, word in enumerate(rest) if word.text in _FIND_RUNS), None)
        is_known = all(word.is_plain for word in rest)
        if not is_known or not only_reads("find", [word.text for word in rest]):
            raise _UnknownError

    def _download(self, name: str, words: Sequence[ShellWord]) -> None:
        for target in download_targets(name, words):
            if target is None:
                raise _UnknownError
            if target.text != "-" and not target.text.startswith(_DEVICES):
                self._write(target)

    def _run_wrapped(self, words: Sequence[ShellWord]) -> None:
        rest = list(words)
        while rest and (
            rest[0].text.startswith("-")
            or ASSIGNMENT.match(rest[0].text)
            or rest[0].text[:1].isdigit()
        ):
            rest.pop(0)
        if rest:
            self._read_command(SimpleCommand(rest, []))

    def _edit_by_sed(self, words: Sequence[ShellWord]) -> None:
        texts = [word.text for word in words]
        if any(text.startswith(("-i", "--in-place")) or _is_short_i(text) for text in texts):
            if any(not word.is_plain for word in words):
                raise _UnknownError
            for word in words:
                if not word.text.startswith("-"):
                    self._write(word)
        elif any(_SCRIPT_WRITES.search(text) or _SCRIPT_FILE.match(text) for text in texts):
            raise _UnknownError

    def _write(self, word: ShellWord) -> None:
        if not word.is_plain or self.is_lost or word.text.startswith("~"):
            raise _UnknownError
        path = word.text
        if word.has_glob:
            # All that a pattern may match is below the folder before it.
            path = re.split(r"[*?\[{]", path, maxsplit=1)[0].rpartition("/")[0] or "."
        self.paths[resolve_path(path, self.cwd).rstrip("/") or "/"] = None


def _is_short_i(text: str) -> bool:
    return re.fullmatch(r"-[nErszu]*i.*", text) is not None


def _is_server(command: SimpleCommand) -> bool:
    words = without_prefixes(command.words)
    line = " ".join(word.text for word in words)
    return not command.targets and SERVERS.match(line) is not None


def covers(paths: Sequence[str], files: Sequence[str]) -> Iterator[str]:
    """List the files that are among paths or below them."""
    for file in files:
        if any(file == path or file.startswith(f"{path.rstrip('/')}/") for path in paths):
            yield file
