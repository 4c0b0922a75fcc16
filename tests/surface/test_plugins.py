"""A package with a tool, built from the docs and installed, as commands use it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.build import Call, SessionBuilder
from tests.plugins import build, documented, install
from tests.surface.running import run

STEPS = '{"steps": [{"name": "migrate", "seconds": 2.5}], "ok": false}'
TOOL = "mcp__deploy__start"


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheels")
    target = tmp_path_factory.mktemp("packages")
    install(build(folder, *documented()), target)
    return target


@pytest.fixture
def session(tmp_path: Path) -> Path:
    call = Call(TOOL, {"service": "shop", "version": "2.1"}, STEPS)
    return (
        SessionBuilder()
        .user("Deploy it")
        .tools(call)
        .assistant("Done")
        .write(tmp_path / "session.jsonl")
    )


def show(session: Path, packages: Path, *options: str) -> str:
    done = run("show", str(session), *options, PYTHONPATH=str(packages))

    assert (done.code, done.err) == (0, "")
    return done.out


def test_the_terminal_shows_the_label_of_an_installed_tool(session: Path, packages: Path) -> None:
    assert "deploy · start · shop → 2.1" in show(session, packages)


def test_a_page_shows_its_label_and_its_parts(session: Path, packages: Path) -> None:
    page = show(session, packages, "--format", "html", "-o", "-")

    assert "shop → 2.1" in page
    assert "<td><bdi>migrate</bdi></td><td><bdi>2.5 s</bdi></td>" in page
    assert "The deployment was rolled back." in page


def test_json_has_its_result_and_its_parts(session: Path, packages: Path) -> None:
    conversation = json.loads(show(session, packages, "--format", "json"))
    page = show(session, packages, "--format", "page", "--detail", "everything")

    assert conversation["tool_calls"][0]["result"] == json.loads(STEPS)
    assert '"rows":[["migrate","2.5 s"]]' in page.replace(": ", ":").replace(", ", ",")


def test_processes_that_share_the_work_use_it_too(packages: Path) -> None:
    script = (
        "from functools import partial\n"
        "from clew.processes import submit, worker_processes\n"
        "from clew.tools import decode_input\n"
        'raw = b\'{"service": "shop", "version": "2.1"}\'\n'
        "with worker_processes(1) as pool:\n"
        f"    print(submit(pool, partial(decode_input, {TOOL!r}), raw).result())\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(packages)}

    done = subprocess.run(  # noqa: S603 (our own script)
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True
    )

    assert done.stdout == "StartInput(service='shop', version='2.1')\n"


def test_a_package_that_fails_is_reported_and_the_call_is_shown_all_the_same(
    session: Path, tmp_path: Path
) -> None:
    pyproject, source = documented()
    install(build(tmp_path, pyproject, f"import missing_module\n{source}"), tmp_path / "packages")

    done = run(
        "show", str(session), "--detail", "everything", PYTHONPATH=str(tmp_path / "packages")
    )

    assert done.code == 0
    assert done.err == (
        f"plug-in clew-deploy: cannot load the tool {TOOL}: "
        "ModuleNotFoundError: No module named 'missing_module'\n"
    )
    assert "The plug-in clew-deploy failed to show this call" in done.out
    assert "migrate" in done.out


def test_check_reports_a_package_that_would_replace_a_built_in_tool(
    session: Path, tmp_path: Path
) -> None:
    pyproject, source = (text.replace(TOOL, "Bash") for text in documented())
    install(build(tmp_path, pyproject, source), tmp_path / "packages")

    done = run("check", str(session), PYTHONPATH=str(tmp_path / "packages"))

    assert done.code == 0
    assert "plug-in clew-deploy: cannot replace the built-in tool Bash\n" in done.err


def test_without_plugins_the_reader_of_metadata_is_not_imported() -> None:
    script = (
        "import sys\n"
        "from clew.tools import find_tool\n"
        f"print(find_tool({TOOL!r}).names, 'importlib.metadata' in sys.modules)\n"
    )

    done = subprocess.run(  # noqa: S603 (our own script)
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )

    assert done.stdout == "() False\n"
