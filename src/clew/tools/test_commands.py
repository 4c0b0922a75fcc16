"""A command line → the last command in it that runs tests, whatever starts that command."""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

import msgspec

from clew.tools.command_words import bare_words, inner_line
from clew.tools.shell_commands import ShellCommand, split_commands
from clew.tools.test_runners import runs_tests

# A quick look at a command line, before it is split.
_MAY_TEST: Final = re.compile(
    r"test|spec|tox|nox|mocha|jest|check|verify|unit|e2e|cypress|behave|karma|ginkgo|busted"
    r"|\b(?:ava|bats|prove|tap|uvu|ptw|trial|ward)\b",
    re.IGNORECASE,
)
_QUIET_LEADS: Final = frozenset(
    {"cd", "pushd", "export", "source", ".", "set", "unset", "clear", "sleep", "mkdir"} | {"echo"}
)
_REDIRECTION: Final = re.compile(r"(?: \d?>&\d| \d?> ?/dev/null){1,4}\Z")
_LEAD: Final = re.compile(r"\A(?:[({] ?|! |(?:do|then|else|if|elif|while|until) )+")
_DEEPEST: Final = 3
_HEAD: Final = re.compile(r" -(?:n ?|-lines[= ])?(\d{1,9})\b")
_USUAL_HEAD: Final = 10


class RunnerCommand(msgspec.Struct, frozen=True):
    """A command that runs tests, and whether the exit status of its line is its own.

    `passes_line` means that the line succeeds only if the tests did; `fails_line` that nothing but
    the tests is likely to have failed. Of their output, `head` lets `most_lines` through.
    """

    text: str
    passes_line: bool
    fails_line: bool
    most_lines: int | None = None


def find_test_command(line: str, *, depth: int = 0) -> RunnerCommand | None:
    """Return the last command of a command line that runs tests.

    A line that another shell is given (`bash -c`, `ssh`) is looked into, `depth` lines deep.
    """
    if depth > _DEEPEST or _MAY_TEST.search(line) is None:
        return None
    commands = split_commands(line)
    for place in range(len(commands) - 1, -1, -1):
        found = _find_one(commands[place], depth)
        if found is None:
            continue
        passes = _decides_success(commands[place:], line)
        fails = _decides_failure(commands[:place]) and not commands[place + 1 :]
        return RunnerCommand(
            found.text,
            found.passes_line and passes,
            found.fails_line and fails,
            min(filter(None, (found.most_lines, _most_lines(commands[place:]))), default=None),
        )
    return None


def _find_one(command: ShellCommand, depth: int) -> RunnerCommand | None:
    words = bare_words(command.words)
    inner = inner_line(words)
    if inner:
        return find_test_command(inner, depth=depth + 1)
    return RunnerCommand(_text(command), True, True) if runs_tests(words) else None  # noqa: FBT003


def _text(command: ShellCommand) -> str:
    """Return a command as it was written, without redirections and the parentheses round it."""
    text = _LEAD.sub("", " ".join(command.text.split()))
    while text.endswith(")") and text.count(")") > text.count("("):
        text = text[:-1].rstrip()
    return _REDIRECTION.sub("", text)


def _most_lines(commands: Sequence[ShellCommand]) -> int | None:
    """Return how many lines of the first command's output come through its pipe."""
    found = []
    for one, after in pairwise(commands):
        if one.after not in ("|", "|&"):
            break
        if after.words[0] == "head":
            count = _HEAD.search(" ".join(after.words))
            found.append(_USUAL_HEAD if count is None else int(count[1]))
    return min(found, default=None)


def _decides_success(commands: Sequence[ShellCommand], line: str) -> bool:
    """Return whether a line succeeds only if its first command here did."""
    joins = [command.after for command in commands]
    if joins[0] in ("|", "|&"):
        return "pipefail" in line and all(join in ("|", "|&", "&&", "") for join in joins)
    return all(join in ("&&", "") for join in joins)


def _decides_failure(before: Sequence[ShellCommand]) -> bool:
    return all(command.words[0].lstrip("({") in _QUIET_LEADS for command in before)
