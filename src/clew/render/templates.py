"""Files beside a package of pages: its templates, stylesheets and scripts."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from importlib import resources
from typing import Any

import minijinja


def make_environment(
    package: str, filters: Mapping[str, Callable[..., Any]]
) -> minijinja.Environment:
    """Return what fills the templates of a package; a value that is missing is an error."""

    def load(name: str) -> str:
        return _read(package, "templates", name)

    return minijinja.Environment(
        loader=load,
        filters=dict(filters),
        undefined_behavior="strict",
        trim_blocks=True,
        lstrip_blocks=True,
    )


@lru_cache(maxsize=64)
def read_asset(package: str, name: str) -> str:
    """Return the text of a stylesheet or script of a package."""
    return _read(package, "assets", name)


def _read(package: str, folder: str, name: str) -> str:
    return (resources.files(package) / folder / name).read_text("utf-8")
