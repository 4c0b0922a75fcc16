"""Every filter selects the same sessions on every surface, from the archive and from files."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
from click.testing import CliRunner, Result

import clew
from clew.analytics import (
    FILTERS,
    Filter,
    FilterSet,
    ScanOptions,
    Thing,
    find_filter,
    scan,
    summarise,
)
from clew.archive import Archive, Order, open_archive
from clew.cli.app import app
from clew.clock import LocalZone
from clew.digest import outcome_of_files
from clew.notes import NoteChange
from clew.samples import samples_root
from clew.store import Home
from clew.web import Settings
from tests.recordings import HERE, recordings
from tests.web.serving import client_for, serving

ROOTS: Final = (samples_root(), *(recording.root for recording in recordings(HERE)))
VALUES: Final = {
    "project": ["tessera", "/home", "nothing"],
    "branch": ["main", "*a*", "*", ""],
    "model": ["haiku", "claude-opus", "nothing"],
    "tool": ["Bash", "re*", "nothing"],
    "agent": ["Explore", "gen*", "nothing"],
    "session": ["", "0", "nothing"],
    "since": ["2026-10-01", "2026-11-10T12:00", "2000-01-01"],
    "until": ["2026-10-01", "2026-11-10T12:00", "2000-01-01"],
    "entrypoint": ["cli", "sdk-*", "*", ""],
    "client_version": ["2.1", "2", "2.1.47", "v2.1.47", "2.1.4", "9"],
    "outcome": ["done", "partly", "ABANDONED", "unclear"],
    "starred": ["yes", "no", "true", "0"],
    "tag": ["bug", "*u*", "nothing"],
    "hidden": ["yes", "no"],
}
WRONG: Final = {
    "since": "soon",
    "until": "7 x",
    "client_version": "new*",
    "outcome": "great",
    "starred": "maybe",
    "hidden": "2",
}
CASES: Final = [(name, value) for name, values in VALUES.items() for value in values]
# Files have no notes.
IN_FILES: Final = [case for case in CASES if not find_filter(case[0]).is_of_notes]
ALL: Final = Order(with_hidden=True)
EVERYTHING: Final = "since:2000-01-01 in:all"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the folder of an archive with all samples and recordings."""
    folder = tmp_path_factory.mktemp("archive")
    with open_archive(folder) as archive:
        archive.sync(ROOTS)
        names = [session.id for session in archive.sessions()]
        archive.change_notes(names[:3], NoteChange(star=True, add_tags=("bug",)))
        archive.change_notes(names[2:5], NoteChange(hidden=True, add_tags=("docs",)))
    return folder


@pytest.fixture(scope="module")
def archive(home: Path) -> Iterator[Archive]:
    with open_archive(home) as opened:
        yield opened


@pytest.fixture(scope="module")
def client(home: Path) -> Iterator[httpx.Client]:
    settings = Settings(port=0, location=Home(home), roots=(), is_followed=False)
    with serving(settings) as address, client_for(address) as asking:
        yield asking


def listed(archive: Archive, name: str, value: str) -> set[str]:
    """Give the sessions that SQL selects."""
    filters = clew.Filters(**{name: value})
    return {session.id for session in archive.sessions(filters, ALL)}


def run(home: Path, *words: str) -> Result:
    return CliRunner(env={"CLEW_HOME": str(home)}).invoke(app, words)


def found(archive: Archive, query: str, filters: FilterSet | None = None) -> set[tuple[str, Any]]:
    """Give all hits, page by page: a page that takes long need not be full."""
    found: set[tuple[str, Any]] = set()
    offset: int | None = 0
    while offset is not None:
        page = archive.search(
            query, limit=5_000, offset=offset, with_hidden=True, filters=filters or FilterSet()
        )
        found |= {(hit.session_id, hit.message_id) for hit in page.hits}
        offset = page.next_offset
    return found


def test_every_filter_is_tried() -> None:
    assert list(VALUES) == [each.name for each in FILTERS]


@pytest.mark.parametrize(("name", "value"), CASES)
def test_a_filter_selects_the_same_sessions_by_command_line_and_api(
    home: Path, archive: Archive, client: httpx.Client, name: str, value: str
) -> None:
    expected = listed(archive, name, value)
    word = find_filter(name).word

    told = run(home, "list", f"--{word}", value, "--all", "--no-sync", "--json").output
    assert {session["id"] for session in json.loads(told)["sessions"]} == expected
    if value:
        asked = {name: value, "with_hidden": "true", "limit": "1000"}
        answer = client.get("/api/sessions", params=asked).json()
        assert {session["id"] for session in answer["sessions"]} == expected


@pytest.mark.parametrize(("name", "value"), CASES)
def test_a_filter_selects_the_same_hits_as_an_option_and_in_a_query(
    archive: Archive, name: str, value: str
) -> None:
    each = find_filter(name)
    hits = found(archive, EVERYTHING, clew.Filters(**{name: value}))
    if value:
        assert found(archive, f'{EVERYTHING} {each.word}:"{value}"') == hits
    sessions, expected = {session for session, _ in hits}, listed(archive, name, value)
    if Thing.HIT in each.own:
        assert sessions <= expected
    else:
        assert sessions == expected & {session for session, _ in found(archive, EVERYTHING)}


@pytest.mark.parametrize(("name", "value"), IN_FILES)
def test_a_filter_counts_the_same_sessions_in_the_archive_and_in_files(
    archive: Archive, name: str, value: str
) -> None:
    filters, zone = clew.Filters(**{name: value}), LocalZone()
    options = ScanOptions(
        filters=filters, with_agents=name == "agent", find_outcome=outcome_of_files
    )
    scanned = scan(ROOTS, options, workers=1)
    from_files = summarise(scanned.sums, "session", zone, filters)

    kept = archive.usage(filters, "session", zone)

    assert {row.key: row.total_tokens for row in from_files.rows} == {
        row.key: row.total_tokens for row in kept.rows
    }


@pytest.mark.parametrize("each", FILTERS, ids=lambda each: each.name)
def test_some_value_of_each_filter_selects_some_sessions_and_not_others(
    archive: Archive, each: Filter
) -> None:
    total = sum(1 for _ in archive.sessions(order=ALL))

    counts = [len(listed(archive, each.name, value)) for value in VALUES[each.name]]

    assert any(0 < count < total for count in counts)


@pytest.mark.parametrize(
    "command",
    [
        *(["list", what] for what in ("sessions", "projects", "tool-calls", "agent-runs", "files")),
        ["list", "files", "--path", "*"],
        ["search", "the"],
        ["usage"],
        ["usage", str(samples_root())],
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("each", FILTERS, ids=lambda each: each.name)
def test_every_command_that_lists_or_finds_takes_every_filter(
    home: Path, command: list[str], each: Filter
) -> None:
    done = run(home, *command, f"--{each.word}", VALUES[each.name][0], "--no-sync", "--json")

    assert done.exit_code in (0, 3), done.output


def test_the_help_of_search_names_every_filter_in_a_query(home: Path) -> None:
    told = run(home, "search", "--help").output.split("Examples:")[0]

    assert all(f"  {each.word}:" in told for each in FILTERS)


@pytest.mark.parametrize("form", ["html", "markdown", "json", "jsonl"])
def test_exports_take_every_filter(home: Path, form: str) -> None:
    told = run(home, "export", form, "--help").output.split("Filters:")[1].split("Options:")[0]

    assert all(f"  --{each.word} {each.metavar}" in told for each in FILTERS)


@pytest.mark.parametrize(
    "address",
    [
        "/api/sessions",
        "/api/projects",
        "/api/tool-calls",
        "/api/agent-runs",
        "/api/files",
        "/api/file-uses?path=src",
        "/api/usage",
        "/api/search?q=the",
        "/sessions",
        "/usage",
        "/files",
        "/search?q=the",
    ],
)
def test_every_address_that_lists_or_finds_takes_every_filter(
    client: httpx.Client, address: str
) -> None:
    place, _, query = address.partition("?")
    for each in FILTERS:
        asked = {**dict(httpx.QueryParams(query)), each.name: VALUES[each.name][0] or "0"}
        assert client.get(place, params=asked).status_code == httpx.codes.OK


@pytest.mark.parametrize(("name", "value"), WRONG.items())
def test_a_value_that_cannot_be_read_is_wrong_use_everywhere(
    home: Path, archive: Archive, client: httpx.Client, name: str, value: str
) -> None:
    word = find_filter(name).word

    for command in (["list"], ["search", "the"], ["usage"]):
        done = run(home, *command, f"--{word}", value, "--no-sync")
        assert done.exit_code == 2
        assert "; write it as" in " ".join(done.output.split())
    assert client.get("/api/sessions", params={name: value}).status_code == 400
    with pytest.raises(clew.errors.UsageError, match="; write it as"):
        clew.Filters(**{name: value})
    with pytest.raises(clew.errors.UsageError, match="; write it as"):
        archive.search(f'the {word}:"{value}"')
