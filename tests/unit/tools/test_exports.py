"""The front door of `clew.tools` exports what others use, and nobody goes around it."""

import ast
from collections.abc import Iterator
from pathlib import Path

from clew import tools
from tests.plugins import documented

ROOT = Path(__file__).parents[3]
OWN = ROOT / "src" / "clew" / "tools"


def _imports() -> Iterator[tuple[str, str]]:
    """List what modules outside of the package import from it, the example in the docs included."""
    paths = [*(ROOT / "src").rglob("*.py"), *(ROOT / "tools").rglob("*.py")]
    sources = [path.read_text("utf-8") for path in paths if not path.is_relative_to(OWN)]
    for source in (*sources, documented()[1]):
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("clew.tools"):
                yield from ((node.module or "", alias.name) for alias in node.names)


def test_every_exported_name_is_used_by_others() -> None:
    assert sorted(set(tools.__all__) - {name for _, name in _imports()}) == []


def test_nobody_imports_from_a_module_inside() -> None:
    assert [found for found in _imports() if found[0] != "clew.tools"] == []
