"""Which commands run tests, and what their output and exit status say."""

import pytest

from clew.tools.test_commands import find_test_command
from clew.tools.test_results import read_test_result


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
        ("(source .venv/bin/activate && pytest -x)", "pytest -x"),
        ("mise run test 2>&1 | tail -50", "mise run test"),
        ("mise run lint ::: //cli:test", None),
        ("mise test", None),
        ("just -f dev/justfile unit-tests", None),
        ("make -j 4 integration-test VERBOSE=1", None),
        ("task web:test", None),
        ("yarn workspace web test", None),
        ("yarn workspaces foreach -A run test", None),
        ("pnpm -w run e2e", None),
        ("npm --prefix web run test", None),
        ("bun x vitest", None),
        ("deno task test", None),
        ("nx run-many --target=test", None),
        ("nx run-many -t lint test", None),
        ("turbo run test --filter=web", None),
        ("nox -s tests-3.12", None),
        ("tox -e lint,py312", None),
        ("hatch run dev:test", None),
        ("uv run --frozen -m pytest", None),
        ("uv run just test", None),
        ("poetry run python -m pytest", None),
        ("uvx nox", None),
        ("coverage run --source=app -m pytest", None),
        ("nice -n 19 env -u CI FOO=1 pytest", None),
        ("docker compose -f dev.yml exec -T -e CI=1 web pytest -q", None),
        ("docker compose run --rm test", None),
        ("docker run --rm -v .:/app -w /app node:22 npm test", None),
        ("kubectl exec -n dev pod/web -- pytest", None),
        ("bash -lc 'cd app && npm test'", "npm test"),
        ("ssh -p 22 host 'cd app; go test ./...'", "go test ./..."),
        ("for i in 1 2 3; do go test -count=1 ./x; done", "go test -count=1 ./x"),
        ("if ! pytest -q; then echo bad; fi", "pytest -q"),
        ('OUT=$(npm test 2>&1); echo "$OUT"', None),
        ("git ls-files '*_test.py' | xargs -n 1 pytest", None),
        ("cargo +nightly test", None),
        ("./scripts/run-tests.sh", None),
        ("bash test.sh", None),
        ("python tests/test_parser.py", None),
        ("node node_modules/jest/bin/jest.js", None),
        ("php artisan test", None),
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
        *("grep FAIL test.log", "rg 'npm test' docs", "test -f tests/run.py", "[ -d test ] && ls"),
        *("npm run test:types", "make check-format", "just type-check", "mise run test:lint"),
        *("tox -e lint", "nox -s docs", "mise install test", "npm install jest", "yarn add vitest"),
        *("docker compose up -d test-db", "docker exec db psql test", "make test-setup"),
        *(
            "bash -c 'echo pytest'",
            "python test.py.txt",
            "uv run app.py --env test",
            "make CC=test",
        ),
        *(
            "ssh test ls",
            "kubectl get pods -n test",
            "cargo check",
            "biome check --write a.spec.ts",
        ),
        *("pytest --markers", "vim tests/test_a.py", "git commit -m test && git push"),
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
        ("ok  \ta\t(cached)\nFAIL\n[test] ERROR task failed", False, "[test] ERROR task failed"),
        ("[//cli:test] ERROR task failed", False, None),
        ("error: Recipe `test` failed on line 3 with exit code 1", False, None),
        ("error: Recipe `lint` failed on line 3 with exit code 1", None, ""),
        ('task: Failed to run task "web:test": exit status 1', False, None),
        ('error: script "test" exited with code 1', False, None),
        ("nox > Session tests-3.12 failed.", False, None),
        ("  py312: FAIL code 1 (0.2 seconds)", False, None),
        ("\u2009ELIFECYCLE\u2009 Test failed. See above for more details.", False, None),
        ("FAILED tests/test_a.py::test_b - assert 1 == 2", False, None),
        ("ERROR tests/test_a.py - ImportError: no b", False, None),
        ("FAIL: test_a (tests.test_a.Case)", False, None),
        ("test parser::works ... FAILED", False, None),
        (" FAIL  src/a.test.ts > adds", False, None),
        ("FAIL src/__tests__/a.js", False, None),
        ("not ok 3 - adds", False, None),
        ("not ok 3 - adds # TODO later", None, ""),
        ("\u2139 pass 3\n\u2139 fail 0", True, None),
        ("Summary [ 0.5s] 9 tests run: 8 passed, 1 failed, 0 skipped", False, None),
        ("Summary [ 0.5s] 9 tests run: 9 passed, 0 skipped", True, None),
        ("--- PASS: TestFail (0.00s)\nok  \ta\t0.1s", True, None),
        ("tests/test_a.py::test_FAILED PASSED\n1 passed in 0.1s", True, None),
        ("src/log.go:3: FAIL", None, ""),
        ("    FAIL is what it prints", None, ""),
        ("error handling ... ok\n\ntest result: ok. 1 passed; 0 failed", True, None),
        ("0 failed", None, ""),
        ("Tests: 0 failed, 5 passed, 5 total", True, None),
        ("3 files with FAILED in them", None, ""),
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
        ("pytest -q", "done", "FAIL", None),
        ("go test ./... | head -2", "done", "ok  \ta\t0.1s\nok  \tb\t0.1s", None),
        ("go test ./... | grep ok | head -n 2", "done", "ok  \ta\t0.1s\nok  \tb\t0.1s\n", None),
        ("bash -c 'go test ./... | head -n2'", "done", "ok  \ta\t0.1s\nok  \tb\t0.1s\n", None),
        ("go test ./... | head", "done", "ok  \ta\t0.1s\n" * 10, None),
        ("go test ./... | head -3", "done", "ok  \ta\t0.1s\nok  \tb\t0.1s", True),
        ("go test ./... | head -1", "done", "FAIL\ta\t0.1s", False),
        ("go test ./...; ls | head -1", "done", "ok  \ta\t0.1s\nb", True),
        ("(cd app && pytest -q)", "done", "", True),
        ("bash -c 'pytest -q | tail'", "done", "", None),
        ("bash -c 'pytest -q' | tail", "done", "", None),
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
