"""A call of a shell → whether it ran tests, and how they ended. The one place that decides it.

A pipe hides the exit status of the tests in it (`pytest | tail`), so the output is read first.
"""

import re
from typing import Final

import msgspec

from clew.conversation import ToolCall
from clew.tools.builtin import BashInput
from clew.tools.test_commands import RunnerCommand, find_test_command

_NEVER_RAN: Final = ("denied", "pending")
_TEST_EXITS: Final = (1, 101)
_EXIT_CODE: Final = re.compile(r"(?:Error: )?Exit code (-?\d{1,9})\b")
_ESCAPES: Final = re.compile(r"\x1b\[[0-9;]{0,20}[A-Za-z]")
_RESULT_LENGTH: Final = 160
# The end of an output has the result; the beginning of a long one is not read.
_READ: Final = 8_000

_TASK: Final = r"(?:[^\]\s]{0,60}[^\]\w\s])?(?:tests?|check|e2e|specs?)(?:[^\]\w\s][^\]\s]{0,60})?"

# Each describes a whole line, from its beginning.
_FAILED: Final = re.compile(
    r"[= \t]*(?:\d+ \w+, )*[1-9]\d* (?:failed|errors?)\b.* in [\d.:]+"
    r"|[ \t]*(?:Tests?|Test Files|Test Suites):?[ \t]+(?:\d+ \w+ ?[,|] ?)*[1-9]\d* failed\b"
    r"|test result: FAILED\b|FAILED \((?:failures|errors)=|(?:FAILURES|ERRORS)![ \t\r]*$"
    r"|--- FAIL: |FAIL(?:\t.*)?$|[#\u2139] fail [1-9]|FAILED \| \d+ passed \| "
    r"|[ \t]*(?:Executed |\d+ (?:doctests?|properties), )?\d+ (?:examples?|tests?|runs)\b"
    r".*\b[1-9]\d* (?:failures?|errors?)\b"
    r"|(?:.*[ \t])?Tests run: \d+, Failures: (?:[1-9]\d*|\d+, Errors: [1-9]\d*)"
    r"|BUILD FAILED\b|\[INFO\] BUILD FAILURE|Failed![ \t]+- Failed:|Test Run Failed\."
    r"|[ \t]*[1-9]\d* (?:failing|failed|fail)[ \t\r]*$"
    r"|\d+% tests passed, [1-9]\d* tests? failed out of|error: could not compile `"
    r"|error: test failed, to rerun|npm (?:ERR!|error) Test failed\."
    # Lines that a filter such as `grep FAIL` or `tail` leaves.
    r"|(?:FAILED|ERROR) [\w./-]+\.py(?:::\S.*| - .*)?$|(?:FAIL|ERROR): \w+ \([\w.]+\)"
    r"|test [\w:<> -]+ \.\.\. FAILED$|[ \t]*FAIL[ \t]+\S*[\w/]\.(?:test|spec)\.\w+"
    r"|[ \t]*FAIL[ \t]+\S*__tests__/\S+|not ok \d+(?!.*# (?i:todo|skip))|Result: FAIL$"
    r"|[ \t]*Summary \[.*\] .*tests? run: .*\b[1-9]\d* failed\b"
    r"|DONE \d+ tests?.*, [1-9]\d* failures?\b|\d+ scenarios? passed, [1-9]\d* failed"
    r"|FAIL Required test coverage of |Suite result: FAILED\."
    r"|[^\w]{0,6}Test run with \d+ tests? .*failed after "
    # What runs tasks says of the one that failed.
    r"|g?make(?:\[\d+\])?: \*\*\* \[(?:[^\]\n]{0,99}: )?\w{0,60}(?:test|check)[\w.-]{0,60}\] Err"
    rf"|\[{_TASK}\] ERROR task failed"
    rf"|error: Recipe `{_TASK}` failed\b"
    rf'|task: Failed to run task "{_TASK}"'
    rf'|error: script "{_TASK}" exited with code [1-9]'
    rf"|nox > Session {_TASK}\S* failed|\s*ELIFECYCLE\s+Test failed\."
    rf"|npm (?:ERR!|error) Lifecycle script `{_TASK}` failed"
    r"|[ \t]*py[\w.-]{0,40}: FAIL code [1-9]|> Task :(?:[\w:-]{0,100}:)?\w{0,60}[tT]est FAILED",
)
_PASSED: Final = re.compile(
    r"[= \t]*(?:\d+ \w+, )*\d+ passed\b.* in [\d.:]+"
    r"|[ \t]*Tests?:?[ \t]+(?:\d+ \w+ ?[,|] ?)*\d+ passed\b"
    r"|test result: ok\b|OK(?: \(.*\))?[ \t\r]*$|OK, but |PASS$|[#\u2139] fail 0$"
    r"|ok[ \t]+\S+[ \t]+(?:[\d.]+s|\(cached\))(?!.*\[no tests to run\])"
    r"|ok \| [1-9]\d* passed \| 0 failed\b"
    r"|[ \t]*(?:Executed |\d+ (?:doctests?|properties), )?\d+ (?:examples?|tests?|runs)\b"
    r".*\b0 failures?\b"
    r"|(?:.*[ \t])?Tests run: \d+, Failures: 0, Errors: 0"
    r"|BUILD SUCCESSFUL\b|\[INFO\] BUILD SUCCESS|Passed![ \t]+- Failed:[ \t]+0,|Result: PASS$"
    r"|[ \t]*\d+ (?:passing\b.*|passed \([\d.]+m?s\)|pass)[ \t\r]*$"
    r"|[ \t]*Summary \[.*\] +[1-9]\d* tests? run: [1-9]\d* passed|Suite result: ok\."
    r"|100% tests passed, 0 tests failed out of|Test Run Successful\."
    r"|[^\w]{0,6}Test run with [1-9]\d* tests? .*passed after ",
)


class RunnerResult(msgspec.Struct, frozen=True):
    """Whether tests passed, if that can be told, and the line that says so."""

    has_passed: bool | None
    line: str = ""


class CallTests(msgspec.Struct, frozen=True):
    """The tests that a call ran: their command, and how they ended, if that can be told."""

    command: str
    has_passed: bool | None = None
    result: str = ""


def find_tests(call: ToolCall, arguments: object) -> CallTests | None:
    """Return what a call of a shell says of tests; those in the background have no result.

    Args:
        call: The call; one that never ran has run no tests.
        arguments: Its input, from `decode_input`.
    """
    if call.status in _NEVER_RAN or not isinstance(arguments, BashInput):
        return None
    command = find_test_command(arguments.command)
    if command is None:
        return None
    if call.background_id is not None:
        return CallTests(command.text)
    result = read_test_result(command, call.status, call.result_text)
    return CallTests(command.text, result.has_passed, result.line)


def has_failed_tests(call: ToolCall, arguments: object) -> bool:
    """Return whether a call ran tests that failed, whatever its exit status."""
    tests = find_tests(call, arguments)
    return tests is not None and tests.has_passed is False


def read_test_result(command: RunnerCommand, status: str, output: str) -> RunnerResult:
    """Tell from the output, else from the exit status, whether tests passed.

    `status` is that of the call. Where output and exit status disagree, nothing is known.
    """
    lines = _ESCAPES.sub("", output[-_READ:]).split("\n")
    failed = _last(_FAILED, lines)
    passed = "" if failed else _last(_PASSED, lines)
    if failed:
        is_denied = status == "done" and command.passes_line
        return RunnerResult(has_passed=None if is_denied else False, line=failed)
    if passed:
        is_known = status == "done" and not _is_cut(command, output)
        return RunnerResult(has_passed=True if is_known else None, line=passed)
    return RunnerResult(has_passed=_by_status(command, status, output))


def _is_cut(command: RunnerCommand, output: str) -> bool:
    """Return whether `head` may have cut the lines that say that other tests failed."""
    most = command.most_lines
    return most is not None and output.rstrip("\n").count("\n") + 1 >= most


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
