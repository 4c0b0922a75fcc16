"""Where the client puts the files of a session."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.build.clients import Row
from tests.build.runs import Run, meta_json

HOME: Final = "/home/dev/.claude"


def project_folder(cwd: str) -> str:
    """Encode a working directory as the client names its folder."""
    return re.sub(r"[^A-Za-z0-9]", "-", cwd)


def encode(row: Row) -> bytes:
    """Write a row as one line, as the client does: compact, and beyond ASCII as it is."""
    return json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode()


def run_files(run: Run, session_id: str) -> Iterator[tuple[str, bytes]]:
    """Yield the files of one agent run, relative to the project's folder."""
    client = run.place.client
    if client.agent_layout == "inline":
        return
    folder = f"{session_id}/subagents/" if client.agent_layout == "nested" else ""
    yield f"{folder}agent-{run.id}.jsonl", run.content
    if client.writes("meta"):
        yield f"{folder}agent-{run.id}.meta.json", encode(meta_json(run))


def write_files(folder: Path, files: dict[str, bytes]) -> None:
    """Write files below a folder."""
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
