"""Which commands run tests, and what their output and exit status say."""

import pytest

from clew.digest.test_runs import find_test_command, read_test_result


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("pytest", "pytest"),
        ("cd app && uv run --group dev pytest -q tests/ 2>&1 | tail -5", None),
        ("python -m unittest discover", None),
        ("python3 -m pytest -x", None),
        ("FOO=1 timeout 60 .venv/bin/pytest -q", None),
        ("npm test", "npm test"),
        ("npm run test:unit -- --watch=false", None),
        ("pnpm --filter @app/core test", None),
        ("yarn jest src", None),
        ("npx vitest run", None),
        ("bunx jest", None),
        ("cargo test --features fuse 2>&1", None),
        ("go test ./...", "go test ./..."),
        ("just check", "just check"),
        ("make -C build test", None),
        ("mise run test:ci", None),
        ("tox -e py312", None),
        ("bundle exec rspec spec/a_spec.rb", None),
        ("./vendor/bin/phpunit --filter A", None),
        ("./gradlew :app:testDebugUnitTest", None),
        ("mvn -q verify", None),
        ("dotnet test", None),
        ("mix test", None),
        ("node --test", None),
        ("python manage.py test app", None),
        ("npx playwright test", None),
        ("npx cypress run", None),
        ("cargo test --all 2>&1 | tail -5", "cargo test --all"),
        ("npm test 2>/dev/null", "npm test"),
        ("ruff check; pytest a && pytest b", "pytest b"),
    ],
)
def test_a_command_that_runs_tests(line: str, command: str | None) -> None:
    found = find_test_command(line)

    assert found is not None
    assert found.text in line
    assert found.text == command or command is None


@pytest.mark.parametrize(
    "line",
    [
        *(
            "ls tests",
            "cat test.py",
            "grep -r pytest .",
            'git commit -m "run pytest"',
            "mkdir test",
        ),
        *("pip install pytest", "pytest --version", "pytest --collect-only", "cargo test --no-run"),
        *(
            "echo 'a && pytest'",
            "npm run build # npm test",
            "ruff check",
            "make all",
            "npm run lint",
        ),
        "cat > run.sh <<'EOF'\npytest\nEOF",
    ],
)
def test_a_command_that_runs_none(line: str) -> None:
    assert find_test_command(line) is None


@pytest.mark.parametrize(
    ("output", "has_passed", "line"),
    [
        ("....\n4 passed in 0.12s", True, "4 passed in 0.12s"),
        ("=== 1 failed, 3 passed in 2.00s ===", False, "1 failed, 3 passed in 2.00s"),
        ("==== 2 errors in 0.10s ====", False, "2 errors in 0.10s"),
        ("3 passed, 1 warning in 0.1s\n1 failed in 0.2s", False, "1 failed in 0.2s"),
        ("Ran 3 tests in 0.001s\n\nOK", True, "OK"),
        ("Ran 3 tests in 0.001s\n\nFAILED (failures=1)", False, "FAILED (failures=1)"),
        ("Tests:       1 failed, 5 passed, 6 total", False, "Tests: 1 failed, 5 passed, 6 total"),
        ("Tests:       6 passed, 6 total", True, "Tests: 6 passed, 6 total"),
        ("\x1b[2m      Tests \x1b[22m 162 passed (162)", True, "Tests 162 passed (162)"),
        (" Tests  1 failed | 5 passed (6)", False, "Tests 1 failed | 5 passed (6)"),
        ("test result: ok. 3 passed; 0 failed", True, "test result: ok. 3 passed; 0 failed"),
        (
            "test result: FAILED. 2 passed; 1 failed",
            False,
            "test result: FAILED. 2 passed; 1 failed",
        ),
        (
            "ok  \texample.com/a\t0.01s\nFAIL\texample.com/b\t0.02s",
            False,
            "FAIL example.com/b 0.02s",
        ),
        ("ok  \texample.com/a\t(cached)", True, "ok example.com/a (cached)"),
        ("ok  \texample.com/a\t0.1s\nok  \texample.com/b\t0.2s [no tests to run]", True, None),
        ("ok  \texample.com/b\t0.2s [no tests to run]", None, ""),
        ("OK (5 tests, 9 assertions)", True, "OK (5 tests, 9 assertions)"),
        ("FAILURES!\nTests: 5, Assertions: 9, Failures: 1.", False, "FAILURES!"),
        ("12 examples, 0 failures", True, "12 examples, 0 failures"),
        ("12 examples, 2 failures", False, "12 examples, 2 failures"),
        ("10 tests, 0 failures", True, "10 tests, 0 failures"),
        ("BUILD SUCCESSFUL in 3s", True, "BUILD SUCCESSFUL in 3s"),
        ("Tests run: 5, Failures: 0, Errors: 1, Skipped: 0", False, None),
        ("Passed!  - Failed:     0, Passed:     5", True, None),
        ("  5 passing (20ms)\n  1 failing", False, "1 failing"),
        ("# pass 3\n# fail 0", True, "# fail 0"),
        ("Test Files  1 failed | 4 passed (5)\n Tests  30 passed (30)", False, None),
        ("Test Suites: 1 failed, 2 passed, 3 total\nTests:  9 passed, 9 total", False, None),
        ("Test Files  5 passed (5)\n Tests  30 passed (30)", True, "Tests 30 passed (30)"),
        ("3 doctests, 354 tests, 0 failures", True, "3 doctests, 354 tests, 0 failures"),
        ("Executed 4 tests, with 1 failure (0 unexpected) in 0.1 seconds", False, None),
        ("ok | 3 passed | 0 failed (12ms)", True, None),
        ("FAILED | 2 passed | 1 failed (12ms)", False, None),
        ("  1 failed\n    a.spec.ts:3:1\n  5 passed (10.1s)", False, "1 failed"),
        ("  5 passed (10.1s)", True, "5 passed (10.1s)"),
        ("error: could not compile `app` (bin test) due to 3 previous errors", False, None),
        ("npm error Test failed.  See above for more details.", False, None),
        ("make: *** [Makefile:3: test] Error 1", False, None),
        ("make: *** [Makefile:3: lint] Error 1", None, ""),
        ("[test:ci] ERROR task failed", False, None),
        ("[lint] ERROR task failed", None, ""),
        ("0 failed tests were listed", None, ""),
        ("", None, ""),
    ],
)
def test_the_output_says_how_tests_ended(
    output: str,
    has_passed: bool | None,  # noqa: FBT001 (an expected value)
    line: str | None,
) -> None:
    command = find_test_command("pytest | cat")
    assert command is not None

    result = read_test_result(command, "done", output)

    assert result.has_passed is has_passed
    assert result.line == line or line is None


@pytest.mark.parametrize(
    ("line", "status", "output", "has_passed"),
    [
        ("pytest -q", "done", "", True),
        ("cd app && pytest -q && echo fine", "done", "fine", True),
        ("set -o pipefail; pytest | tail -3", "done", "", True),
        ("pytest -q | tail -3", "done", "", None),
        ("pytest -q || true", "done", "", None),
        ("pytest -q; ls", "done", "", None),
        ("pytest -q &", "done", "", None),
        ("cd app && pytest -q", "failed", "Exit code 1\nboom", False),
        ("cargo test", "failed", "Exit code 101\n", False),
        ("pytest -q", "failed", "Exit code 127\npytest: command not found", None),
        ("make && pytest -q", "failed", "Exit code 1\n", None),
        ("pytest && ruff check", "failed", "Exit code 1\n3 passed in 0.1s", None),
        ("pytest -q", "interrupted", "", None),
    ],
)
def test_without_a_word_the_exit_status_counts_where_it_is_that_of_the_tests(
    line: str,
    status: str,
    output: str,
    has_passed: bool | None,  # noqa: FBT001 (an expected value)
) -> None:
    command = find_test_command(line)
    assert command is not None

    assert read_test_result(command, status, output).has_passed is has_passed
