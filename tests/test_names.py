"""Names are said once: the same class name in two modules is too vague in one of them."""

import ast
from collections import defaultdict
from pathlib import Path

SOURCE = Path(__file__).parent.parent / "src" / "clew"


def test_no_class_name_occurs_twice() -> None:
    modules = defaultdict(list)
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.ClassDef):
                modules[node.name].append(path.relative_to(SOURCE).as_posix())

    assert {name: where for name, where in modules.items() if len(where) > 1} == {}
