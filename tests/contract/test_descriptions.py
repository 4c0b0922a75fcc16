"""Descriptions, outcomes and titles of sessions, with digests and without, on both engines."""

import datetime as dt
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from clew.analytics import FilterSet
from clew.archive import Archive, Order
from clew.digest import Digest, Outcome, QuotedClaim, describe, find_outcome, gather_facts
from clew.preview import ArchivePreview
from clew.samples import samples_root
from clew.sessions import load
from clew.store import Home, KeptDigest, Location, SessionOverview, find_receipts, keep_digest
from clew.store.location import open_index_for_writing
from tests.build import SessionBuilder, bash

NOW = dt.datetime(2026, 11, 16, 12, tzinfo=dt.UTC)
ONE = SessionBuilder("one").session_id
TWO = SessionBuilder("two").session_id
SUMMARY = "The retry bug of the uploader was repaired."


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Write one session whose tests pass, and one that ends with an interruption."""
    folder = tmp_path / "root"
    first_session().write(folder)
    builder = (
        SessionBuilder("two").user("Rename the zebra module").assistant("I will begin at once.")
    )
    builder.user("Stop it").interrupt().write(folder)
    return folder


@pytest.fixture
def archive(location: Location, root: Path) -> Iterator[Archive]:
    with Archive(location) as opened:
        opened.sync([root], now=NOW, workers=1)
        yield opened


def first_session() -> SessionBuilder:
    builder = SessionBuilder("one").user("Please repair the uploader")
    builder = builder.tools(bash("uv run pytest -q", stdout="3 passed in 0.12s"))
    return builder.assistant("The uploader retries three times now.")


def keep(archive: Archive, session_id: str, **fields: object) -> KeptDigest:
    """Keep a digest of a session as it is archived now."""
    claim = QuotedClaim(SUMMARY, ("m1",), "The uploader retries three times now.", "assistant")
    digest = Digest(
        session_id=session_id,
        title="Uploader repaired",
        outcome=Outcome.PARTLY,
        summary=(claim,),
        model="claude-haiku-4-5",
    )
    database = open_index_for_writing(archive.location).database
    try:
        kept = KeptDigest(
            session_id=session_id,
            receipt=find_receipts(database)[session_id],
            model="claude-haiku-4-5",
            prompt_version=1,
            made_at="2026-11-16T12:00:00.000Z",
            digest=msgspec.structs.replace(digest, **fields),
            cost_nano_usd=1_200_000,
        )
        keep_digest(database, archive.location, kept)
    finally:
        database.close()
    return kept


def overview(archive: Archive, session_id: str) -> SessionOverview:
    return next(s for s in archive.sessions(order=Order(with_hidden=True)) if s.id == session_id)


def ids(archive: Archive, **filters: str) -> set[str]:
    return {session.id for session in archive.sessions(FilterSet(**filters))}


def test_facts_describe_every_sample(location: Location) -> None:
    with Archive(location) as archive:
        archive.sync([samples_root()], now=NOW)
        listed = list(archive.sessions())

    assert len(listed) > 10
    for session in listed:
        facts = gather_facts(load(session.path))
        assert (session.description, session.outcome) == (describe(facts), find_outcome(facts))
        assert session.digest_model is None
    assert {session.outcome for session in listed} >= {"done", "unclear"}


def test_a_session_is_described_by_its_digest_while_that_is_current(
    archive: Archive, root: Path
) -> None:
    before = overview(archive, ONE)
    assert before.description == "tests passed · The uploader retries three times now."
    assert before.outcome == "done"

    keep(archive, ONE)

    now = overview(archive, ONE)
    assert (now.description, now.outcome) == (SUMMARY, "partly")
    assert (now.digest_model, now.is_digest_stale) == ("claude-haiku-4-5", False)
    first_session().user("And the docs?").assistant("They are as they should be.").write(root)
    archive.sync([root], now=NOW, workers=1)
    grown = overview(archive, ONE)
    assert grown.description == "tests passed · They are as they should be."
    assert grown.outcome == "unclear"
    assert (grown.digest_model, grown.is_digest_stale) == ("claude-haiku-4-5", True)
    assert grown.title == "Uploader repaired"
    shown = archive.digest(ONE)
    assert shown.is_stale
    assert shown.summary[0].text == SUMMARY


def test_a_rebuild_does_not_make_a_digest_stale(archive: Archive, root: Path) -> None:
    keep(archive, ONE)
    before = overview(archive, ONE)

    archive.sync([root], now=NOW, rebuild=True, workers=1)

    assert overview(archive, ONE) == before


def test_outcomes_are_filtered_by_the_digest_while_that_is_current(
    archive: Archive, root: Path
) -> None:
    assert ids(archive, outcome="done") == {ONE}
    assert ids(archive, outcome="abandoned") == {TWO}
    assert archive.filter_values("outcome") == ["abandoned", "done"]
    keep(archive, ONE)
    assert ids(archive, outcome="done") == set()
    assert ids(archive, outcome="partly") == {ONE}
    assert [project.sessions for project in archive.projects(FilterSet(outcome="partly"))] == [1]
    assert {hit.session_id for hit in archive.search("outcome:partly uploader").hits} == {ONE}
    assert not archive.search("-outcome:partly uploader").hits
    first_session().user("And the docs?").assistant("They are as they should be.").write(root)
    archive.sync([root], now=NOW, workers=1)
    assert ids(archive, outcome="partly") == set()


def test_a_digest_names_a_session_that_nobody_gave_a_title(archive: Archive, root: Path) -> None:
    assert overview(archive, ONE).title_source == "first_prompt"

    keep(archive, ONE)

    named = ("Uploader repaired", "digest")
    session = archive.conversation(ONE).session
    assert (session.title, session.title_source) == named
    assert (archive.load(ONE, [root]).session.title) == named[0]
    listed = overview(archive, ONE)
    assert (listed.title, listed.title_source) == named
    assert archive.session_labels()[ONE].title == named[0]
    archive.sync([root], now=NOW, rebuild=True, workers=1)
    assert overview(archive, ONE).title == named[0]
    keep(archive, ONE, title="")
    assert overview(archive, ONE).title_source == "first_prompt"


@pytest.mark.parametrize("kind", ["custom_title", "ai_title"])
def test_a_title_of_the_client_comes_before_that_of_a_digest(
    location: Location, tmp_path: Path, kind: str
) -> None:
    getattr(first_session(), kind)("My uploader").write(tmp_path / "root")
    with Archive(location) as archive:
        archive.sync([tmp_path / "root"], now=NOW, workers=1)
        keep(archive, ONE)

        assert overview(archive, ONE).title == "My uploader"
        assert archive.conversation(ONE).session.title == "My uploader"
        archive.sync([tmp_path / "root"], now=NOW, rebuild=True, workers=1)
        assert overview(archive, ONE).title == "My uploader"


def test_an_old_title_comes_before_that_of_a_digest(location: Location, tmp_path: Path) -> None:
    builder = first_session().remember("end")
    builder.write(tmp_path / "root")
    with Archive(location) as archive:
        archive.sync([tmp_path / "root"], now=NOW, workers=1)
        keep(archive, ONE)
        other = SessionBuilder("other").summary("An old name", leaf=builder.uuid_of("end"))
        other.user("Something else").write(tmp_path / "root")
        archive.sync([tmp_path / "root"], now=NOW, workers=1)

        listed = overview(archive, ONE)
        assert (listed.title, listed.title_source) == ("An old name", "summary")
        assert archive.conversation(ONE).session.title == "An old name"


def test_digests_are_searched_where_they_are_asked_for(archive: Archive) -> None:
    keep(archive, ONE)

    found = archive.search("in:digest repaired").hits
    assert [(hit.session_id, str(hit.field), hit.message_id) for hit in found] == [
        (ONE, "digest", None)
    ]
    assert "repaired" in found[0].snippet.text
    assert not archive.search("in:digest zebra").hits
    assert {hit.session_id for hit in archive.search('in:digest "begin at once"').hits} == {TWO}
    assert {hit.session_id for hit in archive.search("in:digest /REPAIR(ED)/i").hits} == {ONE}
    assert {hit.session_id for hit in archive.search("in:digest outcome:abandoned").hits} == {TWO}
    fields = {str(hit.field) for hit in archive.search("bug").hits}
    assert "digest" not in fields
    assert "digest" in {str(hit.field) for hit in archive.search("bug in:all").hits}
    assert not archive.search("in:digest repaired tool:Bash").hits


def test_versions_change_with_a_digest(archive: Archive) -> None:
    before = (archive.version(), archive.session_version(ONE), archive.session_version(TWO))

    keep(archive, ONE)

    after = (archive.version(), archive.session_version(ONE), archive.session_version(TWO))
    assert [one != other for one, other in zip(before, after, strict=True)] == [True, True, False]


def test_without_a_digest_there_is_an_extract(archive: Archive) -> None:
    assert archive.kept_digest(ONE) is None
    extract = archive.digest(ONE)
    assert (extract.model, extract.made_at, extract.is_stale) == ("extract", None, False)
    assert extract.description == overview(archive, ONE).description
    keep(archive, ONE)
    kept = archive.digest(ONE)
    assert (kept.model, kept.description) == ("claude-haiku-4-5", SUMMARY)


def test_a_copy_of_an_archive_has_its_digests(archive: Archive, tmp_path: Path) -> None:
    keep(archive, ONE)
    destination = Archive(Home(tmp_path / "copy"))

    report = archive.copy_to(destination, now=NOW, workers=1)

    with destination:
        assert report.digests_copied == 1
        assert destination.digest(ONE) == archive.digest(ONE)
        assert overview(destination, ONE).title == "Uploader repaired"
        assert not overview(destination, ONE).is_digest_stale
        assert len(list(Home(tmp_path / "copy").digests.iterdir())) == 1
        assert archive.copy_to(destination, now=NOW, workers=1).digests_copied == 0


def test_a_preview_tells_that_a_digest_is_stale(tmp_path: Path) -> None:
    home, root = Home(tmp_path / "home"), tmp_path / "root"
    first_session().write(root)
    with Archive(home) as archive:
        archive.sync([root], now=NOW, workers=1)
        keep(archive, ONE)
    first_session().user("And the docs?").assistant("They are as they should be.").write(root)
    with ArchivePreview(home, [root], NOW) as preview:
        preview.add_all()
        seen = list(preview.sessions())
        total = preview.usage(FilterSet(outcome="unclear")).totals
    with Archive(home) as archive:
        archive.sync([root], now=NOW, workers=1)
        assert seen == list(archive.sessions())
        assert seen[0].is_digest_stale
        assert total == archive.usage(FilterSet(outcome="unclear")).totals


def test_a_digest_of_more_messages_than_are_archived_is_stale(archive: Archive, root: Path) -> None:
    keep(archive, ONE)
    assert not (archive.kept_digest(ONE, archive.load(ONE, [root])) or archive.digest(ONE)).is_stale

    first_session().user("And the docs?").assistant("They are as they should be.").write(root)

    grown = archive.kept_digest(ONE, archive.load(ONE, [root]))
    assert grown is not None
    assert grown.is_stale
