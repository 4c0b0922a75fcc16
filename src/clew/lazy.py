"""Packages whose names are imported when they are first used, so that a command starts quickly.

A package lists its names as imports below `if TYPE_CHECKING`, where type checkers and readers find
them, and in `__all__`. `import_lazily` reads that list from the source of the package.
"""

import re
import sys
from functools import cache
from importlib import import_module
from importlib.abc import InspectLoader
from types import ModuleType
from typing import Final

_IMPORT: Final = re.compile(r"^ +from (clew\.[\w.]+) import (?:\(([^)]*)\)|(.+))$", re.MULTILINE)
_NAME: Final = re.compile(r"\w+")


def import_lazily(package: str) -> None:
    """Let a package import each of its names when it is first used."""
    sys.modules[package].__class__ = _LazyPackage


class _LazyPackage(ModuleType):
    """A package whose names are found in its modules."""

    def __getattr__(self, name: str) -> object:  # type: ignore[explicit-override]
        """Import a name from its module, and remember it."""
        module = _homes(self).get(name)
        if module is None:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        value = getattr(import_module(module), name)
        setattr(self, name, value)
        return value

    def __setattr__(self, name: str, value: object) -> None:  # type: ignore[explicit-override]
        """Set an attribute; a module does not take the place of a name of the package.

        Python sets every imported module, and `clew.store.sync` has a function `sync`.
        """
        if not (isinstance(value, ModuleType) and name in self.__dict__["__all__"]):
            super().__setattr__(name, value)

    def __dir__(self) -> list[str]:  # type: ignore[explicit-override]
        """List the names of the package."""
        return [*self.__dict__["__all__"]]


@cache
def _homes(package: ModuleType) -> dict[str, str]:
    """Read the module of each name from the imports in a package's source."""
    loader = package.__loader__
    source = loader.get_source(package.__name__) if isinstance(loader, InspectLoader) else None
    return {
        name: module
        for module, several, one in _IMPORT.findall(source or "")
        for name in _NAME.findall(several or one)
    }
