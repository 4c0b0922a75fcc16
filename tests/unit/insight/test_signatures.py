"""The same cause has the same signature, and another cause has another."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.insight import Signature, error_signature

TRACEBACK = 'Exit code 1\nTraceback (most recent call last):\n  File "{}", line {}\n{}'
SAME = [
    (
        ("Edit", "", "<tool_use_error>File has not been read yet. Read it first.</tool_use_error>"),
        ("Write", "", "File has not been read yet. Read it first before writing to it."),
    ),
    (
        ("Read", "", "File does not exist."),
        ("Read", "", "File does not exist. Did you mean .env?"),
    ),
    (
        ("Bash", "ls", "Exit code 1\nls: /a/b: No such file or directory"),
        ("Bash", "ls\ncat", "Exit code 2\nls: /c/d.txt: No such file or directory"),
    ),
    (
        (
            "Bash",
            "git push",
            "Exit code 128\nfatal: The current branch one has no upstream branch.",
        ),
        (
            "Bash",
            "git push",
            "Exit code 128\nfatal: The current branch t/2 has no upstream branch.",
        ),
    ),
    (
        ("Bash", "x", "Exit code 127\n/bin/bash: line 1: tree: command not found"),
        ("Bash", "y", "Exit code 127\n(eval):3: command not found: tree"),
    ),
    (
        (
            "Bash",
            "git push",
            "Exit code 1\n ! [rejected] a -> a (fetch first)\nerror: failed to push",
        ),
        ("Bash", "git push", "Exit code 1\n ! [rejected] b -> b (fetch first)\nhint: pull"),
    ),
    (
        ("Bash", "python3", TRACEBACK.format("/a.py", 3, "KeyError: 'name'")),
        ("Bash", "python3", TRACEBACK.format("/b.py", 30, "KeyError: 'name'")),
    ),
]
DIFFERENT = [
    (("Read", "", "File does not exist."), ("Edit", "", "File does not exist.")),
    (
        ("WebFetch", "", "Request failed with status code 404"),
        ("WebFetch", "", "Request failed with status code 500"),
    ),
    (
        ("Bash", "python3", TRACEBACK.format("/a.py", 3, "KeyError: 'name'")),
        ("Bash", "python3", TRACEBACK.format("/a.py", 3, "KeyError: 'size'")),
    ),
    (
        ("Bash", "python3", "Exit code 1\nModuleNotFoundError: No module named 'yaml'"),
        ("Bash", "python3", "Exit code 1\nModuleNotFoundError: No module named 'toml'"),
    ),
    (
        ("Bash", "go test", "Exit code 1\n--- FAIL: TestA (0.01s)\nFAIL\nexit status 1"),
        ("Bash", "go test", "Exit code 1\n--- FAIL: TestB (0.01s)\nFAIL\nexit status 1"),
    ),
    (
        ("Bash", "uv run pytest", "Exit code 1\nE   assert 1 == 2\nFAILED tests/a.py::test_one"),
        ("Bash", "uv run pytest", "Exit code 1\nE   assert 1 == 2\nFAILED tests/a.py::test_two"),
    ),
    (
        ("Bash", "git commit", "Exit code 1\n[FAILED] lint\nx.md:1 error MD036/a Emphasis used"),
        ("Bash", "git commit", "Exit code 1\n[FAILED] lint\nx.md:1 error MD040/b Fenced code"),
    ),
    (("Bash", "grep", "Exit code 1"), ("Bash", "diff", "Exit code 1")),
    (("Bash", "make", "Exit code 1"), ("Bash", "make", "Exit code 2")),
    (
        ("Bash", "npm run build", "Exit code 1\nerror: nothing to do"),
        ("Bash", "npm run test", "Exit code 1\nerror: nothing to do"),
    ),
]

# What programs print of two different causes.
PRINTED = [
    (
        "ruff check",
        "a.py:1:8: F401 [*] `os` imported\nFound 1 error.\n[*] 1 fixable with the `--fix` option.",
        "a.py:1:8: E501 [*] Line too long\nFound 1 error.\n[*] 1 fixable with the `--fix` option.",
    ),
    (
        "ruff check",
        "F401 [*] `os` imported\n --> a.py:1:8\n  |\n1 | import os\n  |\n\nFound 1 error.",
        "E501 Line too long\n --> a.py:1:8\n  |\n1 | import os\n  |\n\nFound 1 error.",
    ),
    (
        "git",
        "ruff....Failed\n- hook id: ruff\n- exit code: 1\n\na.py:1:8: F401 `os` imported",
        "ruff....Failed\n- hook id: ruff\n- exit code: 1\n\na.py:1:8: E501 Line too long",
    ),
    (
        "npx jest",
        "FAIL src/a.test.js\n  ● adds\n\n  expect(received).toBe(expected)\n\nTests: 1 failed",
        "FAIL src/b.test.js\n  ● removes\n\n  expect(received).toBe(expected)\n\nTests: 1 failed",
    ),
    (
        "npx vitest",
        " \u276f a.test.ts (2 tests | 1 failed)\n   \u00d7 adds one\n\n FAIL  a.test.ts > adds one",
        " \u276f a.test.ts (2 tests | 1 failed)\n   \u00d7 removes\n\n FAIL  a.test.ts > removes",
    ),
    (
        "python3",
        "FAIL: test_x (t.T.test_x)\nTraceback (most recent call last):\nAssertionError: 1 != 2",
        "FAIL: test_y (t.T.test_y)\nTraceback (most recent call last):\nAssertionError: 1 != 2",
    ),
    (
        "./gradlew",
        "e: file:///a/B.kt:3:5 Unresolved reference: x\n\nFAILURE: Build failed with an exception.",
        "e: file:///a/B.kt:3:5 Type mismatch\n\nFAILURE: Build failed with an exception.",
    ),
    (
        "mvn test",
        "[ERROR] COMPILATION ERROR : \n[ERROR] /a/B.java:[3,5] cannot find symbol",
        "[ERROR] COMPILATION ERROR : \n[ERROR] /a/B.java:[3,5] incompatible types",
    ),
    (
        "npm run build",
        'error during build:\nRollup failed to resolve import "x" from "/a/b.ts".',
        "error during build:\n[vite]: Could not load /a/b.ts",
    ),
    (
        "bundle exec",
        "  1) A does x\n     Failure/Error: expect(1).to eq(2)\n\nrspec ./a_spec.rb:3 # A does x",
        "  1) A does y\n     Failure/Error: expect(1).to eq(2)\n\nrspec ./a_spec.rb:9 # A does y",
    ),
    (
        "mix credo",
        "Checking 1 source file ...\n┃ [D] ↘ Modules could be aliased.\n\nUse `mix` to explain.",
        "Checking 3 source files ...\n┃ [R] ↘ Prefer `try`.\n\nUse `mix credo` to explain.",
    ),
    (
        "git",
        "Pre-commit failed:\\n\\n[CREDO]\\nChecking 8 files ...\n┃ [D] ↘ Modules could be aliased.",
        "Pre-commit failed:\\n\\n[CREDO]\\nChecking 9 files ...\n┃ [F] → Function is too complex.",
    ),
    (
        "git",
        "Pre-commit failed:\\n\\n[DIALYZER]\\nFinding PLTs\nlib/a.ex:57:13:pattern_match\nNever.",
        "Pre-commit failed:\\n\\n[DIALYZER]\\nFinding PLTs\nlib/a.ex:57:13:no_return\nNever.",
    ),
]


@pytest.mark.parametrize(("command", "one", "other"), PRINTED)
def test_what_programs_print_of_two_causes_differs(command: str, one: str, other: str) -> None:
    first, second = (f"Exit code 1\n{text}" for text in (one, other))

    assert error_signature("Bash", command, first) != error_signature("Bash", command, second)


@pytest.mark.parametrize("output", ["", "\nout", "\nerror: x\n1 failed"])
def test_a_timeout_is_one_whatever_was_printed_before_it(output: str) -> None:
    found = error_signature("Bash", "make test", f"Command timed out after 2m 0.0s{output}")

    assert found == Signature("Bash", "make test", "Command timed out")


@pytest.mark.parametrize(("one", "other"), SAME)
def test_one_cause_has_one_signature(
    one: tuple[str, str, str], other: tuple[str, str, str]
) -> None:
    assert error_signature(*one) == error_signature(*other)


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_two_causes_have_two(one: tuple[str, str, str], other: tuple[str, str, str]) -> None:
    assert error_signature(*one) != error_signature(*other)


def test_a_silent_failure_is_told_by_its_command_and_code() -> None:
    found = error_signature("Bash", "cd\ndiff", "Exit code 1\n")

    assert found == Signature("Bash", "cd, diff", "exit code 1 without output")


NAMES = st.text("abcdefghij", min_size=1, max_size=8)


@given(NAMES, NAMES, st.integers(0, 10**9))
def test_paths_and_numbers_do_not_matter(folder: str, name: str, number: int) -> None:
    error = "Exit code 1\n/{}/{}.py:{}: cannot open the file in {} tries"

    one = error_signature("Bash", "make", error.format(folder, name, number, number))

    assert one == error_signature("Bash", "make", error.format("x", "y", 1, 2))


@given(st.text(max_size=300))
def test_any_text_has_a_short_signature_on_one_line(text: str) -> None:
    for tool in ("Bash", "Read"):
        found = error_signature(tool, "", text)

        assert len(found.text) <= 160
        assert "\n" not in found.text
        assert "\x1b" not in found.text
