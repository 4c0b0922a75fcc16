"""Lists, hits, files and notices, drawn."""

import datetime as dt

import msgspec
import pytest

from clew.archive import open_archive
from clew.render.site import (
    APP,
    SITE,
    BasePage,
    ListPage,
    render_notice,
    render_rows,
    render_sessions,
)
from clew.render.site.archived_files import (
    ArchivedFileRow,
    ArchivedFilesPage,
    render_archived_files,
)
from clew.render.site.base import asset_names, asset_text
from clew.render.site.files import EditDiff, FilePage, FilesPage, render_file, render_files
from clew.render.site.search import (
    SearchHit,
    SearchPage,
    group_by_time,
    group_hits,
    narrowing_filters,
    render_search,
    render_site_search,
)
from clew.samples import samples_root
from clew.store import SessionOverview

SHELL = BasePage(urls=APP, assets="/assets/x", nonce="n")


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> SessionOverview:
    with open_archive(tmp_path_factory.mktemp("archive")) as archive:
        archive.sync([samples_root()])
        return next(iter(archive.sessions()))


def rows(*sessions: SessionOverview, **more: object) -> str:
    page = msgspec.structs.replace(ListPage(sessions=sessions), **more)
    return render_rows(page, APP).replace("&#x2f;", "/")


def hit(session_id: str, text: str = "some words", **more: object) -> SearchHit:
    plain = SearchHit(
        session_id=session_id,
        title="A title",
        project="/home/dev/demo",
        field="prompt",
        message_id="m1",
        at="2026-11-01T09:00:00Z",
        text=text,
        marks=[(5, 10)],
    )
    return msgspec.structs.replace(plain, **more)


def test_a_session_without_anything_still_has_a_row(session: SessionOverview) -> None:
    bare = msgspec.structs.replace(
        session,
        title="",
        first_prompt="",
        ended_at=None,
        git_branch="HEAD",
        cost_usd=None,
        description="",
        outcome="unclear",
    )
    found = rows(bare)

    assert "Untitled session" in found
    assert "Without a date" in found
    assert "unpriced" in found
    assert found.partition('class="where"')[2].count("<span>") == 1


def test_a_row_counts_calls_and_money_as_people_do(session: SessionOverview) -> None:
    usage = msgspec.structs.replace(session.usage, quality="lower_bound")
    small = msgspec.structs.replace(session, tool_calls=1, cost_usd=0.0042, usage=usage)

    found = rows(small)

    assert '1<span class="unit"> call</span>' in found
    assert ">≥</span> $0.0042" in found


def test_a_long_title_is_cut(session: SessionOverview) -> None:
    assert "x" * 119 + "…" in rows(msgspec.structs.replace(session, title="x" * 300))


def test_a_session_that_grows_is_marked(session: SessionOverview) -> None:
    assert 'class="pulse"' in rows(session, live=frozenset([session.id]))
    assert 'class="pulse"' not in rows(session)


def test_the_shape_of_a_session_has_a_path_for_each_kind(session: SessionOverview) -> None:
    found = rows(session, shapes={session.id: [(0, 2, 2, 0), (3, 0, 4, 1)]})

    assert '<path class="talk" d="M0 7h3v7h-3z"/>' in found
    assert '<path class="tools" d="M0 0h3v7h-3zM12 0h3v14h-3z"/>' in found
    assert '<path class="bad" d="M12 11h3v3h-3z"/>' in found


def test_days_are_those_of_the_reader(session: SessionOverview) -> None:
    late = msgspec.structs.replace(session, ended_at="2026-11-01T23:30:00Z")

    assert "Monday, 2 November 2026" in rows(late, zone=dt.timezone(dt.timedelta(hours=2)))
    assert "Sunday, 1 November 2026" in rows(late)


def test_every_number_of_a_row_is_a_link(session: SessionOverview) -> None:
    one = msgspec.structs.replace(session, id="x y", errors=3, tool_calls=9, project="/srv/cli")

    found = rows(one)

    for link in (
        "/search?q=is%3Aerror+in%3Aall&amp;session=x%20y",
        "/sessions/x%20y?detail=tools",
        "/sessions/x%20y/timeline",
        "/sessions/x%20y/context",
        "/usage?session=x%20y",
        "/sessions?repository=%2Fsrv%2Fcli",
    ):
        assert f'href="{link}"' in found
    site = render_rows(ListPage(sessions=[one]), SITE)
    assert site.count("<a ") == 1


def test_a_worktree_stands_behind_its_repository(session: SessionOverview) -> None:
    one = msgspec.structs.replace(session, project="/srv/cli/.worktrees/4")

    found = rows(one)

    assert ">cli</bdi></a> / <a" in found
    assert 'href="/sessions?project=%2Fsrv%2Fcli%2F.worktrees%2F4"' in found


def test_a_trouble_is_told_above_the_list(session: SessionOverview) -> None:
    page = ListPage(sessions=[session], trouble="the disk is full")

    assert "The disk is full" in render_sessions(page, SHELL)


def test_all_hits_of_a_session_stand_together() -> None:
    found = group_hits([hit("a"), hit("a", "more words"), hit("b", message_id=None)], APP)

    assert [len(one.hits) for one in found] == [2, 1]
    assert found[0].hits[0].url == "/sessions/a#m-m1"
    assert found[1].hits[0].url == "/sessions/b"
    parted = group_hits([hit("a"), hit("b"), hit("a", "more words")], APP)
    assert [(one.url, len(one.hits)) for one in parted] == [("/sessions/a", 2), ("/sessions/b", 1)]
    assert [(piece.text, piece.is_marked) for piece in found[0].hits[0].pieces] == [
        ("some ", False),
        ("words", True),
    ]


def test_the_same_text_of_a_session_is_one_line() -> None:
    again = [
        hit("a", message_id=f"m{number}", at=f"2026-11-01T09:0{number}:00Z") for number in range(3)
    ]
    found = group_hits([*again, hit("a", field="answer"), hit("b", text="some  words")], APP)

    assert [(line.field, line.count) for line in found[0].hits] == [("Prompt", 3), ("Answer", 1)]
    assert [(place.url, place.at) for place in found[0].hits[0].others] == [
        ("/sessions/a#m-m1", "2026-11-01T09:01:00Z"),
        ("/sessions/a#m-m2", "2026-11-01T09:02:00Z"),
    ]
    assert [one.count for one in found] == [4, 1]
    drawn = render_search(SearchPage(query="x", sessions=found), SHELL)
    assert "The same text 2 more times" in drawn
    assert drawn.count(">4 hits<") == 1


@pytest.mark.parametrize(("hits", "shown"), [(3, 3), (4, 4), (5, 3), (20, 3)])
def test_three_hits_of_a_session_are_shown_and_the_others_on_request(hits: int, shown: int) -> None:
    found = [hit("a", text=f"some words {number}") for number in range(hits)]
    (one,) = group_hits(found, APP)
    (opened,) = group_hits(found, APP, opened=["a"])
    drawn = render_search(SearchPage(query="x", sessions=[one]), SHELL)

    assert (len(one.first), one.rest_count) == (shown, hits - shown)
    assert f"<span data-rest-count>{hits - shown}</span> more in this session" in drawn
    assert ('data-rest="a" hidden' in drawn) == (hits == shown)
    assert (
        'data-rest="a" open' in render_search(SearchPage(query="x", sessions=[opened]), SHELL)
    ) == (hits > shown)


def test_a_day_shows_all_its_hits() -> None:
    found = [hit("a", text=f"some words {number}") for number in range(9)]
    (day,) = group_by_time([*found, *found], APP, dt.UTC)

    assert (len(day.first), day.count, list(day.rest)) == (9, 18, [])


def test_a_search_leads_on_and_narrows() -> None:
    page = SearchPage(
        query="x",
        sessions=group_hits([hit("a", copies=2)], APP),
        total=7,
        is_exact=False,
        more=APP.search_results("x", [("cursor", "c")]),
        chips=narrowing_filters("x", {"in": "all"}, APP),
        notes=["slow"],
        took_ms=1.23,
    )
    found = render_search(page, SHELL).replace("&#x2f;", "/")

    assert "At least 7 hits in 1.2 ms" in found
    assert "also in 2 other sessions" in found
    assert "/search?q=x+in%3Aall" in found
    assert narrowing_filters("x in:all", {"in": "all"}, APP) == []


def test_lists_of_files_may_be_empty() -> None:
    assert "No files match this path." in render_files(FilesPage(), SHELL)
    assert "No session read or changed this file." in render_file(FilePage(path="a"), SHELL)


def test_changes_that_are_left_out_are_told() -> None:
    edit = EditDiff(
        session_id="s", title="", at="", tool="EditDiff", call_id="c", url="/x", body="<p>d</p>"
    )
    found = render_file(FilePage(path="a", edits=[edit], left_out=3), SHELL)

    assert "3 older changes not shown" in found
    assert "<p>d</p>" in found


def test_kept_files_say_whether_they_are_still_there() -> None:
    row = ArchivedFileRow(
        path="a.jsonl", kind="tool_result", size_bytes=5, is_on_disk=False, url="/x"
    )
    found = render_archived_files(ArchivedFilesPage(title="", session="/s", rows=[row]), SHELL)

    assert "No, archived only" in found
    assert "Tool result" in found


def test_a_notice_may_wait() -> None:
    assert "data-waits" in render_notice("t", "x", SHELL, ["clew"], waits_for="session")
    assert "data-waits" not in render_notice("t", "x", SHELL)


def test_a_page_of_files_alone_holds_all_it_needs() -> None:
    found = render_site_search("", BasePage(urls=SITE))

    assert "Content-Security-Policy" in found
    assert "sha256-" in found
    assert 'src="' not in found
    assert 'href="usage.html"' in found


def test_pages_of_files_lead_nowhere_that_must_be_asked() -> None:
    assert SITE.filtered_sessions(project="a") == ""
    assert SITE.file("a") == ""
    assert SITE.search_results("a") == ""
    assert SITE.timeline("a") == ""
    assert SITE.session("a b") == "sessions/a%20b.html"
    assert APP.timeline("a b") == "/sessions/a%20b/timeline"


@pytest.mark.parametrize("name", asset_names())
def test_every_asset_is_there(name: str) -> None:
    assert asset_text(name)
