"""A server under load: many readers at once, while it archives.

`python -m bench.load` starts a server on a copy of a synced archive, lets readers ask for lists,
search and first pages of sessions while it takes in another folder of transcripts, and tells how
long they waited, and how much memory the server had from quarter to quarter. With `--first-sync`
the archive is empty, all transcripts are still to be archived, and the readers ask from the first
moment until all is done.
"""

import argparse
import asyncio
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from bench.archives import archive_of, make_archive
from bench.first_run import CLEW
from bench.generate import cache_folder, generated, parse_size
from bench.load_report import exit_code, report
from bench.peers import isolated
from bench.serving import serving
from bench.visits import Visit, visit

_LONGEST_SECONDS: Final = 900.0
_SECONDS: Final = 60.0


def main(arguments: Sequence[str]) -> int:
    """Measure, print, and fail when an answer was wrong, or, if asked to, a budget is missed."""
    options = _options(arguments)
    with _server(options) as (address, process_id):
        plan = Visit(
            address=address,
            process_id=process_id,
            readers=options.readers,
            pause=options.pause,
            seconds=options.seconds or (_LONGEST_SECONDS if options.first_sync else _SECONDS),
            until_archived=options.first_sync,
        )
        found = asyncio.run(visit(plan))
    for line in report(found):
        sys.stdout.write(f"{line}\n")
    return exit_code(found, is_strict=options.strict)


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.load", description=__doc__)
    parser.add_argument("--size", type=parse_size, default="1GB", help="transcripts, such as 1GB")
    parser.add_argument(
        "--new", type=parse_size, default="100MB", help="how much comes in meanwhile"
    )
    parser.add_argument(
        "--first-sync", action="store_true", help="start with an empty archive, until all is kept"
    )
    parser.add_argument("--readers", type=int, default=200)
    parser.add_argument(
        "--seconds", type=float, help=f"default: {_SECONDS:g}, or as long as a first sync takes"
    )
    parser.add_argument("--pause", type=float, default=1, help="seconds for which a page is read")
    parser.add_argument("--strict", action="store_true", help="exit 4 when a budget is missed")
    return parser.parse_args(arguments)


@contextmanager
def _server(options: argparse.Namespace) -> Iterator[tuple[str, int]]:
    """Run a server in a process of its own; give its address and the process."""
    root = generated(options.size)
    cache_folder().mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache_folder()) as folder:
        home = Path(folder) / "archive"
        chosen = ["--root", str(root)]
        if not options.first_sync:
            make_archive(root)
            shutil.copytree(archive_of(root), home)
            chosen += ["--root", str(generated(options.new, seed=1))]
        command = [*CLEW, "serve", "--port", "0", *chosen]
        environ = {**os.environ, **isolated(Path(folder) / "home"), "CLEW_ARCHIVE": str(home)}
        with serving(command, environ) as (address, process):
            yield address, process.pid


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
