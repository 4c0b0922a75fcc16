"""Characters that no database takes: rows have others in their place, on every backend alike."""

import datetime as dt
from pathlib import Path

import pytest

from clew.analytics import FilterSet
from clew.archive import Archive
from clew.preview import ArchivePreview
from clew.sessions import load
from clew.store import Home, Order, list_file_uses, list_sessions
from tests.build import SessionBuilder, bash, read
from tests.contract.backends import Backend, reading, rows_of, write_sessions, writing

NOW = dt.datetime(2026, 11, 15, tzinfo=dt.UTC)
LONG = "needle\0" + "x\0y " * 2_000 + "the end"


def odd() -> SessionBuilder:
    """Return a session with NUL in a title, a path and texts."""
    session = SessionBuilder("odd", cwd="/x/a\0b").branch("a\0b").user("a\0b")
    session.tools(read("/x/c\0d", "1\tfirst\0line\n"), bash("cat", LONG))
    return session.custom_title("title\0").assistant("done")


@pytest.fixture
def written(backend: Backend, tmp_path: Path) -> Backend:
    """Give a backend with that session."""
    with writing(backend) as index:
        write_sessions(index, [rows_of(odd(), tmp_path / "odd")])
    return backend


def test_lists_have_storable_texts(written: Backend) -> None:
    with reading(written) as reader:
        [found] = list_sessions(reader.database, FilterSet(), Order())

    assert found.project == "/x/a b"
    assert found.title == "title "
    assert found.first_prompt == found.git_branch == "a b"


@pytest.mark.parametrize("path", ["/x/c\0d", "/x/c d"])
def test_a_value_is_found_as_it_was_and_as_rows_have_it(written: Backend, path: str) -> None:
    with reading(written) as reader:
        found = list(list_file_uses(reader.database, FilterSet(), Order(), path))

    assert [use.path for use in found] == ["/x/c d"]


def test_a_long_text_is_read_whole(tmp_path: Path) -> None:
    odd().write(tmp_path / "root")
    with Archive(Home(tmp_path / "home")) as archive:
        archive.sync([tmp_path / "root"], now=NOW)
        query = "SELECT is_cut, block_text(id) FROM block WHERE text LIKE 'needle%'"
        [(is_cut, text)] = archive.query(query).rows

    assert is_cut == 1
    assert text == LONG.replace("\0", " ")


def test_a_search_finds_what_stands_beside_them(tmp_path: Path) -> None:
    odd().write(tmp_path / "root")
    with Archive(Home(tmp_path / "home")) as archive:
        archive.sync([tmp_path / "root"], now=NOW)
        queries = ("needle", '"needle\0x"', '"first\0"')
        found = [archive.search(f"{text} in:result").total for text in queries]

    assert found == [1, 1, 1]


def test_files_and_archive_show_the_same(tmp_path: Path) -> None:
    other = SessionBuilder("other").user("Hello").assistant("Hi")
    other.write(tmp_path / "root")
    odd().write(tmp_path / "root")
    beside = SessionBuilder("beside").user("Bye")
    beside.summary("old\0title", leaf=other.rows[-1]["uuid"]).write(tmp_path / "root")
    with Archive(Home(tmp_path / "home")) as archive:
        archive.sync([tmp_path / "root"], now=NOW)
        with ArchivePreview(Home(tmp_path / "empty"), [tmp_path / "root"], NOW) as preview:
            preview.add_all()
            listed = list(preview.sessions())
        shown = load(other.session_id, [tmp_path / "root"])

        assert listed == list(archive.sessions())
        assert {session.title for session in listed} == {"title ", "old title", "Bye"}
        assert shown.session == archive.conversation(other.session_id).session
        assert shown.session.title == "old title"
