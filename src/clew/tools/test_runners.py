"""The programs that run tests, and those that do so if they are told to."""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from clew.tools.command_words import is_test_name, own_words, program_name, without_options

_RUNNERS: Final = frozenset(
    {"pytest", "py.test", "jest", "vitest", "mocha", "ava", "phpunit", "pest", "rspec", "unittest"}
    | {"tox", "nox", "ctest", "nosetests", "nose2", "behave", "gotestsum", "karma", "trial"}
    | {"stestr", "ward", "busted", "bats", "shellspec", "prove", "ginkgo", "uvu", "tap", "gotest"}
    | {"elm-test", "web-test-runner", "wtr", "pytest-watch", "ptw", "paratest", "doctest"}
)
_SUBCOMMANDS: Final = {
    "cargo": ("test", "nextest", "t", "tarpaulin"),
    "go": ("test",),
    "dotnet": ("test", "vstest"),
    "mix": ("test",),
    "swift": ("test",),
    "deno": ("test",),
    "bazel": ("test",),
    "bazelisk": ("test",),
    "buck2": ("test",),
    "pants": ("test",),
    "hatch": ("test",),
    "pdm": ("test",),
    "rye": ("test",),
    "rails": ("test", "spec"),
    "artisan": ("test",),
    "flutter": ("test",),
    "dart": ("test",),
    "zig": ("test",),
    "cabal": ("test",),
    "stack": ("test",),
    "sbt": ("test", "testOnly", "testQuick"),
    "lein": ("test",),
    "dune": ("test", "runtest"),
    "rebar3": ("eunit", "ct"),
    "gleam": ("test",),
    "crystal": ("spec",),
    "forge": ("test",),
    "hardhat": ("test",),
    "ng": ("test",),
    "ember": ("test",),
    "react-scripts": ("test",),
    "wasm-pack": ("test",),
    "terraform": ("test",),
    "playwright": ("test",),
    "cypress": ("run",),
    "meson": ("test",),
    "xcodebuild": ("test", "test-without-building"),
}
_SCRIPTS: Final = ("npm", "pnpm", "yarn", "bun", "composer", "lerna")
_TASKS: Final = frozenset(
    {"just", "make", "gmake", "task", "go-task", "rake", "inv", "invoke", "mise", "nx", "turbo"}
    | {"poe", "doit", "mage", "moon", "ninja", "ant", "rush", "earthly"}
)
_BUILDS: Final = ("gradle", "gradlew", "mvn", "mvnw")
_BUILD_TARGET: Final = re.compile(r"(?:[\w:.-]{0,200}:)?(?:\w{0,100}[tT]est|check|verify)")
_ENVIRONMENTS: Final = ("tox", "nox")
_CHOICES: Final = ("-e", "-s", "--session", "--sessions")
_NO_TESTS: Final = re.compile(
    r"(?:.*[:_-])?(?:lint|docs?|mypy|typing|types?|typecheck|format|fmt|style|build|pre-commit|ruff)"
    r"(?:[:_-].*)?"
)
# Files that are tests, or run them all, when they are run by themselves.
_PROGRAM: Final = re.compile(
    r"(?:(?:run|all|ci|unit|e2e|integration)[_-]?){0,2}tests?(?:[_-](?:all|unit|e2e|ci))?"
    r"(?:\.(?:sh|bash|zsh|ps1))?"
)
_PYTHON_FILE: Final = re.compile(r"(?:(?:run_?)?tests?|test_\w{1,100}|\w{1,100}_test)\.py")
_SCRIPT_FILE: Final = re.compile(
    r"[\w.-]{0,100}[._](?:test|spec)\.(?:[cm]?[jt]sx?|rb)|test_\w{1,100}\.rb"
)
_PYTHON: Final = re.compile(r"(?:python|pypy|py)[\d.]*")
_FILE_RUNNERS: Final = ("node", "tsx", "ts-node", "bun", "deno", "ruby")
_SHELLS: Final = ("bash", "sh", "zsh")
_NO_RUN: Final = frozenset(
    {"--help", "-h", "--version", "--collect-only", "--co", "--no-run", "--list", "--listTests"}
    | {"--list-tests", "--dry-run", "--fixtures", "--markers", "--listenvs", "-list", "-N"}
)


def runs_tests(words: Sequence[str]) -> bool:
    """Return whether a command, without what only starts it, runs tests."""
    if not words or not _NO_RUN.isdisjoint(words):
        return False
    name, rest = program_name(words[0]), own_words(words)
    if name in _RUNNERS:
        return name not in _ENVIRONMENTS or _chooses_tests(words[1:])
    if name in _SCRIPTS:
        return _runs_script(name, rest)
    if name in _TASKS:
        return _runs_task(name, words[1:], rest)
    if name in _BUILDS:
        return any(_BUILD_TARGET.fullmatch(word) for word in rest)
    return _runs_subcommand(name, rest) or _runs_file(words)


def _runs_subcommand(name: str, rest: list[str]) -> bool:
    if name == "cargo" and rest[:1] and rest[0].startswith("+"):
        rest = without_options(rest[1:])
    first = rest[0] if rest else ""
    if name == "xcodebuild":
        return any(word in _SUBCOMMANDS[name] for word in rest)
    return first in _SUBCOMMANDS.get(name, ()) or first.split(" ")[0] in (
        _SUBCOMMANDS[name] if name == "sbt" else ()
    )


def _runs_file(words: Sequence[str]) -> bool:
    """Return whether a command runs a file of tests, or a program that is called so."""
    name, rest = program_name(words[0]), without_options(words[1:])
    file = rest[0] if rest else ""
    base = file.rsplit("/", 1)[-1]
    if name in ("node", "tsx") and "--test" in words[1:6]:
        return True
    if words[0] == "manage.py" or name == "manage.py":
        return file == "test"
    if _PYTHON.fullmatch(name):
        runs_all = base in ("manage.py", "setup.py", "artisan") and rest[1:2] == ["test"]
        return runs_all or _PYTHON_FILE.fullmatch(base) is not None
    if name == "php":
        return runs_tests(rest)
    if name in _FILE_RUNNERS:
        return program_name(file) in _RUNNERS or _SCRIPT_FILE.fullmatch(base) is not None
    if name in _SHELLS:
        return _PROGRAM.fullmatch(base) is not None
    is_path = "/" in words[0] or "." in words[0]
    own = words[0].rsplit("/", 1)[-1]
    return is_path and (
        _PROGRAM.fullmatch(own) is not None or _PYTHON_FILE.fullmatch(own) is not None
    )


def _runs_task(name: str, words: Sequence[str], rest: list[str]) -> bool:
    """Return whether one of the tasks of `make` or one of its kind runs tests."""
    first = rest[0] if rest else ""
    if name == "mise":
        is_run = first in ("run", "r")
        targets = without_options(rest[1:]) if is_run else rest[:1]
    elif name in ("nx", "moon", "turbo"):
        # They name tasks as values of options, too.
        targets = [part for word in words for part in word.partition("=")[2].split(",") if part]
        targets += rest
        targets += [after for option, after in pairwise(words) if option == "-t"]
    else:
        targets = rest
    end = targets.index("--") if "--" in targets else len(targets)
    return any(is_test_name(word, with_check=True) for word in targets[:end] if "=" not in word)


def _runs_script(name: str, rest: list[str]) -> bool:
    """Return whether npm or one of its kind runs a test script, or a runner as such."""
    rest = _of_workspace(rest)
    first = rest[0] if rest else ""
    if first in ("run", "run-script"):
        scripts = without_options(rest[1:])
        chosen = scripts[0] if scripts else ""
        return is_test_name(chosen) or _SCRIPT_FILE.fullmatch(chosen.rsplit("/", 1)[-1]) is not None
    if first == "t" and name == "npm":
        return True
    if first in _RUNNERS or first in _SUBCOMMANDS:
        return runs_tests(rest)
    return is_test_name(first) or (name == "bun" and _runs_file(["bun", *rest]))


def _of_workspace(rest: list[str]) -> list[str]:
    """Return what is run in one workspace or in all."""
    if rest[:1] == ["workspace"]:
        return without_options(rest[2:])
    if rest[:1] in (["workspaces"], ["recursive"], ["multi"]):
        inner = without_options(rest[1:])
        return without_options(inner[1:]) if inner[:1] == ["foreach"] else inner
    return rest


def _chooses_tests(words: Sequence[str]) -> bool:
    """Return whether one of the environments of tox or nox that are named may run tests."""
    chosen = [
        name for option, value in pairwise(words) if option in _CHOICES for name in value.split(",")
    ]
    return words[:1] not in (["list"], ["-l"]) and (
        not chosen or any(_NO_TESTS.fullmatch(name) is None for name in chosen)
    )
