"""What watches the server: health, readiness, metrics and logs, and what they never say."""

import json
import logging
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import msgspec
import pytest
from prometheus_client import CONTENT_TYPE_LATEST

from clew.server.accounts import create_member, create_organisation
from clew.server.devices import register_device
from clew.server.health import READY, Readiness, objects_problem
from clew.server.logs import JsonFormatter
from clew.server.metrics import GAUGES
from clew.server.settings import TeamSettings
from clew.store.postgres.team import open_team
from clew.store.postgres_location import PostgresLocation
from tests.postgres_server import PostgresServer
from tests.team.team_server import serving_team, team_client

NAMES = ("acme-of-the-secret", "ada-the-unnamed", "laptop-of-hers")

ADD_STATE = """
INSERT INTO session_state (owner, session_id, organisation_id, tier, scope_id, head_seq,
  derived_seq, due_at, claimed_until, failed_reason, deleted_at, held)
SELECT member_id, '{name}', organisation_id, 'everything', id, {values}
FROM scope WHERE kind = 'private'
"""


@pytest.fixture(scope="module")
def location(
    postgres_server: PostgresServer,
    prepared_database: str,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[PostgresLocation]:
    url = postgres_server.make_database(like=prepared_database)
    yield PostgresLocation(url, str(tmp_path_factory.mktemp("blobs")))
    postgres_server.drop_database(url)


@pytest.fixture(scope="module")
def token(location: PostgresLocation) -> str:
    """Give the token of a device; its member has a session in each state."""
    with open_team(location) as team:
        organisation = create_organisation(team, NAMES[0])
        member = create_member(team, organisation.id, NAMES[1])
        states = {
            "waiting": "2, 1, now() - interval '1 hour', NULL, NULL, NULL, false",
            "later": "1, 0, now() + interval '1 hour', NULL, NULL, NULL, false",
            "working": "1, 0, now(), now() + interval '1 hour', NULL, NULL, false",
            "hangs": "1, 0, now() - interval '9 s', now() - interval '1 s', NULL, NULL, true",
            "failed": "1, 0, now(), NULL, 'no', NULL, false",
            "parsed": "1, 1, now(), NULL, NULL, NULL, false",
            "deleted": "1, 0, now(), NULL, NULL, now(), false",
        }
        for name, values in states.items():
            text = ADD_STATE.format(name=name, values=values)
            team.connection.execute(text.encode())
        return register_device(team, organisation.id, member.id, NAMES[2]).token


def read_metrics(text: str) -> dict[str, float]:
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return {name: float(value) for name, _, value in (line.rpartition(" ") for line in lines)}


def test_metrics_count_sessions_and_requests_without_names(
    location: PostgresLocation, token: str
) -> None:
    with serving_team(TeamSettings(location=location)) as address:
        with team_client(address, token) as device:
            assert device.get("/api/schema/openapi.json").status_code == 200
            device.get("/api/no/such/path-with-a-name")
        with team_client(address) as probe:
            found = probe.get("/metrics")

    values = read_metrics(found.text)
    assert found.headers["content-type"] == CONTENT_TYPE_LATEST
    assert {f"clew_{name}" for name in GAUGES} <= set(values)
    expected = {"sessions": 2, "received": 5, "due": 2, "working": 1, "lease_overruns": 1}
    expected |= {"failed": 1, "outdated": 1, "deleted": 1, "held": 1, "members": 1}
    expected |= {"active_devices": 1, "content_bytes": 0, "uncommitted_frames": 0}
    assert {name: values[f"clew_{name}"] for name in expected} == expected
    assert values["clew_oldest_due_seconds"] >= 3600
    route = 'method="GET",route="/api/schema/openapi.json"'
    assert values[f'clew_requests_total{{{route},status="200"}}'] == 1
    assert values[f"clew_request_seconds_count{{{route}}}"] == 1
    assert not re.search("|".join((*NAMES, "path-with-a-name", "waiting")), found.text)


def test_metrics_are_for_this_machine_or_for_their_token(
    location: PostgresLocation, token: str
) -> None:
    with serving_team(TeamSettings(location=location)) as address, team_client(address) as probe:
        for header in ("forwarded", "via", "x-forwarded-for", "x-forwarded-host"):
            assert probe.get("/metrics", headers={header: "10.0.0.1"}).status_code == 403
        assert probe.get("/metrics", headers={"host": "server:8378"}).status_code == 200

    settings = TeamSettings(location=location, metrics_token="a-secret-of-ours")  # noqa: S106
    with serving_team(settings) as address, team_client(address) as probe:
        for shown in ("", "Bearer nothing", f"Bearer {token}", "a-secret-of-ours"):
            headers = {"authorization": shown} if shown else {}
            assert probe.get("/metrics", headers=headers).status_code == 401
        headers = {"authorization": "Bearer a-secret-of-ours", "x-forwarded-for": "10.0.0.1"}
        assert probe.get("/metrics", headers=headers).status_code == 200


def test_a_server_is_ready_with_its_database_and_its_objects(
    location: PostgresLocation,
    postgres_url: str,
    s3_address: str,
    tmp_path: Path,
) -> None:
    with_bucket = msgspec.structs.replace(location, blobs=s3_address)
    assert Readiness(location).status() == READY
    assert Readiness(with_bucket).status() == READY
    empty = PostgresLocation(postgres_url, location.blobs)
    assert Readiness(empty).status() == "the database cannot be used"
    gone = PostgresLocation("postgresql://nobody@127.0.0.1:1/nothing", location.blobs)
    assert Readiness(gone).status() == "the database cannot be used"
    (tmp_path / "file").touch()
    no_folder = msgspec.structs.replace(location, blobs=str(tmp_path / "file"))
    assert Readiness(no_folder).status() == "the objects cannot be used"
    no_bucket = msgspec.structs.replace(location, blobs="s3://no-such-bucket/x")
    assert Readiness(no_bucket).status() == "the objects cannot be used"
    assert "no-such-bucket" in objects_problem(no_bucket)
    assert "check its permissions" in objects_problem(no_folder)
    assert not objects_problem(with_bucket)

    with serving_team(TeamSettings(location=no_folder)) as address:
        assert httpx.get(f"{address}/health", trust_env=False).status_code == 200
        found = httpx.get(f"{address}/ready", trust_env=False)
    assert found.status_code == 503
    assert found.json()["error"]["message"] == "the objects cannot be used"


def test_logs_are_json_without_content(location: PostgresLocation, token: str) -> None:
    code = """
import sys, httpx
from clew.server.logs import log_to_stderr
from clew.server.settings import TeamSettings
from clew.store.postgres_location import PostgresLocation
from tests.team.team_server import serving_team
log_to_stderr(is_verbose=True)
with serving_team(TeamSettings(location=PostgresLocation(*sys.argv[1:3]))) as address:
    headers = {"authorization": f"Bearer {sys.argv[3]}", "x-request-id": "from-a-proxy"}
    httpx.get(f"{address}/api/schema/openapi.json?q=secret-words", headers=headers, trust_env=False)
    httpx.get(f"{address}/api/secret-words", headers=headers, trust_env=False)
"""
    done = subprocess.run(  # noqa: S603 (our own code)
        [sys.executable, "-c", code, location.database_url, location.blobs, token],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[2],
    )
    lines = [json.loads(line) for line in done.stderr.splitlines()]

    assert [(line["route"], line["status"]) for line in lines] == [
        ("/api/schema/openapi.json", 200),
        ("", 404),
    ]
    assert {line["request_id"] for line in lines} == {"from-a-proxy"}
    assert all(line["member_id"] and line["ms"] >= 0 for line in lines)
    assert not re.search("|".join((*NAMES, "secret-words", token)), done.stderr)


def test_an_error_is_logged_by_its_kind_and_place() -> None:
    with pytest.raises(ValueError, match="Expecting") as raised:
        json.loads("what somebody wrote")
    about = (raised.type, raised.value, raised.tb)
    record = logging.getLogger("test").makeRecord(
        "test", logging.ERROR, __file__, 1, "request %s failed", ("a1",), about
    )
    line = json.loads(JsonFormatter().format(record))

    assert line["message"] == "request a1 failed"
    assert line["error"].startswith("JSONDecodeError in decoder.py, line ")
    assert "Expecting" not in json.dumps(line)
