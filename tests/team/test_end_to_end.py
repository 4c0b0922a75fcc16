"""From hooks to a colleague's screen: processes on two machines, a server, a worker, S3."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec
import psycopg
import pytest

from clew.store.postgres_location import PostgresLocation
from tests.postgres_dump import frame_gaps
from tests.team.clean_rows import archived_files, server_rows, session_files, synced_rows
from tests.team.machines import PATIENCE, Machine, TeamPrograms, read_transcripts

pytestmark = pytest.mark.slow

SHOP = "/home/dev/shop"
DIARY = "/home/dev/diary"
RECEIVED = "SELECT count(*) FROM received_file WHERE member_id = %s"
NOTHING_WAITS = "SELECT count(*) FROM session_state WHERE head_seq > derived_seq"


class Team(msgspec.Struct, frozen=True):
    """A running server with its worker, and the machines of two members."""

    programs: TeamPrograms
    ada: Machine
    bob: Machine
    members: dict[str, int]

    def value(self, text: str, *values: object) -> Any:
        """Run SQL for one value."""
        with psycopg.connect(self.programs.location.database_url) as connection:
            row = connection.execute(text.encode(), values).fetchone()
        assert row is not None
        return row[0]

    def has_all(self, name: str, machine: Machine) -> bool:
        """Tell whether all of a member's files were received as they are."""
        with psycopg.connect(self.programs.location.database_url) as connection:
            rows = connection.execute(
                "SELECT file, size_bytes FROM received_file WHERE member_id = %s",
                (self.members[name],),
            ).fetchall()
        files = session_files(machine.claude)
        return dict(rows) == {path: len(content) for path, content in files.items()}


@pytest.fixture
def team(team_location: PostgresLocation, s3_address: str, tmp_path: Path) -> Iterator[Team]:
    location = msgspec.structs.replace(team_location, blobs=s3_address)
    programs = TeamPrograms(location)
    members, machines = {}, {}
    for name in ("ada", "bob"):
        members[name], token = programs.join(name)
        machines[name] = Machine(tmp_path / name, programs.address, token)
    programs.start_server()
    programs.start_worker()
    try:
        yield Team(programs, machines["ada"], machines["bob"], members)
    finally:
        codes = programs.stop()
    assert codes["worker"] == 0


def test_all_that_hooks_see_arrives_and_only_those_read_it_who_may(
    team: Team, postgres_url: str, tmp_path: Path
) -> None:
    ada, bob = team.ada, team.bob
    with ThreadPoolExecutor() as pool:
        works = [pool.submit(work_of_bob, bob), pool.submit(work_of_ada, team)]
        said = [answer for work in works for answer in work.result()]
    assert {(answer["code"], answer["said"]) for answer in said} == {(0, "")}
    wait_until(lambda: team.has_all("ada", ada) and team.has_all("bob", bob))
    wait_until(lambda: team.value(NOTHING_WAITS) == 0)

    location = team.programs.location
    clean = PostgresLocation(postgres_url, str(tmp_path / "clean" / "blobs"))
    roots = {team.members["ada"]: [ada.claude], team.members["bob"]: [bob.claude]}
    expected, found = synced_rows(location, clean, roots), server_rows(location.database_url)
    for table, rows in expected.items():
        assert found[table] == rows, table
    assert frame_gaps(location.database_url) == []
    assert len(found["session"]) == 5
    assert current_files(team, "ada") == session_files(ada.claude)
    assert current_files(team, "bob") == session_files(bob.claude)

    shared = {path: text for path, text in session_files(ada.claude).items() if "shop" in path}
    assert len(shared) == 4
    assert downloads(ada) == session_files(ada.claude)
    assert downloads(bob) == {**session_files(bob.claude), **shared}
    private = next(path.stem for path in ada.claude.rglob("*diary/*.jsonl"))
    with bob.client() as client:
        assert client.get(f"/api/sessions/{private}").status_code == 404
        assert client.get("/api/search", params={"q": "zzdiary"}).json()["hits"] == []
        page = client.get("/search?q=Dear").text
        assert ("zzbob" in page, "zzdiary" in page) == (True, False)

    bob.clew("pull", "--all")
    bob.clew("archive", "restore", "-o", str(tmp_path / "restored"))
    wanted = {Path(path).name: text for path, text in {**bob.transcripts(), **shared}.items()}
    restored = read_transcripts(tmp_path / "restored")
    assert {Path(path).name: text for path, text in restored.items()} == wanted
    assert bob.clew("push") == "Nothing new to push\n"


def work_of_ada(team: Team) -> list[dict[str, Any]]:
    """Let Ada work, first before she allows anything, then with growth, a rewrite and a crash."""
    ada = team.ada
    ada.log_in()
    ada.clew("hooks", "install", "--yes")
    said = ada.run_client(
        SHOP, ["start", "one"], ["turn", "Add a cart"], ["agent", "Look"], ["end"]
    )
    wait_until(lambda: "SessionEnd" in ada.hook_log())
    assert team.value(RECEIVED, team.members["ada"]) == 0
    ada.clew("consent", "set", SHOP, "everything", "--visibility", "organisation", "--yes")
    ada.clew("consent", "set", DIARY, "everything", "--yes")

    said += ada.run_client(
        SHOP, ["start", "one", "resume"], ["turn", "Test it"], ["compact"], ["end"]
    )
    said += ada.run_client(
        SHOP, ["start", "two"], ["turn", "A bug"], ["clear", "three"], ["turn", "Go"], ["end"]
    )
    said += ada.run_client(DIARY, ["start", "four"], ["turn", "Dear zzdiary"], ["crash"])
    said += ada.run_client(DIARY, ["start", "four", "resume"])
    wait_until(lambda: team.has_all("ada", ada))
    (path,) = [path for path in ada.claude.rglob("*.jsonl") if b"A bug" in path.read_bytes()]
    path.write_bytes(path.read_bytes().replace(b"A bug", b"An old bug"))
    said += ada.run_client(SHOP, ["start", "two", "resume"], ["turn", "Thanks"], ["end"])
    return said + ada.run_client(DIARY, ["start", "four", "resume"], ["turn", "More"], ["end"])


def work_of_bob(bob: Machine) -> list[dict[str, Any]]:
    """Let Bob work in a project that is his own."""
    bob.log_in()
    bob.clew("hooks", "install", "--yes")
    bob.clew("consent", "set", DIARY, "everything", "--yes")
    return bob.run_client(DIARY, ["start", "five"], ["turn", "Dear zzbob"], ["end"])


def current_files(team: Team, name: str) -> dict[str, bytes]:
    """Return the archived files of a member as they are now."""
    found = archived_files(team.programs.location, team.members[name])
    return {path: content for (_, path, _), content in sorted(found.items())}


def downloads(machine: Machine) -> dict[str, bytes]:
    """Return all files of sessions that a member can download."""
    found: dict[str, bytes] = {}
    with machine.client() as client:
        for session in client.get("/api/sessions").json()["sessions"]:
            for file in client.get(f"/api/sessions/{session['id']}/raw").json()["files"]:
                found[file["path"]] = client.get(file["url"], params={"plain": True}).content
    return found


def wait_until(is_true: Callable[[], bool]) -> None:
    """Wait for something that happens in the background."""
    deadline = time.monotonic() + PATIENCE
    while not is_true():
        assert time.monotonic() < deadline
        time.sleep(0.2)
