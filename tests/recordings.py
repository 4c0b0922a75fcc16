"""The recorded sessions that tests read, with what is known of each."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

HERE: Final = Path(__file__).parent / "recordings"
# The whole set, of which HERE is a selection; it stands beside the checkout on some machines only.
WHOLE: Final = Path(__file__).parents[2] / "shared" / "recordings"


class Recording(msgspec.Struct, frozen=True):
    """One scenario played with one client: what it wrote, and what must be found in it."""

    version: str
    scenario: str
    root: Path
    expected: dict[str, Any]

    @property
    def id(self) -> str:
        """Name it as a test's parameter."""
        return f"{self.version}/{self.scenario}"

    def transcripts(self) -> list[Path]:
        """List its transcripts, agent runs included."""
        return sorted((self.root / "projects").rglob("*.jsonl"))


def recordings(*folders: Path) -> Iterator[Recording]:
    """Yield the recordings of these folders (by default all there are), each once."""
    seen: set[tuple[str, str]] = set()
    for folder in folders or (HERE, WHOLE):
        for path in sorted(folder.glob("*/*/expected.json")):
            version, scenario = path.parts[-3:-1]
            if (version, scenario) not in seen:
                seen.add((version, scenario))
                expected = msgspec.json.decode(path.read_bytes(), type=dict[str, Any])
                yield Recording(version, scenario, path.parent / "root", expected)


def parameters(*folders: Path) -> list[Any]:
    """Give the recordings as parameters of a test, with ids like `2.1.325/plain`."""
    return [pytest.param(recording, id=recording.id) for recording in recordings(*folders)]
