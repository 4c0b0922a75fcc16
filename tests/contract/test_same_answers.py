"""A team's archive answers as a laptop's does: every list, sum, conversation and restored file."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

import pytest

from clew.archive import Archive
from clew.samples import samples_root
from clew.store import Home
from clew.store.postgres_location import PostgresLocation
from tests.build import SessionBuilder, bash
from tests.contract.answers import NOW, compare_answers
from tests.recordings import HERE, recordings

pytestmark = pytest.mark.slow

CORPUS: Final = Path(__file__).parents[3] / "shared" / "corpus"
# All that stands beside the checkout takes minutes; what is small is compared always.
_MOST_BYTES: Final = 1 << 40 if os.environ.get("CLEW_TEST_ALL") else 3_000_000


@pytest.fixture
def archives(tmp_path: Path, postgres_url: str) -> Iterator[tuple[Archive, Archive]]:
    """Give an archive in a folder and one on a server, both empty."""
    laptop = Archive(Home(tmp_path / "laptop"))
    team = Archive(PostgresLocation(postgres_url, str(tmp_path / "blobs")))
    with laptop, team:
        yield laptop, team


def compare(archives: tuple[Archive, Archive], roots: Iterable[Path], folder: Path) -> None:
    """Archive the same roots in both, and compare all that they answer."""
    places = list(roots)
    for archive in archives:
        archive.sync(places, now=NOW, workers=1)
    compare_answers(*archives, folder)


def test_samples(archives: tuple[Archive, Archive], tmp_path: Path) -> None:
    compare(archives, [samples_root()], tmp_path)


def test_recordings(archives: tuple[Archive, Archive], tmp_path: Path) -> None:
    compare(archives, [recording.root for recording in recordings(HERE)], tmp_path)


def test_what_grows_is_copied_and_rewritten(
    archives: tuple[Archive, Archive], tmp_path: Path
) -> None:
    root = tmp_path / "root"
    for number in range(6):
        _session(number).write(root)
    compare(archives, [root], tmp_path / "first")
    _session(1).user("More").tools(bash("ls", "x" * 3_000)).assistant("Sure.").write(root)
    path = next(root.rglob(f"{_session(2).session_id}.jsonl"))
    path.write_bytes(path.read_bytes().replace(b"Done.", b"Over."))
    next(root.rglob(f"{_session(3).session_id}.jsonl")).unlink()
    # A resumed session begins with copies of answers that another one has.
    copied = path.read_bytes().replace(_session(2).session_id.encode(), b"f" * 36)
    (path.parent / f"{'f' * 36}.jsonl").write_bytes(copied)

    compare(archives, [root], tmp_path / "second")


def _session(number: int) -> SessionBuilder:
    builder = SessionBuilder(f"s{number}").cwd(f"/home/dev/p{number % 2}").branch(f"b{number % 3}")
    builder.user(f"Do {number}: naïve façade 日本語 ümlaut").tools(bash("ls", "out" * number))
    builder.tools(bash("cat long", "wörd " * 90_000), think="Hm.")
    builder.agent("Look", "Look.", lambda run: run.assistant("Seen."))
    return builder.compact("Summary so far").user("Go on").assistant("Done.")


@pytest.mark.skipif(not CORPUS.exists(), reason="no corpus beside the checkout")
def test_corpus(archives: tuple[Archive, Archive], tmp_path: Path) -> None:
    folders = [path for path in sorted(CORPUS.iterdir()) if path.is_dir()]
    compare(archives, [path for path in folders if _size(path) <= _MOST_BYTES], tmp_path)


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*.jsonl"))
