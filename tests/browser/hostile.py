"""Hostile transcripts: real ones, in which every text carries an attack."""

import json
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

ATTACKS: Final = {
    "script": "<script>window.pwned=1</script>",
    "handler": '"><img src=x onerror="window.pwned=1">',
    "single": "' onmouseover='window.pwned=1' autofocus onfocus='window.pwned=1",
    "svg": "<svg onload=window.pwned=1><animate onbegin=window.pwned=1></svg>",
    "links": "[x](javascript:window.pwned=1) [y](data:text/html,<script>window.pwned=1</script>)",
    "remote": "![p](http://evil.example/a.png) <img src=http://evil.example/b.png>",
    "frames": "<iframe src=//evil.example></iframe><meta http-equiv=refresh content='0;url=x'>",
    "style": "<style>*{display:none!important}</style><link rel=stylesheet href=//evil.example>",
    "structure": "</p></div></details></section></main></body></html><h1>out</h1>",
    "template": "{{ 7*7 }} {% raw %} ${7*7} <% 7*7 %> #{7*7}",
    "fences": "````\n```\n~~~\n</code></pre>\n---\n# heading",
    "escapes": "\x1b]0;title\x07\x1b]8;;http://evil.example\x07link\x1b]8;;\x07\x1b[2J\x1b[31m\x9b2J",
    "direction": "\u202egnp.exe\u202c \u2066hidden\u2069 \u200b\ufeff",
    "numbers": "\x00\x01\x7f\ud800 \U0001f9f6",
}
# What says of which kind a row is stays as it is, or nothing of it would be shown.
_KEPT: Final = frozenset(
    {"type", "subtype", "role", "timestamp", "operation", "media_type", "data", "name", "level"}
)
_IDS: Final = frozenset({"uuid", "parentUuid", "id", "tool_use_id", "sessionId", "message_id"})


def attack(text: str, payload: str) -> str:
    """Put an attack behind a text; the same text becomes the same again, so that links hold."""
    return f"{text} {payload}"


def spoil(value: Any, payload: str, key: str = "") -> Any:
    """Put an attack into every text of a row."""
    match value:
        case dict():
            return {name: spoil(inner, payload, name) for name, inner in value.items()}
        case list():
            return [spoil(inner, payload, key) for inner in value]
        case str() if key not in _KEPT:
            return attack(value, payload)
        case _:
            return value


def write_hostile(root: Path, target: Path, payload: str) -> Iterator[Path]:
    """Write a recording again with an attack in every text; give its session transcripts."""
    shutil.copytree(root, target)
    for path in sorted(target.rglob("*.jsonl")):
        lines = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
        spoiled = (json.dumps(spoil(line, payload)) for line in lines)
        path.write_text("\n".join(spoiled) + "\n", "utf-8")
        if path.parent.parent.name == "projects":
            yield path


def write_hostile_root(root: Path, recordings: Iterable[Path], payload: str) -> Path:
    """Write several recordings again, with an attack in every text, into one root; give it."""
    for number, recording in enumerate(recordings):
        own = root / str(number)
        list(write_hostile(recording, own, payload))
        for path in sorted(own.rglob("*")):
            if path.is_file():
                place = root / "all" / path.relative_to(own)
                place.parent.mkdir(parents=True, exist_ok=True)
                path.rename(place)
    return root / "all"
