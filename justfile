# Every command a developer runs. `uv run just` lists them.

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

# format, lint, types, layers, tests: before every commit
check: lint types layers test

# formatting, lint rules and spelling
lint:
    uv run ruff format --check
    uv run ruff check
    uv run codespell src docs tests/*.py README.md CONTRIBUTING.md CHANGELOG.md

# strict types
types:
    uv run mypy

# imports point down
layers:
    uv run lint-imports --no-logo

# pytest, arguments passed on
test *args:
    uv run pytest {{args}}
