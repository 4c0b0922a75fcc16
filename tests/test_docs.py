"""The documents say what the program does, and their examples run.

    python -m tests.test_docs

writes what the documents quote from the program.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from fnmatch import fnmatch
from functools import cache
from importlib import import_module
from itertools import dropwhile
from pathlib import Path
from typing import Final

import pytest

from bench.contestants import CONTESTANTS
from clew.problems import PROBLEM_KINDS
from clew.store import TableText, descriptions

ROOT: Final = Path(__file__).parents[1]
DOCS: Final = (*sorted(ROOT.glob("*.md")), *sorted(ROOT.glob("docs/*.md")))
README: Final = ROOT / "README.md"
COMMANDS: Final = ROOT / "docs" / "commands.md"
SCHEMA: Final = ROOT / "docs" / "schema.md"
RECORDED: Final = "tests/recordings/2.1.325/tui-rewind/root/projects/*/*.jsonl"
WRITTEN: Final = "<!-- What follows is written by `just docs`. -->\n"

_BLOCK: Final = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK: Final = re.compile(r"\]\(([^)\s]+)\)")
_HEADING: Final = re.compile(r"^#+ (.+)$", re.MULTILINE)
_SECTION: Final = re.compile(r"^## (clew.*)\n((?:.*\n)*?)\n```text\nUsage: ", re.MULTILINE)
_SUBCOMMAND: Final = re.compile(r"^  ([a-z][\w-]*)", re.MULTILINE)
_RECIPE: Final = re.compile(r"^([a-z][\w-]*)(?: [^:\n]*)?:(?!=)", re.MULTILINE)
_WORD: Final = re.compile(r"^\| \*\*(.+?)\*\* \| .+? \|(?: `([\w.]+)`)? \|$", re.MULTILINE)
_PROBLEM: Final = re.compile(r"^\| `(\w+)` \| (error|warning|note) \|", re.MULTILINE)
_VARIABLE: Final = re.compile(r"[A-Z_]+=")
_PINNED: Final = re.compile(r"^([\w.-]+)==([^\s;]+)", re.MULTILINE)
_HOME: Final = re.compile(r"(?:/home/|/Users/|\\Users\\+)([A-Za-z][\w.-]*)")
_REGISTRY: Final = re.compile(
    r"//[\w.-]*(?:pypi|pythonhosted)|index[-_]url|find[-_]links|uv\.index"
)
# Homes that nobody has; recordings and tests use them.
_INVENTED: Final = {"de", "dev", "me", "mira", "sam", "someone"}


def blocks(path: Path, language: str) -> list[str]:
    """Give the fenced blocks of a document that are in this language."""
    return [text for kind, text in _BLOCK.findall(path.read_text("utf-8")) if kind == language]


def told_commands(path: Path) -> list[list[str]]:
    """Give the commands that a document tells its reader to type, as words."""
    lines = "".join(blocks(path, "console")).splitlines()
    told = [shlex.split(line[2:], comments=True) for line in lines if line.startswith("$ ")]
    return [list(dropwhile(_VARIABLE.match, words)) for words in told]


@cache
def run_clew(*words: str) -> str:
    """Run a command line of ours on a terminal of 80 columns, and give what it prints."""
    return subprocess.run(  # noqa: S603 (our own module)
        [sys.executable, "-m", "clew", *words],
        cwd=ROOT,
        env={**os.environ, "COLUMNS": "80", "NO_COLOR": "1", "TZ": "UTC", "PYTHONUTF8": "1"},
        capture_output=True,
        check=True,
        encoding="utf-8",
    ).stdout


def helps(*words: str) -> Iterator[tuple[str, str]]:
    """Give the help of a command and of all below it, each with the words that name it."""
    text = run_clew(*words, "--help")
    yield " ".join(("clew", *words)), text
    listed = text.partition("\nCommands:\n")[2].partition("\n\n")[0]
    for name in _SUBCOMMAND.findall(listed):
        yield from helps(*words, name)


def write_reference() -> str:
    """Return the reference: the document's own text of each command, then the command's help."""
    own = dict(_SECTION.findall(COMMANDS.read_text("utf-8")))
    return "".join(
        f"\n## {name}\n{own.get(name, '')}\n```text\n{text}```\n" for name, text in helps()
    )


def write_schema() -> str:
    """Return the tables and views with their columns, as they must stand in the document."""
    return "".join(
        f"\n## {section.title}\n"
        + (f"\n{section.about}\n" if section.about else "")
        + "".join(map(_write_table, section.table))
        for section in descriptions().section
    )


def _write_table(table: TableText) -> str:
    rows = "".join(f"| `{name}` | {about} |\n" for name, about in table.columns.items())
    return f"\n### {table.name}\n\n{table.about}\n\n| column | description |\n|---|---|\n{rows}"


def write_functions() -> str:
    """Return the rows of the document's table of functions."""
    return "".join(f"| `{each.name}` | {each.about} |\n" for each in descriptions().function)


def write_command_table() -> str:
    """Return the README's table of commands."""
    listed = run_clew("--help").partition("\nCommands:\n")[2].partition("\n\n")[0]
    rows = [line.split(maxsplit=1) for line in listed.splitlines()]
    table = "".join(f"| `clew {name}` | {about} |\n" for name, about in rows)
    return f"| command | does |\n|---|---|\n{table}"


def draw_picture() -> str:
    """Give what the first command of the README prints."""
    lines = run_clew(*told_commands(README)[0][3:]).rstrip().splitlines()
    return "".join(f"{line.rstrip()}\n" for line in lines)


def recipes() -> set[str]:
    """Give the names of all recipes."""
    return set(_RECIPE.findall((ROOT / "justfile").read_text("utf-8"))) - {"default"}


def project_files() -> list[Path]:
    """List the files of the project: all but what `.gitignore` names, in its simple patterns."""
    lines = (ROOT / ".gitignore").read_text("utf-8").split()
    ignored = [line.strip("/") for line in lines if not line.startswith("/")]
    at_top = [".git", *(line.strip("/") for line in lines)]
    found = []
    for folder, names, files in os.walk(ROOT):
        here = at_top if Path(folder) == ROOT else ignored
        names[:] = [name for name in names if not _is_ignored(name, here)]
        found += [Path(folder, name) for name in files if not _is_ignored(name, ignored)]
    return found


def _is_ignored(name: str, patterns: list[str]) -> bool:
    return any(fnmatch(name, pattern) for pattern in patterns)


def _slugs(path: Path) -> set[str]:
    """Give the names by which a document's headings can be linked to."""
    headings = _HEADING.findall(path.read_text("utf-8"))
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_command_and_option_is_documented_as_it_is() -> None:
    written = COMMANDS.read_text("utf-8").partition(WRITTEN)[2]

    assert written == write_reference(), "run `just docs`"


def test_every_table_column_and_function_is_documented_as_it_is_described() -> None:
    head, _, written = SCHEMA.read_text("utf-8").partition(WRITTEN)

    assert written == write_schema(), "run `just docs`"
    assert write_functions() in head, "run `just docs`"


def test_the_readme_lists_every_command() -> None:
    assert write_command_table() in README.read_text("utf-8"), "run `just docs`"


@pytest.mark.parametrize("number", range(len(blocks(README, "python"))))
def test_a_python_example_of_the_readme_runs(tmp_path: Path, number: int) -> None:
    example = blocks(README, "python")[number]
    shutil.copy(next(ROOT.glob(RECORDED)), tmp_path / "session.jsonl")

    done = subprocess.run(  # noqa: S603 (our own example)
        [sys.executable, "-c", example], cwd=tmp_path, capture_output=True, check=True
    )

    assert (bool(done.stdout), done.stderr) == (True, b"")


def test_the_picture_in_the_readme_is_what_its_first_command_prints() -> None:
    assert blocks(README, "text")[0] == draw_picture(), "run `just docs`"


@pytest.mark.parametrize("path", DOCS, ids=lambda path: path.name)
def test_every_command_that_a_document_tells_to_type_exists(path: Path) -> None:
    ours = {name for name, _ in helps()}

    for words in told_commands(path):
        match words:
            case ["uv", "run", "clew", *rest] | ["clew", *rest]:
                name = next((word for word in rest if not word.startswith("-")), "")
                assert f"clew {name}".strip() in ours
            case ["uv", "run", "just", name, *_]:
                assert name in recipes()
            case _:
                assert shutil.which(words[0])


def test_ci_runs_what_the_readme_tells_and_ends_with_its_test_command() -> None:
    script = (ROOT / ".ci" / "run").read_text("utf-8").splitlines()
    ran = [command for line in script if (command := line.partition("step ")[2])]

    told = [shlex.join(words) for words in told_commands(README)]

    assert [command for command in ran if command in told] == told
    assert script[-1].endswith(told[-1])


def test_the_readme_and_ci_install_the_same_uv() -> None:
    documents = [*DOCS, ROOT / ".ci" / "run"]

    versions = {
        v for path in documents for v in re.findall(r"uv==([\d.]+)", path.read_text("utf-8"))
    }

    assert len(versions) == 1


def test_every_recipe_is_explained_to_contributors() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")

    assert [name for name in sorted(recipes()) if f"| `just {name}` |" not in text] == []


def test_every_kind_of_problem_is_explained_with_its_severity() -> None:
    text = (ROOT / "docs" / "format.md").read_text("utf-8").partition("\n## Problems\n")[2]

    explained = dict(_PROBLEM.findall(text))

    assert explained == {kind: known.severity.value for kind, known in PROBLEM_KINDS.items()}


def test_every_budget_of_the_benchmark_is_written_down() -> None:
    text = (ROOT / "docs" / "performance.md").read_text("utf-8")

    promised = [who.name for who in CONTESTANTS if who.budgets or who.limits]

    assert [name for name in promised if f"| `{name}` |" not in text] == []


def test_every_package_has_its_place_in_the_architecture() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text("utf-8")

    packages = {path.parent.name for path in (ROOT / "src" / "clew").glob("*/__init__.py")}
    modules = {path.stem for path in (ROOT / "src" / "clew").glob("[a-z]*.py")}

    assert [name for name in packages | modules if f"`clew.{name}`" not in text] == []


def test_a_word_of_the_glossary_means_one_thing_and_its_name_exists() -> None:
    found = _WORD.findall((ROOT / "docs" / "glossary.md").read_text("utf-8"))
    words = [word for word, _ in found]

    places = [name.rpartition(".") for _, name in found if name]

    assert sorted(words) == sorted(set(words))
    assert [p for p in places if not hasattr(import_module(p[0]), p[2])] == []


@pytest.mark.parametrize("path", DOCS, ids=lambda path: path.name)
def test_every_link_between_documents_leads_somewhere(path: Path) -> None:
    for link in _LINK.findall(path.read_text("utf-8")):
        name, _, anchor = link.partition("#")
        target = path.parent / name if name else path
        if not link.startswith("https:"):
            assert target.exists(), link
            assert not anchor or anchor in _slugs(target), link


def test_no_file_names_a_registry_or_a_real_home() -> None:
    found = []

    for path in project_files():
        text = path.read_bytes().decode("utf-8", "replace")
        found += [(path, home) for home in _HOME.findall(text) if home not in _INVENTED]
        found += [(path, address) for address in _REGISTRY.findall(text)]

    assert found == []


def test_every_dependency_is_pinned_as_the_project_asks() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    groups = project["dependency-groups"].values()
    pinned = dict(_PINNED.findall((ROOT / "constraints.txt").read_text("utf-8")))

    asked = [*project["project"]["dependencies"], *(line for group in groups for line in group)]

    for line in asked:
        name, version = re.split(r"[^\w.-]+", f"{line} ")[:2]
        name = name.replace(".", "-")
        assert name in pinned, "run `just lock`"
        assert "==" not in line or pinned[name] == version, "run `just lock`"


if __name__ == "__main__":
    head, mark, _ = COMMANDS.read_text("utf-8").partition(WRITTEN)
    COMMANDS.write_text(head + mark + write_reference(), "utf-8")
    head, mark, _ = SCHEMA.read_text("utf-8").partition(WRITTEN)
    head = re.sub(r"(\| function \|.*\n\|---\|---\|\n)(\|.*\n)*", rf"\1{write_functions()}", head)
    SCHEMA.write_text(head + mark + write_schema(), "utf-8")
    before, text, after = README.read_text("utf-8").partition("```text\n")
    after = after[after.index("```") :]
    after = re.sub(r"\| command \|.*\n\|---\|---\|\n(\|.*\n)*", write_command_table(), after)
    README.write_text(before + text + draw_picture() + after, "utf-8")
