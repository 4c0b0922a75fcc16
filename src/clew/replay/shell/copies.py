"""Whether a shell command puts text into a file that was written elsewhere.

What somebody else wrote is not written by whoever fetches it.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from clew.replay.shell.lexer import Script, SimpleCommand, split_commands
from clew.replay.shell.programs import command_words

# Programs that bring text from elsewhere, wherever they are in a command.
_BRINGERS: Final = re.compile(
    r"\bgit\b(?:\s+-\S+(?:\s+[^-\s]\S*)?)*?\s+(?:checkout|switch|restore|reset|merge|pull|rebase"
    r"|cherry-pick|revert|stash|apply|am|read-tree|checkout-index|worktree|clone|submodule)\b"
    r"|(?:^|[\s;&|(])(?:cp|mv|rsync|patch|curl|wget|tar|unzip|install|ln)\s"
)
_NEW_BRANCH: Final = re.compile(
    r"\bgit\s+(?:checkout(?:\s+-q)?\s+-[bB]|switch(?:\s+-q)?\s+-[cC])\s+[^\s;&|]+\s*(?=[;&|\n]|$)"
)
# What they print comes from a file that they name, or from one that they are given by `<`.
# The number says how many of their words are no files: scripts and patterns.
_PRINTERS: Final = {
    "cat": 0, "head": 0, "tail": 0, "tac": 0, "nl": 0, "rev": 0, "sort": 0, "uniq": 0, "cut": 0,
    "paste": 0, "column": 0, "fold": 0, "fmt": 0, "expand": 0, "unexpand": 0, "base64": 0,
    "comm": 0, "zcat": 0, "gunzip": 0, "gzip": 0, "xzcat": 0, "bzcat": 0, "bat": 0,
    "strings": 0, "iconv": 0,
    "sed": 1, "awk": 1, "gawk": 1, "grep": 1, "egrep": 1, "fgrep": 1, "rg": 1, "jq": 1, "yq": 1,
    "tr": 2,
}  # fmt: skip
# What they print comes from elsewhere, whatever their words are.
_FETCHERS: Final = frozenset(
    ("curl", "wget", "gh", "glab", "ssh", "scp", "nc", "pbpaste", "xclip", "wl-paste", "http")
)
_GIT: Final = frozenset(("show", "cat-file", "archive", "diff", "log", "format-patch", "blame"))
_LONGEST: Final = 100_000


def copies_text(command: str) -> bool:
    """Whether a command writes what a file, a commit or another machine has into a file.

    In a command that cannot be read, only programs that always do are known.
    """
    if _BRINGERS.search(_NEW_BRANCH.sub(" ", command)) is not None:
        return True
    script = split_commands(command) if len(command) <= _LONGEST else None
    return script is not None and any(map(_copies, _pipelines(script)))


def _pipelines(script: Script) -> Iterator[list[SimpleCommand]]:
    """Group commands that are joined by pipes; with a redirected group, all are one."""
    if any(not command.words and command.targets for command in script.commands):
        yield script.commands
        return
    line: list[SimpleCommand] = []
    for command in script.commands:
        line.append(command)
        if not command.is_piped:
            yield line
            line = []
    if line:
        yield line


def _copies(line: Sequence[SimpleCommand]) -> bool:
    if any(_is_dd(command_words(command)) for command in line):
        return True
    writes = any(_writes(command) for command in line)
    return writes and any(_prints_others(command) for command in line)


def _writes(command: SimpleCommand) -> bool:
    words = command_words(command)
    has_target = any(not target.text.startswith("/dev/") for target in command.targets)
    return has_target or (words[:1] == ["tee"] and len(words) > 1)


def _prints_others(command: SimpleCommand) -> bool:
    name, *words = command_words(command) or [""]
    if name in _FETCHERS:
        return True
    if name == "git":
        return not _GIT.isdisjoint(words)
    if name not in _PRINTERS:
        return False
    files = [word for word in words if not word.startswith("-") and not word.isdecimal()]
    return command.reads_file or len(files) > _PRINTERS[name]


def _is_dd(words: Sequence[str]) -> bool:
    return words[:1] == ["dd"] and any(word.startswith("if=") for word in words)
