"""What can be counted: the files that tool calls read and change."""

import pytest

from clew.analytics import file_touches
from tests.unit.tools.opened import call_of

EDIT = {"file_path": "/w/a.py", "old_string": "a", "new_string": "b\nc"}
NOTEBOOK = {"notebook_path": "/w/a.ipynb", "new_source": "x", "cell_id": "1"}


@pytest.mark.parametrize(
    ("tool", "arguments", "touched"),
    [
        ("Read", {"file_path": "/w/a.py"}, [("/w/a.py", "read")]),
        ("Edit", EDIT, [("/w/a.py", "edit")]),
        ("Write", {"file_path": "/w/a.py", "content": "x"}, [("/w/a.py", "write")]),
        ("NotebookEdit", NOTEBOOK, [("/w/a.ipynb", "edit")]),
        ("Bash", {"command": "cat /w/a.py"}, []),
    ],
)
def test_a_call_touches_the_file_it_names(
    tool: str, arguments: dict[str, str], touched: list[tuple[str, str]]
) -> None:
    touches = file_touches([call_of(tool, arguments, {})])

    assert [(touch.path, touch.action) for touch in touches] == touched


def test_a_call_that_failed_touches_nothing() -> None:
    assert list(file_touches([call_of("Edit", EDIT, "Error", status="failed")])) == []
