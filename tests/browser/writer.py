"""A process that writes lines as a client does: one after the other, each on disk at once."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

Plan = Sequence[tuple[Path, bytes]]


@contextmanager
def writing(plan: Plan, folder: Path, pause: float = 0.05) -> Iterator[None]:
    """Let another process write lines to the ends of files while the block runs."""
    file = folder / "plan.json"
    file.write_text(json.dumps([(str(path), line.decode()) for path, line in plan]))
    command = [sys.executable, __file__, str(file), str(pause)]
    with subprocess.Popen(command) as process:  # noqa: S603 (this very file)
        yield
        assert process.wait(60) == 0


def write_lines(plan: Plan, pause: float = 0) -> None:
    """Write each line to the end of its file."""
    for path, line in plan:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab", buffering=0) as stream:
            stream.write(line.rstrip(b"\n") + b"\n")
        time.sleep(pause)


if __name__ == "__main__":
    told = json.loads(Path(sys.argv[1]).read_text())
    write_lines([(Path(path), line.encode()) for path, line in told], float(sys.argv[2]))
