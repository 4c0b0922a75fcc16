"""A shell command, split into the simple commands that it runs.

This is no shell: it knows quotes, operators, redirections, here-documents and substitutions, which
is enough to see which programs run on which words. What it cannot split gives None, and a reader
must then expect anything.
"""

import re
from typing import Final

import msgspec

_BLANK: Final = re.compile(r"(?:[ \t\r]|\\\r?\n)+")
_OPERATOR: Final = re.compile(
    r"&&|\|\||;;|\|&|&>>|&>|\d*(?:<<<|<<-|<<|<>|<&|>>|>&|>\||<|>)|[;&|()\n]"
)
_PLAIN: Final = re.compile(r"[^\s'\"\\;&|()<>`$]+")
_SINGLE: Final = re.compile(r"'[^']*'")
_DOUBLE: Final = re.compile(r'[^"\\`$]+')
_HEREDOC_END: Final = re.compile(r"""\s*(['"]?)([\w.!%+-]+)\1""")
_GLOB: Final = re.compile(r"[*?\[{]|^~")
_REDIRECTS: Final = ("<", ">")
_MOST_NESTED: Final = 8


class ShellWord(msgspec.Struct, frozen=True, gc=False):
    """A word of a command; what a shell puts into it is known only where it is plain."""

    text: str
    is_plain: bool = True
    has_glob: bool = False


class SimpleCommand(msgspec.Struct, gc=False):
    """A program with its words, and the files that it is told to write to.

    With `is_piped`, the next one reads what it prints; with `reads_file`, it reads one by `<`.
    """

    words: list[ShellWord] = []
    targets: list[ShellWord] = []
    is_piped: bool = False
    reads_file: bool = False


class Script(msgspec.Struct, gc=False):
    """The simple commands of a command, in order, those of substitutions included."""

    commands: list[SimpleCommand] = []
    has_groups: bool = False
    is_detached: bool = False
    has_expanding_heredoc: bool = False


class _UnreadableError(Exception):
    """A command that this lexer cannot split."""


def split_commands(text: str) -> Script | None:
    """Split a command; None where that is not possible."""
    script = Script([], has_groups=False)
    try:
        _Lexer(text, script, 0).run()
    except _UnreadableError:
        return None
    return script


class _Lexer:
    def __init__(self, text: str, script: Script, depth: int) -> None:
        if depth > _MOST_NESTED:
            raise _UnreadableError
        self.text, self.script, self.depth = text, script, depth
        self.at = 0
        self.command = SimpleCommand([], [])
        self.heredocs: list[str] = []

    def run(self) -> None:
        while self.at < len(self.text):
            self._step()
        self._finish()

    def _step(self) -> None:
        blank = _BLANK.match(self.text, self.at)
        if blank is not None:
            self.at = blank.end()
            return
        if self.text[self.at] == "#":
            end = self.text.find("\n", self.at)
            self.at = len(self.text) if end < 0 else end
            return
        operator = _OPERATOR.match(self.text, self.at)
        if operator is None:
            self.command.words.append(self._word())
            return
        self.at = operator.end()
        self._operate(operator[0])

    def _operate(self, operator: str) -> None:
        if "<<" in operator and "<<<" not in operator:
            self._begin_heredoc()
        elif "<" in operator or ">" in operator:
            self._redirect(operator)
        else:
            self.command.is_piped = operator in ("|", "|&")
            self._finish()
            self.script.has_groups |= operator in ("(", ")")
            self.script.is_detached |= operator == "&"
            if operator == "\n":
                self._skip_heredocs()

    def _redirect(self, operator: str) -> None:
        blank = _BLANK.match(self.text, self.at)
        self.at = self.at if blank is None else blank.end()
        if self.text.startswith("(", self.at):
            # A process substitution: what is in it runs, and may be written to.
            if ">" in operator:
                raise _UnreadableError
            return
        target = self._word()
        is_stream = operator.endswith("&") and (target.text.isdecimal() or target.text == "-")
        if ">" in operator and not is_stream:
            self.command.targets.append(target)
        self.command.reads_file |= operator.lstrip("0123456789") == "<"

    def _begin_heredoc(self) -> None:
        end = _HEREDOC_END.match(self.text, self.at)
        if end is None:
            raise _UnreadableError
        self.at = end.end()
        self.heredocs.append(("" if end[1] else "$") + end[2])

    def _skip_heredocs(self) -> None:
        for name in self.heredocs:
            found = re.compile(
                rf"^\t*{re.escape(name.removeprefix('$'))}\r?$", re.MULTILINE
            ).search(self.text, self.at)
            end = len(self.text) if found is None else found.start()
            if name.startswith("$"):
                body = self.text[self.at : end]
                self.script.has_expanding_heredoc |= "$(" in body or "`" in body
            self.at = len(self.text) if found is None else found.end()
        self.heredocs = []

    def _finish(self) -> None:
        if self.command.words or self.command.targets:
            self.script.commands.append(self.command)
        self.command = SimpleCommand([], [])

    def _word(self) -> ShellWord:
        start, pieces, is_plain, has_glob = self.at, [], True, False
        while self.at < len(self.text):
            character = self.text[self.at]
            if character == "'":
                pieces.append(self._take(_SINGLE)[1:-1])
            elif character == '"':
                text, plain = self._double()
                pieces.append(text)
                is_plain &= plain
            elif character == "\\":
                pieces.append(self.text[self.at + 1 : self.at + 2])
                self.at += 2
            elif character in "`$":
                self._expand()
                is_plain = False
            else:
                found = _PLAIN.match(self.text, self.at)
                if found is None:
                    break
                self.at = found.end()
                pieces.append(found[0])
                has_glob |= _GLOB.search(found[0]) is not None
        if self.at == start:
            raise _UnreadableError
        return ShellWord("".join(pieces), is_plain=is_plain, has_glob=has_glob)

    def _take(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self.text, self.at)
        if found is None:
            raise _UnreadableError
        self.at = found.end()
        return found[0]

    def _double(self) -> tuple[str, bool]:
        self.at += 1
        pieces, is_plain = [], True
        while not self.text.startswith('"', self.at):
            if self.at >= len(self.text):
                raise _UnreadableError
            character = self.text[self.at]
            if character == "\\":
                pieces.append(self.text[self.at + 1 : self.at + 2])
                self.at += 2
            elif character in "`$":
                self._expand()
                is_plain = False
            else:
                pieces.append(self._take(_DOUBLE))
        self.at += 1
        return "".join(pieces), is_plain

    def _expand(self) -> None:
        """Pass over a variable or a substitution; what a substitution runs is run too."""
        if self.text[self.at] == "`":
            end = self.text.find("`", self.at + 1)
            self._run_inner(self.at + 1, end)
        elif self.text.startswith("$(", self.at) and not self.text.startswith("$((", self.at):
            self._run_inner(self.at + 2, _closing(self.text, self.at + 2))
        elif self.text.startswith("$((", self.at):
            end = self.text.find("))", self.at)
            if end < 0:
                raise _UnreadableError
            self.at = end + 2
        elif self.text.startswith("$'", self.at):
            raise _UnreadableError
        else:
            end = self.text.find("}", self.at) if self.text.startswith("${", self.at) else self.at
            if end < 0:
                raise _UnreadableError
            self.at = end + 1

    def _run_inner(self, start: int, end: int) -> None:
        if end < 0:
            raise _UnreadableError
        self.script.has_groups = True
        _Lexer(self.text[start:end], self.script, self.depth + 1).run()
        self.at = end + 1


def _closing(text: str, at: int) -> int:
    """Find the parenthesis that closes a substitution; -1 where there is none.

    One in a here-document counts too, so that a text with an odd one gives no command at all.
    """
    depth, quote = 1, ""
    while at < len(text):
        character = text[at]
        if quote == "'":
            quote = "" if character == "'" else quote
        elif character == "\\":
            at += 1
        elif character in "'\"" and quote in ("", character):
            quote = "" if quote else character
        elif character == "(":
            depth += 1
        elif character == ")":
            depth -= 1
            if depth == 0:
                return at
        at += 1
    return -1
