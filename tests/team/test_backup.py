"""Backup and restore as the page says: a restored older server is filled again by its clients."""

import shutil
from pathlib import Path

import msgspec
import pytest

from clew.archive import Archive
from clew.cli import main
from clew.server.accounts import create_member, create_organisation
from clew.server.devices import register_device
from clew.server.settings import TeamSettings
from clew.server.worker import Worker
from clew.store.postgres.team import TeamDatabase, open_team
from clew.store.postgres_location import PostgresLocation
from tests.build import SessionBuilder
from tests.postgres_server import PostgresServer
from tests.team.laptop import Laptop
from tests.team.team_server import serving_team, team_client


def work(location: PostgresLocation) -> None:
    """Let a worker do all that there is, without waiting until it is due."""
    with open_team(location) as team:
        team.run("make_all_due")
    Worker(location).run_once()
    with open_team(location) as team:
        assert team.rows("sessions_to_purge", {"most": 20}) == []


def archived(location: PostgresLocation, owner: int, folder: Path) -> dict[str, bytes]:
    """Return the archived files of a member, by their names."""
    with Archive(msgspec.structs.replace(location, owner=owner)) as archive:
        for file in archive.restore(folder, overwrite=True):
            assert file.fault == ""
    return {path.name: path.read_bytes() for path in folder.rglob("*.jsonl")}


def written(laptop: Laptop) -> dict[str, bytes]:
    return {path.rpartition("/")[2]: data for path, data in laptop.files().items()}


def deleted_sessions(team: TeamDatabase) -> set[str]:
    text = b"SELECT session_id FROM session_state WHERE deleted_at IS NOT NULL"
    return {row[0] for row in team.connection.execute(text).fetchall()}


def test_a_restored_server_is_filled_again_by_its_clients(
    postgres_server: PostgresServer,
    team_location: PostgresLocation,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    location = team_location
    blobs, backup = Path(location.blobs), tmp_path / "backup"
    with open_team(location) as team:
        acme = create_organisation(team, "acme")
        ada = create_member(team, acme.id, "ada")
        token = register_device(team, acme.id, ada.id, "laptop").token
    one, two = SessionBuilder("one").user("Add a cart"), SessionBuilder("two").user("A secret")
    with serving_team(TeamSettings(location=location)) as address:
        port = int(address.rpartition(":")[2])
        laptop = Laptop(tmp_path / "laptop", address, token)
        laptop.allow()
        one.write(laptop.root)
        two.write(laptop.root)
        laptop.push()
        work(location)

        # Back up: the database first, then the objects.
        backup.mkdir()
        dump = ["--format=custom", f"--file={backup / 'clew.dump'}", location.database_url]
        postgres_server.use("pg_dump", *dump)
        shutil.copytree(blobs, backup / "objects")

        one.assistant("Done.").user("Now test it").write(laptop.root)
        SessionBuilder("three").user("After the backup").write(laptop.root)
        laptop.push()
        with team_client(address, token) as device:
            assert device.delete(f"/push/sessions/{two.session_id}").status_code < 300
        work(location)
        expected = {
            name: data for name, data in written(laptop).items() if two.session_id not in name
        }
        assert archived(location, ada.id, tmp_path / "before") == expected

    # Restore: objects that are missing, but for one that is lost, then the database.
    for folder in (blobs, backup / "objects"):
        (found,) = folder.rglob(f"*{one.session_id}*")
        found.unlink()
    copy_missing(backup / "objects", blobs)
    restored = PostgresLocation(postgres_server.make_database(), location.blobs)
    target = f"--dbname={restored.database_url}"
    postgres_server.use("pg_restore", target, "--no-owner", str(backup / "clew.dump"))
    monkeypatch.setenv("CLEW_ARCHIVE", restored.database_url)
    monkeypatch.setenv("CLEW_BLOBS", restored.blobs)
    assert main(["admin", "replay"]) == 0
    assert capsys.readouterr().out == "Deleted 1 session again\n"
    with open_team(restored) as team:
        assert deleted_sessions(team) == {two.session_id}
    assert main(["admin", "verify"]) == 4
    assert "Workers repair 1 session" in capsys.readouterr().out
    Worker(restored).run_once()

    with serving_team(TeamSettings(location=restored), port) as again:
        assert again == address
        laptop.push()
        work(restored)
        assert archived(restored, ada.id, tmp_path / "after") == expected
        assert laptop.push().files == 0
    assert main(["admin", "verify", "--json"]) == 0


def copy_missing(source: Path, target: Path) -> None:
    """Copy what a folder lacks, as `rclone copy --ignore-existing` does."""
    for path in source.rglob("*"):
        place = target / path.relative_to(source)
        if path.is_file() and not place.exists():
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, place)
