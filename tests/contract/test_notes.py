"""What readers add to sessions is kept, on a laptop and a server, whatever happens to the rows."""

import datetime as dt
import json
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from clew.archive import Archive, FilterSet, Order
from clew.errors import NotFoundError, SessionNotFoundError, UsageError
from clew.notes import Bookmark, NoteChange, SessionNote
from clew.store import Home, Location, note_path
from tests.build import SessionBuilder

NOW = dt.datetime(2026, 11, 16, 12, tzinfo=dt.UTC)
LATER = NOW + dt.timedelta(hours=1)
ONE = SessionBuilder("one").session_id
TWO = SessionBuilder("two").session_id
TITLE = "Retries, at last"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name, prompt in (("one", "Fix the retry bug"), ("two", "Write the docs")):
        SessionBuilder(name).user(prompt).assistant("Done.").user("Thanks").write(tmp_path / "root")
    return tmp_path / "root"


@pytest.fixture
def archive(location: Location, root: Path) -> Iterator[Archive]:
    with Archive(location) as opened:
        opened.sync([root], now=NOW, workers=1)
        yield opened


def mark(archive: Archive) -> SessionNote:
    """Add all there is to one session, and hide the other."""
    message = archive.conversation(ONE).messages[1].id
    change = NoteChange(
        star=True,
        title=TITLE,
        text="Breaks on 503.\nSee the log.",
        add_tags=("Bug", "open question"),
        add_bookmarks=(Bookmark(message, "the cause"),),
    )
    [note] = archive.change_notes([ONE[:13]], change, NOW)
    archive.change_notes([TWO], NoteChange(hidden=True, add_tags=("docs",)), NOW)
    return note


def test_a_note_is_kept_as_it_was_written(archive: Archive) -> None:
    note = mark(archive)

    message = archive.conversation(ONE).messages[1].id
    at = "2026-11-16T12:00:00.000Z"
    assert note == SessionNote(
        session_id=ONE,
        is_starred=True,
        title=TITLE,
        text="Breaks on 503.\nSee the log.",
        tags=("Bug", "open question"),
        bookmarks=(Bookmark(message, "the cause", at),),
        changed_at=at,
    )
    assert archive.note(ONE) == note
    assert {one.session_id for one in archive.notes()} == {ONE, TWO}
    columns = "session_id, is_starred, is_hidden, title, tags"
    found = archive.query(f"SELECT {columns} FROM note ORDER BY is_hidden").rows  # noqa: S608
    assert [(row[0], row[1], row[2], row[3], json.loads(str(row[4]))) for row in found] == [
        (ONE, 1, 0, TITLE, ["Bug", "open question"]),
        (TWO, 0, 1, "", ["docs"]),
    ]
    marked = archive.query("SELECT session_id, message_id, comment FROM bookmark").rows
    assert list(marked) == [(ONE, message, "the cause")]


def test_a_change_leaves_the_rest(archive: Archive) -> None:
    before = mark(archive)

    [after] = archive.change_notes(
        [ONE], NoteChange(star=False, remove_tags=("bug",), add_tags=("new",)), LATER
    )

    expected = msgspec.structs.replace(
        before, is_starred=False, tags=("new", "open question"), changed_at=after.changed_at
    )
    assert after == archive.note(ONE) == expected
    assert after.changed_at > before.changed_at


def test_bookmarks_are_replaced_and_removed(archive: Archive) -> None:
    before = mark(archive).bookmarks[0]
    other = archive.conversation(ONE).messages[0].id

    [after] = archive.change_notes(
        [ONE], NoteChange(add_bookmarks=(Bookmark(before.message_id, "why"),)), LATER
    )
    assert after.bookmarks == (Bookmark(before.message_id, "why", before.made_at),)
    archive.change_notes([ONE], NoteChange(add_bookmarks=(Bookmark(other),)), LATER)
    archive.change_notes([ONE], NoteChange(remove_bookmarks=(before.message_id,)), LATER)

    assert [one.message_id for one in archive.note(ONE).bookmarks] == [other]
    with pytest.raises(NotFoundError, match="no message whose id starts with 'nothing'"):
        archive.change_notes([ONE], NoteChange(add_bookmarks=(Bookmark("nothing"),)))
    with pytest.raises(NotFoundError, match="no message"):
        archive.change_notes([ONE], NoteChange(add_bookmarks=(Bookmark(""),)))
    with pytest.raises(UsageError, match="belongs to one session"):
        archive.change_notes([ONE, TWO], NoteChange(add_bookmarks=(Bookmark(other),)))


def test_several_sessions_are_changed_together_or_not_at_all(archive: Archive) -> None:
    with pytest.raises(SessionNotFoundError):
        archive.change_notes([ONE, "nothing"], NoteChange(star=True))
    with pytest.raises(UsageError, match="use 200 at most"):
        archive.change_notes([ONE, TWO], NoteChange(star=True, title="x" * 201))
    with pytest.raises(UsageError, match="nothing to change"):
        archive.change_notes([ONE], NoteChange())
    assert archive.notes() == []

    archive.change_notes([ONE, TWO, ONE], NoteChange(star=True, add_tags=("both",)))

    assert [note.tags for note in archive.notes()] == [("both",)] * 2


def test_the_own_title_wins_everywhere(archive: Archive) -> None:
    mark(archive)

    [session] = archive.sessions()
    assert (session.title, session.title_source) == (TITLE, "note")
    assert archive.conversation(ONE).session.title == TITLE
    assert archive.conversation(ONE).session.title_source == "note"
    assert archive.session_labels([ONE])[ONE].title == TITLE
    assert {hit.title for hit in archive.search("retries in:title").hits} == {TITLE}
    assert {hit.title for hit in archive.search("done").hits} == {TITLE}
    assert not archive.search("bug in:title").hits

    archive.change_notes([ONE], NoteChange(title=""))

    assert next(archive.sessions()).title == "Fix the retry bug"
    assert archive.conversation(ONE).session.title == "Fix the retry bug"


def test_lists_show_what_was_added(archive: Archive) -> None:
    mark(archive)

    [session] = archive.sessions()

    assert session.is_starred
    assert session.tags == ("Bug", "open question")
    assert session.note == "Breaks on 503.\nSee the log."
    assert (session.bookmarks, session.is_hidden) == (1, False)


def test_hidden_sessions_are_left_out_of_lists_and_searches_but_counted(archive: Archive) -> None:
    before = archive.usage().totals
    mark(archive)
    everything = Order(with_hidden=True)

    assert [session.id for session in archive.sessions()] == [ONE]
    assert archive.count("sessions") == 1
    assert {session.id for session in archive.sessions(order=everything)} == {ONE, TWO}
    assert [session.id for session in archive.sessions(FilterSet(hidden="yes"))] == [TWO]
    counts = archive.hidden_counts()
    assert (counts.silent, counts.put_away, archive.hidden_sessions()) == (0, 1, 1)
    assert archive.hidden_counts(FilterSet(hidden="yes")).put_away == 0
    found = archive.search("done")
    assert {hit.session_id for hit in found.hits} == {ONE}
    assert found.hidden_sessions == 1
    assert {hit.session_id for hit in archive.search("done", with_hidden=True).hits} == {ONE, TWO}
    assert {hit.session_id for hit in archive.search("done hidden:yes").hits} == {TWO}
    assert {hit.session_id for hit in archive.search("done hidden:no").hits} == {ONE}
    assert archive.usage().totals == before


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (FilterSet(starred="yes"), {ONE}),
        (FilterSet(starred="no"), {TWO}),
        (FilterSet(tag="bug"), {ONE}),
        (FilterSet(tag="*o*"), {ONE, TWO}),
        (FilterSet(tag="nothing"), set()),
        (FilterSet(hidden="no"), {ONE}),
        (FilterSet(hidden="yes", tag="docs"), {TWO}),
    ],
)
def test_filters_select_by_notes(archive: Archive, filters: FilterSet, expected: set[str]) -> None:
    mark(archive)

    assert {one.id for one in archive.sessions(filters, Order(with_hidden=True))} == expected
    assert archive.matching_sessions(filters) == expected
    assert {row.key for row in archive.usage(filters, "session").rows} == expected
    assert archive.filter_values("tag") == ["Bug", "docs", "open question"]


def test_notes_change_the_versions_that_caches_go_by(archive: Archive) -> None:
    before, of_one, of_two = archive.version(), *map(archive.session_version, (ONE, TWO))

    archive.change_notes([ONE], NoteChange(star=True), NOW)
    between = archive.version()
    archive.change_notes([ONE], NoteChange(star=False), NOW)

    assert len({before, between, archive.version()}) == 3
    assert archive.session_version(ONE) != of_one
    assert archive.session_version(TWO) == of_two


def test_notes_survive_a_rebuild_and_the_loss_of_the_transcript(
    archive: Archive, root: Path
) -> None:
    note = mark(archive)
    for path in root.rglob("*.jsonl"):
        path.unlink()

    archive.sync([root], now=LATER, workers=1)
    archive.sync([root], now=LATER, rebuild=True, workers=1)

    assert archive.note(ONE) == note
    assert [session.title for session in archive.sessions()] == [TITLE]


def test_notes_are_copied_unless_there_are_later_ones(
    archive: Archive, root: Path, tmp_path: Path
) -> None:
    note = mark(archive)
    other = Archive(Home(tmp_path / "copy"))
    other.sync([root], now=NOW, workers=1)
    other.change_notes([TWO], NoteChange(text="later"), LATER)

    report = archive.copy_to(other, now=NOW, workers=1)

    assert report.notes_copied == 1
    assert other.note(ONE) == note
    assert other.note(TWO).text == "later"
    assert archive.copy_to(other, now=NOW, workers=1).notes_copied == 0


def test_a_cleared_note_does_not_come_back_with_a_copy(archive: Archive, tmp_path: Path) -> None:
    mark(archive)
    other = Archive(Home(tmp_path / "copy"))
    archive.copy_to(other, now=NOW, workers=1)

    [cleared] = other.change_notes([ONE], NoteChange(clear=True), LATER)

    assert cleared.is_empty
    assert archive.copy_to(other, now=NOW, workers=1).notes_copied == 0
    assert [note.session_id for note in other.notes()] == [TWO]


def test_an_exported_file_gives_all_notes_back(archive: Archive, tmp_path: Path) -> None:
    mark(archive)
    lines = list(archive.export_notes())
    notes = archive.notes()
    archive.change_notes([ONE, TWO], NoteChange(clear=True), NOW)

    assert archive.import_notes(lines) == 0
    other = Archive(Home(tmp_path / "other"))
    other.sync([], now=NOW, workers=1)
    assert other.import_notes(lines) == 2
    assert other.notes() == notes
    assert [json.loads(line)["session_id"] for line in lines] == [n.session_id for n in notes]
    assert len(list(archive.export_notes([ONE]))) == 0
    with pytest.raises(UsageError, match="line 2 is not a note"):
        other.import_notes([lines[0], b'{"session_id": 1}'])


def test_notes_survive_the_loss_of_the_database(root: Path, tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    archive = Archive(home)
    archive.sync([root], now=NOW, workers=1)
    note = mark(archive)
    archive.close()
    for path in home.folder.glob("archive.db*"):
        path.unlink()
    (home.notes / "other.json").write_text("not a note")

    archive.sync([root], now=NOW, workers=1)

    assert archive.note(ONE) == note
    assert len(archive.notes()) == 2
    assert note_path(home, ONE).stat().st_mode & 0o077 == 0


def test_nothing_is_known_of_sessions_without_an_archive(tmp_path: Path) -> None:
    archive = Archive(Home(tmp_path / "none"))

    assert archive.notes() == []
    with pytest.raises(NotFoundError, match="run `clew sync`"):
        archive.note(ONE)
    with pytest.raises(NotFoundError, match="run `clew sync`"):
        archive.import_notes([])
