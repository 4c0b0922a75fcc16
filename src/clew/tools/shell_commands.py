"""A shell's command line → the simple commands in it, with what joins them."""

import re
from collections.abc import Iterator
from typing import Final

import msgspec

_LONGEST: Final = 20_000
_HEREDOC: Final = re.compile(r"<<-?[ \t]*(['\"]?)([A-Za-z_]\w{0,60})\1")
# A piece of a command line: quoted, escaped, an operator, a space, or a run of other signs.
_TOKEN: Final = re.compile(
    r"""(?P<quoted>'[^']*'|"(?:[^"\\]|\\.)*"|\\.)"""
    r"""|(?P<redirect>\d?>&\d?|&>>?|\d?>\|)"""
    r"""|(?P<operator>&&|\|\||\|&?|;;?|&|\n)"""
    r"""|(?P<space>[ \t\r]+)"""
    r"""|(?P<comment>(?:(?<=\s)|^)\#[^\n]*)"""
    r"""|(?P<plain>[^\s'"\\&|;>\d]+|.)""",
    re.DOTALL | re.MULTILINE,
)


class ShellCommand(msgspec.Struct, frozen=True):
    """A simple command: its words, the operators before and after it, and its own text."""

    words: tuple[str, ...]
    before: str = ""
    after: str = ""
    text: str = ""


def split_commands(line: str) -> list[ShellCommand]:
    """Split a command line into simple commands; documents in it are not among them.

    What is in parentheses or in quotation marks is not looked into.
    """
    commands: list[ShellCommand] = []
    words: list[str] = []
    word = text = before = ""
    for kind, piece in _tokens(_without_documents(line[:_LONGEST])):
        if kind == "operator":
            words += [word] if word else []
            if words:
                commands.append(ShellCommand(tuple(words), before, piece, text.strip()))
                before = piece
            words, word, text = [], "", ""
            continue
        text += piece
        if kind == "space":
            words += [word] if word else []
            word = ""
        elif kind != "comment":
            word += _unquoted(piece) if kind == "quoted" else piece
    words += [word] if word else []
    if words:
        commands.append(ShellCommand(tuple(words), before, "", text.strip()))
    return commands


def _tokens(line: str) -> Iterator[tuple[str, str]]:
    for found in _TOKEN.finditer(line):
        yield found.lastgroup or "plain", found[0]


def _unquoted(piece: str) -> str:
    if piece == "\\\n":
        return ""
    return piece[1:] if piece[0] == "\\" else piece[1:-1]


def _without_documents(line: str) -> str:
    """Remove here-documents: what a command writes is no command."""
    if "<<" not in line:
        return line
    kept: list[str] = []
    ends: list[str] = []
    for one in line.split("\n"):
        if ends:
            if one.strip() == ends[0]:
                ends.pop(0)
            continue
        kept.append(one)
        ends = [found[2] for found in _HEREDOC.finditer(one)]
    return "\n".join(kept)
