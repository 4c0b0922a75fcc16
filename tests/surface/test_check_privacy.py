"""`clew check` tells structure, never talk."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from clew.cli import main

CANARY: Final = "canary sings"
RECORDINGS: Final = Path(__file__).parents[1] / "recordings"
# What decides how an entry is read; all other strings may be talk.
STRUCTURE: Final = {"type", "subtype", "version", "timestamp", "operation", "name"}


def sing(value: Any, key: str = "") -> Any:
    """Replace every text in a row by the canary."""
    if isinstance(value, dict):
        return {k: sing(v, k) for k, v in value.items()}
    if isinstance(value, list):
        return [sing(item, key) for item in value]
    return CANARY if isinstance(value, str) and key not in STRUCTURE else value


def misfit(value: Any, key: str = "") -> Any:
    """Replace every value but the structure by one of another type."""
    if isinstance(value, dict):
        return {k: misfit(v, k) for k, v in value.items()}
    if isinstance(value, str):
        return value if key in STRUCTURE else [CANARY]
    return CANARY


def rows() -> Iterator[Any]:
    for path in sorted(RECORDINGS.glob("*/*/root/projects/**/*.jsonl")):
        for line in path.read_bytes().splitlines():
            yield json.loads(line)


def all_output(folder: Path, capture: pytest.CaptureFixture[str]) -> str:
    output = ""
    for options in ([], ["--verbose"], ["--json"]):
        main(["check", str(folder), *options])
        output += "".join(capture.readouterr())
    return output


@pytest.mark.parametrize("change", [sing, misfit])
def test_no_text_of_any_recorded_row_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], change: Any
) -> None:
    lines = [json.dumps(change(row)) for row in rows()]
    (tmp_path / "s.jsonl").write_text("\n".join(lines), "utf-8")

    output = all_output(tmp_path, capsys)

    assert "entries" in output
    assert "canary" not in output


def test_no_text_of_damaged_lines_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    texts = [json.dumps(sing(row)) for row in rows()][:500]
    damaged = [text[: len(text) // 2] for text in texts]
    doubled = [f"{CANARY}{text}{text} {CANARY}" for text in texts]
    (tmp_path / "s.jsonl").write_text("\n".join([*damaged, *doubled]), "utf-8")

    output = all_output(tmp_path, capsys)

    assert "glued" in output
    assert "canary" not in output


def test_keys_and_types_made_of_words_are_cut(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    blocks = [{"type": f"new {CANARY}"}, {"type": "tool_use", "name": f"Bash {CANARY}"}]
    bash = {"type": "tool_use", "name": "Bash", "id": "t", "input": {f"odd {CANARY}": 1}}
    message = {"role": "assistant", "content": [*blocks, bash], f"also {CANARY}": 1}
    lines = [{"type": "assistant", "message": message}, {"type": f"type {CANARY}"}]
    (tmp_path / "s.jsonl").write_text("\n".join(map(json.dumps, lines)), "utf-8")

    output = all_output(tmp_path, capsys)

    assert "tool/Bash.input.odd…" in output
    assert "canary" not in output
