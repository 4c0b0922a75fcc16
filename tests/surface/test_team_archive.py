"""Every command answers from PostgreSQL and S3 as it does from a directory."""

import json
import os
import re
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import clew
from clew.archive import Archive
from clew.cli import main, refresh
from clew.samples import samples_root
from clew.web import Settings
from tests.build import SessionBuilder, bash
from tests.postgres_server import PostgresServer
from tests.s3_servers import S3Server, use_s3_server
from tests.surface.running import CLEW, run, titles_in_app, wait_for_titles
from tests.web.serving import client_for, serving

pytestmark = pytest.mark.slow

SESSION = "1bc7992e"
COMMANDS: tuple[list[str], ...] = (
    ["list", "--json"],
    ["list", "projects", "--json"],
    ["list", "tool-calls", "--json"],
    ["list", "agent-runs", "--json"],
    ["list", "files", "--json"],
    ["list", "--project", "ferry", "--since", "2026-11-01", "--json"],
    ["show", SESSION, "--json"],
    ["show", SESSION],
    ["show", SESSION, "--format", "html"],
    ["show", SESSION, "--format", "markdown", "--detail", "everything"],
    ["usage", "--json"],
    ["usage", "--by", "session", "--json"],
    ["usage", "--by", "agent", "--json"],
    ["archive", "verify", "--json"],
    ["sql", "--json", "SELECT id, title, started_at FROM session ORDER BY id"],
    ["sql", "SELECT tool, count(*) AS calls FROM tool_call GROUP BY tool ORDER BY calls, tool"],
    [],
)
QUERIES = ("frost", "backup OR retry", "/ret(ry|urn)/", '"old backups" -cron', "tool:Bash pytest")
EXPORTS = ("html", "markdown", "json", "jsonl")
PAGES = (
    "/api/sessions",
    "/api/projects",
    "/api/tool-calls?limit=50",
    "/api/agent-runs",
    "/api/files",
    "/api/usage?by=day",
    "/api/sessions/{session}",
    "/api/sessions/{session}/tool-calls",
    "/",
    "/usage",
    "/sessions/{session}",
)


class Archives(NamedTuple):
    """The same sessions in a directory, and in PostgreSQL and S3."""

    folder: str
    url: str
    blobs: str


@pytest.fixture(scope="module")
def archives(
    postgres_server: PostgresServer,
    rclone_server: S3Server,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Archives]:
    """Archive the samples twice."""
    home = tmp_path_factory.mktemp("machine")
    bucket, url = rclone_server.make_bucket(), postgres_server.make_database()
    found = Archives(str(home / "folder"), url, f"s3://{bucket}/team")
    with pytest.MonkeyPatch.context() as patch:
        use_s3_server(rclone_server, patch)
        patch.setenv("CLAUDE_CONFIG_DIR", str(samples_root()))
        patch.setenv("HOME", str(home))
        patch.setenv("TZ", "UTC")
        patch.delenv("CLEW_HOME", raising=False)
        patch.delenv("FORCE_COLOR", raising=False)
        patch.setenv("CLEW_BLOBS", found.blobs)
        assert main(["sync", "--archive", found.folder]) == 0
        assert main(["sync", "--archive", found.url]) == 0
        yield found
    postgres_server.drop_database(url)
    rclone_server.drop_bucket(bucket)


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_a_command_prints_the_same(
    archives: Archives, words: list[str], capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    printed = []
    for address in (archives.folder, archives.url):
        capsysbinary.readouterr()
        assert main([*words, "--archive", address]) == 0
        out, err = capsysbinary.readouterr()
        printed.append((re.sub(rb'"seconds":[0-9.]+', b"", out), err))

    assert printed[0] == printed[1]
    assert len(printed[0][0]) > 20


@pytest.mark.parametrize("query", QUERIES)
def test_a_search_finds_the_same(
    archives: Archives, query: str, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    found = []
    for address in (archives.folder, archives.url):
        capsysbinary.readouterr()
        main(["search", query, "--json", "--limit", "1000", "--archive", address])
        answer = json.loads(capsysbinary.readouterr().out)
        # The two rank by numbers of their own, and PostgreSQL has long texts whole.
        hits = [{**hit, "score": 0, "snippet": "", "context": ""} for hit in answer.pop("hits")]
        found.append((answer, sorted(map(json.dumps, hits))))

    assert found[0] == found[1]
    assert found[0][1]


@pytest.mark.parametrize("form", EXPORTS)
def test_an_export_writes_the_same(archives: Archives, form: str, tmp_path: Path) -> None:
    for name in ("folder", "url"):
        target = ["export", form, "-o", str(tmp_path / name)]
        assert main([*target, "--archive", getattr(archives, name)]) == 0

    assert _tree(tmp_path / "url") == _tree(tmp_path / "folder")
    assert len(_tree(tmp_path / "url")) >= 16


def test_files_are_restored(archives: Archives, tmp_path: Path) -> None:
    words = ["archive", "restore", "-o", str(tmp_path / "restored"), "--archive", archives.url]

    assert main(words) == 0

    restored = {path.name: path.read_bytes() for path in (tmp_path / "restored").rglob("*.jsonl")}
    assert restored == {path.name: path.read_bytes() for path in samples_root().rglob("*.jsonl")}


def _tree(folder: Path) -> dict[str, bytes]:
    found = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


def test_the_web_app_answers_the_same(archives: Archives) -> None:
    with clew.open_archive(archives.folder) as folder, clew.open_archive(archives.url) as team:
        name = folder.find_session(SESSION)
        paths = [page.format(session=name) for page in PAGES]
        expected, found = _get_all(folder, paths), _get_all(team, paths)

    assert [page for page in PAGES if found[page] != expected[page]] == []


def _get_all(archive: Archive, paths: list[str]) -> dict[str, str]:
    settings = Settings(port=0, location=archive.location, is_followed=False)
    with serving(settings) as address, client_for(address) as client:
        found = [client.get(path, headers={"accept": "text/html"}) for path in paths]
    assert {response.status_code for response in found} == {200}
    return dict(zip(PAGES, (_stable(response.text) for response in found), strict=True))


def _stable(text: str) -> str:
    """Leave out what each response or archive has of its own."""
    return re.sub(r'nonce="[^"]*"|"seconds":[0-9.]+|[0-9a-f]{8,}|\d+-\d+[-0-9]*', "", text)


def test_the_status_names_both_places(
    archives: Archives, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    capsysbinary.readouterr()
    assert main(["archive", "status", "--archive", archives.url]) == 0
    lines = capsysbinary.readouterr().out.decode().splitlines()
    assert main(["archive", "status", "--json", "--archive", archives.url]) == 0
    found = json.loads(capsysbinary.readouterr().out)

    assert lines[0] == f"Location: {archives.url}"
    assert lines[1] == f"Blobs: {archives.blobs}"
    assert (found["folder"], found["blobs"]) == (archives.url, archives.blobs)
    assert (found["sessions"], found["files"]) == (16, 23)


def test_import_clew_takes_the_address_and_the_blobs(
    archives: Archives, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CLEW_BLOBS")
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", "/nowhere")

    with clew.open_archive(archives.url, archives.blobs) as archive:
        found = [session.title for session in archive.sessions()]
        hits = archive.search("frost").hits
    loaded = clew.load(SESSION, archive=archives.url, blobs=archives.blobs)

    assert (len(found), loaded.session.title) == (16, "Split app.py into store and season")
    assert hits


@pytest.fixture
def grown(
    machine: Path,
    postgres_url: str,
    s3_address: str,
    monkeypatch: pytest.MonkeyPatch,
) -> Path:
    """Choose an archive with a session on servers, and give the root that it is of."""
    monkeypatch.setenv("CLEW_ARCHIVE", postgres_url)
    monkeypatch.setenv("CLEW_BLOBS", s3_address)
    _write(machine, "one", "Find the retry bug")
    assert main(["sync"]) == 0
    return machine


def _write(root: Path, name: str, title: str) -> None:
    SessionBuilder(name).user(title).tools(bash("ls", "a")).assistant("Found it.").write(root)


def test_with_much_to_archive_the_answer_comes_first(
    grown: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(refresh, "MUCH_BYTES", 0)
    _write(grown, "two", "Written later")
    capsys.readouterr()

    assert main(["list"]) == 0
    first = capsys.readouterr()
    assert main(["sync"]) == 0
    assert main(["list"]) == 0
    second = capsys.readouterr()

    assert ("Find the retry bug" in first.out, "Written later" in first.out) == (True, False)
    assert first.err.startswith("clew: 1 session (")
    assert first.err.endswith(" not archived yet; run `clew sync` to archive them\n")
    assert ("Written later" in second.out, second.err) == (True, "")


def test_nothing_is_archived_where_there_are_no_transcripts(
    grown: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(grown / "empty"))
    with clew.open_archive() as archive:
        before = archive.version()
    capsys.readouterr()

    assert main(["list"]) == 0

    assert "Find the retry bug" in capsys.readouterr().out
    with clew.open_archive() as archive:
        assert archive.version() == before


def test_the_web_app_archives_and_shows_what_is_new(grown: Path) -> None:
    command = [*CLEW, "serve", "--port", "0"]
    with _running(command) as process:
        assert process.stderr is not None
        address = process.stderr.readline().split()[2]
        assert wait_for_titles(address, 1) == ["Find the retry bug"]
        _write(grown, "two", "Written later")
        titles = wait_for_titles(address, 2)
        process.send_signal(signal.SIGINT)

    assert titles == ["Find the retry bug", "Written later"]
    with clew.open_archive() as archive:
        assert archive.count("sessions") == 2


def test_a_watching_sync_archives_what_is_new(grown: Path) -> None:
    with _running([*CLEW, "sync", "--watch"]) as process:
        assert process.stderr is not None
        assert process.stdout is not None
        assert process.stderr.readline().startswith("Watching")
        assert process.stdout.readline() == "1 file, no changes\n"
        _write(grown, "two", "Written later")
        assert "1 file" in process.stdout.readline()
        process.send_signal(signal.SIGINT)

    with clew.open_archive() as archive:
        assert archive.count("sessions") == 2


def _running(command: list[str]) -> "subprocess.Popen[str]":
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True)  # noqa: S603 (our own)


def test_worker_processes_write_it(grown: Path) -> None:
    # So much is shared with other processes.
    for name in ("two", "three"):
        SessionBuilder(name).user(name).tools(bash("cat", "x" * 4_500_000)).write(grown)

    synced = run("sync", "--json")

    assert (synced.code, synced.err) == (0, "")
    assert json.loads(synced.out)["sessions_total"] == 3
    assert run("archive", "verify").out.endswith("3 of 3 files intact\n")


def test_the_password_is_in_no_arguments_of_a_process(grown: Path) -> None:
    url = os.environ["CLEW_ARCHIVE"].replace("//postgres@", "//postgres:geheim@")
    environment: dict[str, Any] = {**os.environ, "CLEW_ARCHIVE": url}
    with subprocess.Popen(  # noqa: S603 (our own module)
        [*CLEW, "serve", "--port", "0"], stderr=subprocess.PIPE, text=True, env=environment
    ) as process:
        assert process.stderr is not None
        address = process.stderr.readline().split()[2]
        assert titles_in_app(address) == ["Find the retry bug"]
        shown = [path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline")]
        process.send_signal(signal.SIGINT)

    assert grown.exists()
    assert any(b"clew.web.follower" in line for line in shown)
    assert not any(b"geheim" in line for line in shown)
