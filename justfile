# Every command a developer runs. `uv run just` lists them.

# more arguments for the tests of `just check` and `just slow`: CI measures coverage in the same run
test_args := env("TEST_ARGS", "")

# Compiled modules are kept whatever the machine says: the tests start hundreds of processes, and
# without them each one compiles all that it imports.
export PYTHONDONTWRITEBYTECODE := ""

default:
    @just --list

# environment and git hooks
setup:
    uv sync --all-extras
    uv run prek install

# format and apply safe fixes
fix:
    uv run ruff format
    uv run ruff check --fix

# format, lint, types, layers, all but the slow tests: before every commit
check: lint types layers (test "-n auto -m 'not slow'" test_args)

# the slow tests: whole archives, browsers, teams; before a push, and in CI
slow: (test "-n auto -m slow" test_args)

# formatting, lint rules and spelling
lint:
    uv run ruff format --check
    uv run ruff check
    uv run codespell --ignore-words-list queu,notin README.md CONTRIBUTING.md CHANGELOG.md docs src bench tools tests/*.py justfile .ci/run

# strict types
types:
    uv run mypy

# imports point down
layers:
    uv run lint-imports --no-logo

# pytest, arguments passed on
test *args:
    uv run pytest {{args}}

# damaged lines against the reader, arguments passed on
fuzz *args:
    uv run python -m tests.fuzz {{args}}

# mutate a sample of lines and list what no test notices; arguments passed on
mutants *args:
    uv run python -m tools.mutants {{args}}

# the budgets, with nothing beside it; arguments passed on
bench *args:
    uv run python -m bench {{args}}

# readers at servers that are busy, about two minutes: the web app, then a team server
load: web-load team-load

# readers at a web app that archives for the first time, a few seconds long; arguments passed on
web-load *args:
    uv run python -m bench.load --first-sync --size 60MB --readers 20 --pause 0.3 {{args}}

# readers at a team server to which devices push; arguments passed on
team-load *args:
    uv run python -m bench.team_load {{args}}

# the long versions: a team server under faults, then the web app
soak: team-soak web-soak

# a team server under 100 faults in ten minutes, which must lose nothing; arguments passed on
team-soak *args:
    uv run python -m bench.team_soak {{args}}

# the web app with 1 GB and 200 readers, then half an hour on a full archive; arguments passed on
web-soak *args:
    uv run python -m bench.load --first-sync --strict {{args}}
    uv run python -m bench.load --seconds 1800 --strict {{args}}

# replay the edits of transcripts: do their diffs apply? folders passed on
replay *args:
    uv run python -m tools.replay_edits {{args}}

# how often the insights are right, on a folder; arguments passed on
rates *args:
    uv run python -m tools.insight_rates {{args}}

# rewrite golden files and the expectations that stand in tests, then show what changed
golden *args:
    -uv run pytest --update-golden --inline-snapshot=create,fix {{args}}
    git status --short -- tests
    git diff -- tests

# write the sample sessions again
samples:
    uv run python -m tools.make_samples

# rewrite what the docs quote from the program
docs:
    uv run python -m tests.test_docs
    uv run --group docs python -m tests.examples

# build the documentation site in build/site and check its links; a warning is an error
site:
    uv run --group docs sphinx-build --quiet --fail-on-warning --keep-going --nitpicky docs build/site
    uv run python -m tools.check_site build/site
    uv run --group docs pytest -q tests/test_examples.py tests/surface/test_recipes.py -k "python or answer"

# look up every address outside of the docs; needs a network
links:
    uv run --group docs sphinx-build --quiet -b linkcheck docs build/links

# take the pictures of the docs in Chromium
screenshots:
    uv run python -m tools.screenshots
    uv run python -m tools.blame_screenshots

# write the exact versions of everything to constraints.txt
lock:
    uv lock --upgrade
    uv export --quiet --no-hashes --no-annotate --no-header --no-emit-project --all-extras --all-groups --output-file constraints.txt

# build the package, install it away from the checkout, run it
package:
    #!/usr/bin/env sh
    set -eu
    place=$(mktemp -d)
    trap 'rm -rf "$place"' EXIT
    uv build --quiet --wheel --out-dir "$place"
    uv run --quiet --isolated --no-project --with "$place"/*.whl clew check tests/recordings > "$place/report"
    tail -n 1 "$place/report"

# what .ci/run does before `just check`: the site, a short load, soak and fuzz, a few mutants, the package
ci: site load (team-soak "--faults 13 --seconds 30") (fuzz "--lines 20000") (mutants "conversation/outcome.py --count 5 --seed 3 --tests tests/unit/conversation/test_outcome.py --most-survivors 1") package
