"""What a line tells of hooks."""

import json

from clew.entries import shorten_hook_line


def test_only_what_tells_of_the_hook_is_left() -> None:
    part = {"hookEvent": "Stop", "command": "make", "exitCode": 2, "stdout": "long", "type": "x"}
    line = {"uuid": "1", "toolUseID": "t", "attachment": part, "cwd": "/home"}

    found = shorten_hook_line(json.dumps(line).encode())

    assert json.loads(found or b"") == {
        "toolUseID": "t",
        "attachment": {"hookEvent": "Stop", "command": "make", "exitCode": 2},
    }


def test_a_line_of_another_shape_tells_nothing() -> None:
    assert shorten_hook_line(b'{"data": "words"}') is None
    assert shorten_hook_line(b'{"data": {') is None
