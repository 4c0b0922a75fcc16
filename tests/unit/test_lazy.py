"""Packages that import their names lazily offer the same as if they imported them at once."""

import subprocess
import sys
from importlib import import_module
from types import ModuleType

import pytest

PACKAGES = [
    "clew.analytics",
    "clew.check",
    "clew.conversation",
    "clew.entries",
    "clew.export",
    "clew.redact",
    "clew.render",
    "clew.search",
    "clew.source",
    "clew.store",
    "clew.tools",
    "clew.view",
    "clew.web",
]


@pytest.mark.parametrize("package", PACKAGES)
def test_every_name_of_a_package_can_be_imported(package: str) -> None:
    module = import_module(package)

    assert set(dir(module)) == set(module.__all__)
    assert [n for n in module.__all__ if isinstance(getattr(module, n), ModuleType)] == []


@pytest.mark.parametrize("package", PACKAGES)
def test_a_name_that_no_package_has_is_an_error(package: str) -> None:
    module = import_module(package)

    with pytest.raises(AttributeError, match=f"module '{package}' has no attribute 'nothing'"):
        _ = module.nothing


def test_a_package_imports_only_the_modules_of_the_names_that_are_used() -> None:
    code = "import sys; from clew.source import FileKind; print(*sys.modules)"

    modules = _run(code).split()

    assert "clew.source.kinds" in modules
    assert "clew.source.lines" not in modules


def test_a_module_does_not_take_the_place_of_a_function_of_the_same_name() -> None:
    code = "import clew.store.sync; from clew.store import sync; print(callable(sync))"

    assert _run(code) == "True\n"


def _run(code: str) -> str:
    words = [sys.executable, "-c", code]
    done = subprocess.run(words, capture_output=True, text=True, check=True)  # noqa: S603
    return done.stdout
