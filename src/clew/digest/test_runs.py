"""Commands that run tests, and what their output says of the result."""

import re
from typing import Final

import msgspec

from clew.tools import ShellCommand, split_commands

# A quick look at a command line, before it is split.
_MAY_TEST: Final = re.compile(
    r"test|spec|tox|nox|mocha|jest|check|verify|phpunit|ava\b|cypress", re.IGNORECASE
)
_RUNNERS: Final = frozenset(
    {"pytest", "py.test", "jest", "vitest", "mocha", "ava", "phpunit", "pest", "rspec"}
    | {"tox", "nox", "ctest", "nosetests", "nose2", "behave", "gotestsum", "karma", "trial"}
    | {"stestr", "ward", "busted", "bats", "shellspec"}
)
_SUBCOMMANDS: Final = {
    "cargo": ("test", "nextest", "t"),
    "go": ("test",),
    "dotnet": ("test",),
    "mix": ("test",),
    "swift": ("test",),
    "deno": ("test",),
    "bazel": ("test",),
    "hatch": ("test",),
    "rails": ("test",),
    "flutter": ("test",),
    "dart": ("test",),
    "zig": ("test",),
    "cabal": ("test",),
    "stack": ("test",),
    "sbt": ("test",),
    "playwright": ("test",),
    "cypress": ("run",),
    "node": ("--test",),
    "meson": ("test",),
}
_SCRIPTS: Final = ("npm", "pnpm", "yarn", "bun")
_TASKS: Final = ("just", "make", "gmake", "task", "rake", "inv", "invoke", "mise", "nx", "turbo")
_BUILDS: Final = ("gradle", "gradlew", "mvn", "mvnw")
_TARGET: Final = re.compile(r"(?:[\w/-]{0,100}:)?(?:tests?|check)(?:[:_.-][\w:.-]{0,100})?")
_SCRIPT: Final = re.compile(r"tests?(?:[:_.-][\w:.-]{0,100})?")
_BUILD_TARGET: Final = re.compile(r"(?:[\w:.-]{0,200}:)?(?:\w{0,100}[tT]est|check|verify)")
_WRAPPERS: Final = frozenset(
    {"sudo", "time", "env", "nice", "command", "exec", "nohup", "caffeinate", "xvfb-run"}
    | {"npx", "bunx", "dotenv"}
)
_RUN_WRAPPERS: Final = {
    "uv": ("run",),
    "poetry": ("run",),
    "pipenv": ("run",),
    "pdm": ("run",),
    "rye": ("run",),
    "hatch": ("run",),
    "pixi": ("run",),
    "bundle": ("exec",),
    "pnpm": ("exec", "dlx"),
    "yarn": ("exec", "dlx"),
    "npm": ("exec",),
    "mise": ("exec", "x"),
}
_VALUED: Final = frozenset(
    {"--with", "--python", "-p", "--extra", "--group", "--package", "--project"}
    | {"--directory", "-C", "--dir", "--prefix", "--filter", "--cwd", "-w", "--workspace"}
    | {"-f", "--file", "--env-file"}
)
_ASSIGNMENT: Final = re.compile(r"[A-Za-z_]\w*=")
_PYTHON: Final = re.compile(r"(?:python|pypy)[\d.]*")
_NO_RUN: Final = frozenset(
    ["--help", "-h", "--version", "--collect-only", "--co", "--no-run", "--list", "--listTests"]
)
_QUIET_LEADS: Final = frozenset(
    {"cd", "pushd", "export", "source", ".", "set", "unset", "clear", "sleep", "mkdir"} | {"echo"}
)
_TEST_EXITS: Final = (1, 101)
_REDIRECTION: Final = re.compile(r"(?: \d?>&\d| \d?> ?/dev/null){1,4}\Z")
_EXIT_CODE: Final = re.compile(r"(?:Error: )?Exit code (-?\d{1,9})\b")
_ESCAPES: Final = re.compile(r"\x1b\[[0-9;]{0,20}[A-Za-z]")
_RESULT_LENGTH: Final = 160
# The end of an output has the result; the beginning of a long one is not read.
_READ: Final = 8_000

# Each describes a whole line, from its beginning.
_FAILED: Final = re.compile(
    r"[= \t]*(?:\d+ \w+, )*[1-9]\d* (?:failed|errors?)\b.* in [\d.:]+"
    r"|[ \t]*(?:Tests?|Test Files|Test Suites):?[ \t]+(?:\d+ \w+ ?[,|] ?)*[1-9]\d* failed\b"
    r"|test result: FAILED\b|FAILED \((?:failures|errors)=|(?:FAILURES|ERRORS)![ \t\r]*$"
    r"|--- FAIL: |FAIL(?:\t.*)?$|# fail [1-9]|FAILED \| \d+ passed \| "
    r"|[ \t]*(?:Executed |\d+ (?:doctests?|properties), )?\d+ (?:examples?|tests?|runs)\b"
    r".*\b[1-9]\d* (?:failures?|errors?)\b"
    r"|(?:.*[ \t])?Tests run: \d+, Failures: (?:[1-9]\d*|\d+, Errors: [1-9]\d*)"
    r"|BUILD FAILED\b|\[INFO\] BUILD FAILURE|Failed![ \t]+- Failed:"
    r"|[ \t]*[1-9]\d* (?:failing|failed|fail)[ \t\r]*$"
    r"|\d+% tests passed, [1-9]\d* tests? failed out of|error: could not compile `"
    r"|error: test failed, to rerun|npm (?:ERR!|error) Test failed\."
    r"|g?make(?:\[\d+\])?: \*\*\* \[(?:[^\]\n]{0,99}: )?\w{0,60}(?:test|check)[\w.-]{0,60}\] Err"
    r"|\[[\w:.-]{0,60}test[\w:.-]{0,60}\] ERROR task failed",
)
_PASSED: Final = re.compile(
    r"[= \t]*(?:\d+ \w+, )*\d+ passed\b.* in [\d.:]+"
    r"|[ \t]*Tests?:?[ \t]+(?:\d+ \w+ ?[,|] ?)*\d+ passed\b"
    r"|test result: ok\b|OK(?: \(.*\))?[ \t\r]*$|OK, but |PASS$|# fail 0$"
    r"|ok[ \t]+\S+[ \t]+(?:[\d.]+s|\(cached\))(?!.*\[no tests to run\])"
    r"|ok \| [1-9]\d* passed \| 0 failed\b"
    r"|[ \t]*(?:Executed |\d+ (?:doctests?|properties), )?\d+ (?:examples?|tests?|runs)\b"
    r".*\b0 failures?\b"
    r"|(?:.*[ \t])?Tests run: \d+, Failures: 0, Errors: 0"
    r"|BUILD SUCCESSFUL\b|\[INFO\] BUILD SUCCESS|Passed![ \t]+- Failed:[ \t]+0,"
    r"|[ \t]*\d+ (?:passing\b.*|passed \([\d.]+m?s\)|pass)[ \t\r]*$"
    r"|100% tests passed, 0 tests failed out of",
)


class RunnerCommand(msgspec.Struct, frozen=True):
    """A command that runs tests, and whether the exit status of its line is its own.

    `passes_line` means that the line succeeds only if the tests did; `fails_line` that nothing but
    the tests is likely to have failed.
    """

    text: str
    passes_line: bool
    fails_line: bool


class RunnerResult(msgspec.Struct, frozen=True):
    """Whether tests passed, if that can be told, and the line that says so."""

    has_passed: bool | None
    line: str = ""


def find_test_command(line: str) -> RunnerCommand | None:
    """Return the last command of a command line that runs tests."""
    if _MAY_TEST.search(line) is None:
        return None
    commands = split_commands(line)
    for place in range(len(commands) - 1, -1, -1):
        if _runs_tests(_bare_words(commands[place].words)):
            return RunnerCommand(
                _REDIRECTION.sub("", " ".join(commands[place].text.split())),
                _decides_success(commands[place:], line),
                _decides_failure(commands[:place]) and not commands[place + 1 :],
            )
    return None


def read_test_result(command: RunnerCommand, status: str, output: str) -> RunnerResult:
    """Tell from the output, else from the exit status, whether tests passed.

    `status` is that of the call. Where output and exit status disagree, nothing is known.
    """
    lines = _ESCAPES.sub("", output[-_READ:]).split("\n")
    failed = _last(_FAILED, lines)
    passed = "" if failed else _last(_PASSED, lines)
    if failed:
        return RunnerResult(has_passed=False, line=failed)
    if passed:
        return RunnerResult(has_passed=True if status == "done" else None, line=passed)
    return RunnerResult(has_passed=_by_status(command, status, output))


def _by_status(command: RunnerCommand, status: str, output: str) -> bool | None:
    if status == "done":
        return True if command.passes_line else None
    code = _EXIT_CODE.match(output.lstrip())
    is_clear = status == "failed" and command.fails_line and code is not None
    return False if is_clear and code and int(code[1]) in _TEST_EXITS else None


def _last(pattern: re.Pattern[str], lines: list[str]) -> str:
    """Return the last line that a pattern describes, without ornaments."""
    found = next(filter(pattern.match, reversed(lines)), "")
    return " ".join(found.strip("= \t\r").split())[:_RESULT_LENGTH]


def _decides_success(commands: list[ShellCommand], line: str) -> bool:
    """Return whether a line succeeds only if its first command here did."""
    joins = [command.after for command in commands]
    if joins[0] in ("|", "|&"):
        return "pipefail" in line and all(join in ("|", "|&", "&&", "") for join in joins)
    return all(join in ("&&", "") for join in joins)


def _decides_failure(before: list[ShellCommand]) -> bool:
    return all(command.words[0] in _QUIET_LEADS for command in before)


def _bare_words(words: tuple[str, ...]) -> list[str]:
    """Return a command's words without what only runs it, such as `sudo` or `uv run`."""
    rest = list(words)
    while rest:
        name = _name(rest[0])
        if _ASSIGNMENT.match(rest[0]) or name in _WRAPPERS or rest[0] in ("(", "!", "{"):
            rest = rest[1:]
        elif name == "timeout":
            rest = _without_options(rest[1:])[1:]
        elif len(rest) > 1 and _wrapped(rest) is not None:
            rest = _without_options(_wrapped(rest) or [])
        elif _PYTHON.fullmatch(name) and "-m" in rest[:4]:
            rest = rest[rest.index("-m") + 1 :]
        else:
            return [name, *rest[1:]]
    return rest


def _wrapped(rest: list[str]) -> list[str] | None:
    """Return what follows `uv run` and the like, options before `run` included."""
    verbs = _RUN_WRAPPERS.get(_name(rest[0]), ())
    inner = _without_options(rest[1:])
    return inner[1:] if inner and inner[0] in verbs else None


def _without_options(words: list[str]) -> list[str]:
    place = 0
    while place < len(words) and words[place].startswith("-"):
        place += 2 if words[place] in _VALUED else 1
    return words[place:]


def _name(word: str) -> str:
    return word.rsplit("/", 1)[-1].rsplit("\\", 1)[-1].removesuffix(".exe").removesuffix(".bat")


def _runs_tests(words: list[str]) -> bool:
    if not words or not _NO_RUN.isdisjoint(words):
        return False
    name, rest = words[0], _without_options(words[1:])
    first = rest[0] if rest else ""
    if name in _RUNNERS or name == "unittest":
        return True
    if name in _SUBCOMMANDS:
        return first in _SUBCOMMANDS[name] or (name == "node" and "--test" in words[1:3])
    if name in _SCRIPTS:
        return _runs_script(name, rest)
    if name in _TASKS:
        targets = rest[1:] if name == "mise" and first in ("run", "r") else rest
        return any(_TARGET.fullmatch(word) for word in targets)
    if name in _BUILDS:
        return any(_BUILD_TARGET.fullmatch(word) for word in rest)
    return (name == "manage.py" and first == "test") or (
        _PYTHON.fullmatch(name) is not None
        and len(rest) > 1
        and _name(first) == "manage.py"
        and rest[1] == "test"
    )


def _runs_script(name: str, rest: list[str]) -> bool:
    """Return whether npm or one of its kind runs a test script, or a runner as such."""
    first = rest[0] if rest else ""
    if first in ("run", "run-script"):
        scripts = _without_options(rest[1:])
        return bool(scripts) and _SCRIPT.fullmatch(scripts[0]) is not None
    if first == "t" and name == "npm":
        return True
    return first in _RUNNERS or _SCRIPT.fullmatch(first) is not None
