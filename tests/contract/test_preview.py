"""What a preview promises: the answers of an archive that has everything, before it does."""

import datetime as dt
import random
import shutil
from pathlib import Path
from typing import Any

import pytest

from clew.analytics import FilterSet
from clew.archive import Archive, Order
from clew.preview import ArchivePreview
from clew.samples import samples_root
from clew.store import Home
from tests.build import SessionBuilder, bash
from tests.dump import home_of
from tests.recordings import HERE

NOW = dt.datetime(2026, 11, 15, tzinfo=dt.UTC)
LISTS = ("sessions", "projects", "tool_calls", "agent_runs", "files")
GROUPS = ("day", "week", "model", "session", "project", "agent", "block")
LONG_AGO = dt.datetime(2020, 1, 1, tzinfo=dt.UTC)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All recordings as the sessions of one machine."""
    folder = tmp_path_factory.mktemp("claude")
    for version in sorted(HERE.iterdir()):
        for recording in sorted(version.glob("*/projects")):
            target = folder / "projects" / f"{version.name}-{recording.parent.name}"
            shutil.copytree(recording, target, dirs_exist_ok=True)
            for project in sorted(target.iterdir()):
                moved = folder / "projects" / f"{target.name}-{project.name}"
                project.rename(moved)
            target.rmdir()
    return folder


@pytest.fixture(scope="module")
def synced(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Archive:
    """The archive after a sync of all of it."""
    archive = Archive(Home(tmp_path_factory.mktemp("home") / "archive"))
    archive.sync([root], now=NOW)
    return archive


def answers(archive: Archive) -> dict[str, Any]:
    """Give what all lists and counts say."""
    found: dict[str, Any] = {
        f"{name} {is_all}": list(getattr(archive, name)(order=Order(with_hidden=is_all)))
        for name in LISTS
        for is_all in (False, True)
    }
    found |= {f"by {by}": archive.usage(by=by) for by in GROUPS}
    found["hidden"] = archive.hidden_sessions()
    found["labels"] = archive.session_labels()
    found["recent"] = archive.recent(LONG_AGO)
    return found


def newest(root: Path, home: Home, order: Order) -> list[Any]:
    """List the newest sessions of a preview that has no others."""
    with ArchivePreview(home, [root], NOW) as preview:
        preview.add_newest(order)
        return list(preview.sessions(order=order))


def test_all_answers_of_a_machine_that_was_never_synced(
    root: Path, synced: Archive, tmp_path: Path
) -> None:
    home = Home(tmp_path / "none")
    with ArchivePreview(home, [root], NOW) as preview:
        preview.add_all()
        assert answers(preview) == answers(synced)
    assert not home.folder.exists()


@pytest.mark.parametrize("seed", range(2))
def test_all_answers_when_some_is_archived(
    seed: int, root: Path, synced: Archive, tmp_path: Path
) -> None:
    partial = tmp_path / "claude"
    shutil.copytree(root, partial)
    some = random.Random(seed)  # noqa: S311 (chooses files)
    for path in sorted(partial.rglob("*.jsonl")):
        if some.random() < 0.4:
            path.unlink()
        elif some.random() < 0.3:
            path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    archive = Archive(Home(tmp_path / "home"))
    archive.sync([partial], now=NOW)
    # The folder keeps its name, as that of a user does.
    shutil.rmtree(partial)
    shutil.copytree(root, partial)

    with ArchivePreview(home_of(archive), [partial], NOW) as preview:
        preview.add_all()
        seen = answers(preview)

    archive.sync([partial], now=NOW)
    assert seen == answers(archive)
    assert [row.id for row in seen["sessions True"]] == [
        row.id for row in synced.sessions(order=Order(with_hidden=True))
    ]


@pytest.mark.parametrize("is_all", [False, True])
@pytest.mark.parametrize("most", [1, 3, 10])
def test_the_newest_sessions(
    most: int, *, is_all: bool, root: Path, synced: Archive, tmp_path: Path
) -> None:
    order = Order(limit=most, with_hidden=is_all)

    assert newest(root, Home(tmp_path / "none"), order) == list(synced.sessions(order=order))


@pytest.mark.parametrize("tool", [None, "Bash"])
def test_sessions_since_a_time(tool: str | None, tmp_path: Path) -> None:
    root, archive = samples_root(), Archive(Home(tmp_path / "home"))
    archive.sync([root], now=NOW)
    since = sorted(session.ended_at or "" for session in archive.sessions())[-5]
    filters = FilterSet(since=since, tool=tool)

    with ArchivePreview(Home(tmp_path / "none"), [root], NOW) as preview:
        preview.add_since(since)
        assert preview.waiting_sessions > 5
        for name in LISTS:
            assert list(getattr(preview, name)(filters)) == list(getattr(archive, name)(filters))
        assert preview.count("sessions", filters) == archive.count("sessions", filters) > 0
        assert preview.hidden_sessions(filters) == archive.hidden_sessions(filters)


def test_how_many_there_are_is_known_before_all_are_read(tmp_path: Path) -> None:
    root, archive = tmp_path / "claude", Archive(Home(tmp_path / "home"))
    shutil.copytree(samples_root(), root)
    SessionBuilder("silent").informational("Nobody says anything").write(root)
    archive.sync([root], now=NOW)

    with ArchivePreview(Home(tmp_path / "none"), [root], NOW) as preview:
        preview.add_newest(Order(limit=2))

        assert preview.waiting_sessions > 5
        assert preview.count("sessions") == archive.count("sessions") == len([*archive.sessions()])
        assert preview.hidden_sessions() == archive.hidden_sessions() == 1


def test_an_answer_of_an_older_session_is_inherited(tmp_path: Path) -> None:
    root = tmp_path / "claude"
    first = SessionBuilder().user("Begin").tools(bash("ls", "a")).assistant("Done.")
    first.write(root)
    [path] = root.rglob("*.jsonl")
    copy = path.with_name("99999999-9999-4999-8999-999999999999.jsonl")
    later = path.read_text().replace("2026-", "2027-").replace(path.stem, copy.stem)
    copy.write_text(later)

    [found] = newest(root, Home(tmp_path / "none"), Order(limit=1))

    assert found.id == copy.stem
    assert found.usage.quality.startswith("inherited")
    assert found.total_tokens == 0


def test_sessions_that_are_gone_come_from_the_archive(tmp_path: Path) -> None:
    root, archive = tmp_path / "claude", Archive(Home(tmp_path / "home"))
    SessionBuilder().user("An old one").assistant("Yes.").write(root)
    archive.sync([root], now=NOW)
    for path in root.rglob("*.jsonl"):
        path.unlink()

    with ArchivePreview(home_of(archive), [root], NOW) as preview:
        assert not preview.is_all_on_disk
        [found] = preview.sessions()
        assert found.first_prompt == "An old one"
        assert not found.is_on_disk


def test_nothing_at_all_is_empty(tmp_path: Path) -> None:
    with ArchivePreview(Home(tmp_path / "none"), [tmp_path], NOW) as preview:
        assert preview.is_empty
        assert preview.new_sessions == 0
