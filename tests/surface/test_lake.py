"""`clew export parquet` by month and project: in a folder, in a bucket, and read by DuckDB."""

import datetime as dt
import json
import os
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import pytest

from clew.archive import Archive, open_archive
from clew.cli import main
from clew.store.s3 import StorageUnavailableError, open_bucket
from tests.build import SessionBuilder, bash
from tests.s3_servers import S3Server, running_rclone, use_s3_server

NOW: Final = dt.datetime(2026, 11, 16, tzinfo=dt.UTC)
_DOCS: Final = Path(__file__).parents[2] / "docs"
_SESSIONS: Final = {"alpha": "2026-10-01", "beta": "2026-11-02", "gamma": "2026-11-15"}


def session(name: str) -> SessionBuilder:
    """Give a session with a tool call, in a project of its own."""
    builder = SessionBuilder(name, cwd=f"/home/dev/my code/{name}").model("claude-opus-5-5")
    builder.at(f"{_SESSIONS[name]}T09:00:00Z").user(f"Do {name}")
    return builder.tools(bash("ls", "a")).assistant("Done.")


@pytest.fixture(autouse=True)
def root(machine: Path) -> Path:
    """Give a root with sessions of two months."""
    for name in _SESSIONS:
        session(name).write(machine)
    return machine


def files(place: str) -> dict[str, bytes]:
    """Return all files of a place."""
    if place.startswith("s3://"):
        bucket = open_bucket(place)
        return {each.key: bucket.get(each.key) for each in bucket.objects()}
    folder = Path(place)
    found = [path for path in folder.rglob("*") if path.is_file()]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


def export(archive: Archive, place: str, **options: Any) -> Any:
    return archive.export_lake(place, now=NOW, **options)


def rows(place: str, table: str) -> list[dict[str, Any]]:
    """Read the rows of a table from the files that the manifest names."""
    found = files(place)
    parquet: Any = import_module("pyarrow.parquet")
    buffer: Any = import_module("pyarrow").BufferReader
    named = [each for each in json.loads(found["manifest.json"])["files"] if each["table"] == table]
    read = [parquet.read_table(buffer(found[each["path"]])).to_pylist() for each in named]
    assert [len(each) for each in read] == [each["rows"] for each in named]
    return sorted((row for each in read for row in each), key=str)


@pytest.fixture
def archive() -> Iterator[Archive]:
    """Give the archive of this machine, up to date."""
    with open_archive() as archive:
        archive.sync(now=NOW)
        yield archive


def test_all_rows_are_there_once_with_the_same_types(
    archive: Archive, place: str, tmp_path: Path
) -> None:
    report = export(archive, place)

    assert (report.written, report.unchanged, report.removed) == (3, 0, 0)
    parquet: Any = import_module("pyarrow.parquet")
    for exported in archive.export_parquet(tmp_path / "single"):
        whole = sorted(parquet.read_table(exported.path).to_pylist(), key=str)
        found = rows(place, exported.table)
        assert len(found) == len(whole) == exported.rows
        for one, other in zip(found, whole, strict=True):
            if "project_path" in one:
                one["project"] = one.pop("project_path")
            assert one == other


def test_files_are_in_folders_by_month_and_project(archive: Archive, place: str) -> None:
    export(archive, place)

    found = {path.rpartition("/")[0] for path in files(place) if path.startswith("model_call/")}
    assert found == {
        "model_call/month=2026-10/project=alpha",
        "model_call/month=2026-11/project=beta",
        "model_call/month=2026-11/project=gamma",
    }


def test_only_what_changed_is_written_again(root: Path, archive: Archive, place: str) -> None:
    export(archive, place)
    before = files(place)
    again = export(archive, place)
    assert (again.written, again.unchanged, again.files_written) == (0, 3, 0)
    assert files(place) == before
    session("gamma").at("2026-11-15T10:00:00Z").user("And now?").write(root)
    archive.sync(now=NOW)

    report = export(archive, place)

    assert (report.written, report.unchanged) == (1, 2)
    after = files(place)
    others = {path for path in before if "project=alpha" in path or "project=beta" in path}
    assert {path: after[path] for path in others} == {path: before[path] for path in others}
    own = {path for path in after if path.startswith("message/") and "project=gamma" in path}
    assert len(own) == 1
    assert not own & before.keys()
    assert len(rows(place, "session")) == 3
    assert "And now?" in {row["text"] for row in rows(place, "block")}


def test_everything_is_written_again_on_request(archive: Archive, place: str) -> None:
    export(archive, place)
    before = files(place)

    report = export(archive, place, rewrite=True)

    assert report.written == 3
    assert files(place).keys() == before.keys()


def test_what_an_interrupted_export_left_is_not_read(
    root: Path, archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    with running_rclone() as server:
        use_s3_server(server, monkeypatch)
        place = f"s3://{server.make_bucket()}/lake?retries=0"
        export(archive, place)
        before = rows(place, "message")
        session("beta").at("2026-11-15T10:00:00Z").user("More").write(root)
        archive.sync(now=NOW)

        with pytest.raises(StorageUnavailableError):
            export(archive, place, on_sessions=lambda _done, _all: server.kill())
        server.start()

        assert any("project=beta" in path for path in files(place))
        assert rows(place, "message") == before
        assert export(archive, place).written == 1
        assert len(rows(place, "message")) == len(before) + 1
        named = json.loads(files(place)["manifest.json"])["files"]
        assert files(place).keys() == {"manifest.json", *(each["path"] for each in named)}


def test_two_exports_at_a_time_do_not_mix(archive: Archive, place: str) -> None:
    def other(_done: int, _all: int) -> None:
        with open_archive() as same:
            same.export_lake(place, now=NOW)

    with pytest.raises(Exception, match=r"another export wrote to .* run this again"):
        export(archive, place, on_sessions=other)

    assert len(rows(place, "session")) == 3


def test_old_remains_are_deleted_and_other_files_are_not(archive: Archive, tmp_path: Path) -> None:
    place = tmp_path / "lake"
    export(archive, str(place))
    for name in ("message/month=2026-01/project=x/part-1.parquet", "mine/notes.parquet"):
        path = place / name
        path.parent.mkdir(parents=True)
        path.write_bytes(b"")
        os.utime(path, (0, 0))

    export(archive, str(place), rewrite=True)

    assert not (place / "message" / "month=2026-01").exists()
    assert (place / "mine" / "notes.parquet").exists()


def test_sessions_with_unreadable_files_are_written_again(archive: Archive, tmp_path: Path) -> None:
    place = str(tmp_path / "lake")
    [blob] = [path for path in (tmp_path / "home").rglob("*.zst") if "alpha" in str(path)]
    content = blob.read_bytes()
    blob.write_bytes(b"")
    assert export(archive, place).faults
    assert None in {row["input"] for row in rows(place, "tool_call")}

    blob.write_bytes(content)
    with open_archive() as repaired:
        assert export(repaired, place).faults == []

    assert None not in {row["input"] for row in rows(place, "tool_call")}


def documented_queries() -> list[str]:
    text = (_DOCS / "export.md").read_text("utf-8")
    found = re.search(r"```sql\n(SET VARIABLE lake.*?)```", text, re.DOTALL)
    assert found is not None
    return [query for query in found[1].split(";") if query.strip()]


def answers(connection: Any, place: str) -> Any:
    """Run the documented queries on a data set."""
    for query in documented_queries():
        connection.execute(query.replace("s3://analytics/lake", place))
    return connection.fetchall()


def test_duckdb_reads_a_bucket_in_place(
    archive: Archive, moto_server: S3Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_s3_server(moto_server, monkeypatch)
    place = f"s3://{moto_server.make_bucket()}/lake"
    export(archive, place)
    duckdb: Any = import_module("duckdb")
    store: Any = import_module("obstore.fsspec").FsspecStore
    connection = duckdb.connect()
    connection.register_filesystem(store("s3", client_options={"allow_http": True}))

    found = answers(connection, place)

    model = "claude-opus-5-5"
    assert [row[:4] for row in found] == [
        ("2026-10", "alpha", model, 2),
        ("2026-11", "beta", model, 2),
        ("2026-11", "gamma", model, 2),
    ]


def test_duckdb_reads_a_folder_by_its_manifest_and_by_patterns(
    archive: Archive, tmp_path: Path
) -> None:
    place = str(tmp_path / "lake")
    export(archive, place)
    duckdb: Any = import_module("duckdb")
    connection = duckdb.connect()

    assert len(answers(connection, place)) == 3
    for table in ("model_call", "todo", "hook"):
        pattern = f"{place}/{table}/*/*/*.parquet"
        query = f"SELECT count(*) FROM read_parquet('{pattern}', hive_partitioning = true)"  # noqa: S608
        assert connection.execute(query).fetchone()[0] == len(rows(place, table))


def test_the_command_reports_what_it_wrote(
    tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    words = ["export", "parquet", "--partition", "-o", str(tmp_path / "lake")]

    assert main(words) == 0
    assert re.match(rb"Exported 3 sessions \(\d+ files, ", capsysbinary.readouterr().out)
    assert main([*words, "--json"]) == 0

    found = json.loads(capsysbinary.readouterr().out)
    assert (found["written"], found["unchanged"], found["folder"]) == (0, 3, words[-1])
    assert {each["table"]: each["rows"] for each in found["tables"]}["session"] == 3


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["-o", "s3://no-such-bucket/lake?retries=0"], 1, "there is no bucket 'no-such-bucket'"),
        (["-o", "s3://"], 2, "is not the address of a bucket"),
        (["-o", "s3://bucket/lake", "--overwrite"], 2, "use --rewrite"),
        (["-o", "somewhere", "--rewrite"], 2, "--rewrite needs --partition"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(
    s3_address: str, capsys: pytest.CaptureFixture[str], words: list[str], code: int, told: str
) -> None:
    assert s3_address
    assert main(["export", "parquet", *words]) == code
    assert told in capsys.readouterr().err


def test_a_manifest_of_something_else_is_not_written_over(
    archive: Archive, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "lake"
    export(archive, str(place))
    (place / "manifest.json").write_text("{}x", "utf-8")

    assert main(["export", "parquet", "--partition", "-o", str(place)]) == 1
    assert "is no manifest" in capsys.readouterr().err
    assert main(["export", "parquet", "--partition", "--rewrite", "-o", str(place)]) == 0
