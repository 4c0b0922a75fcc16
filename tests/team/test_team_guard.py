"""Who is let in to the team server, and what is rejected before it reaches the application."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator

import httpx
import msgspec
import pytest

from clew.cli import main
from clew.protocol import MAX_PACKED_BYTES
from clew.server.accounts import create_member, create_organisation, disable_member
from clew.server.devices import issue_token, register_device, revoke_device
from clew.server.settings import (
    BadPublicUrlError,
    RequestLimits,
    TeamSettings,
    require_public_url,
)
from clew.server.team_guard import client_address, is_open
from clew.server.tokens import TokenKind
from clew.store.postgres.team import open_team
from clew.store.postgres_location import PostgresLocation
from tests.postgres_server import PostgresServer
from tests.team.team_server import serving_team, team_client


class Served(msgspec.Struct):
    """A server with one member, who has a device and a browser."""

    address: str
    location: PostgresLocation
    organisation_id: int
    member_id: int
    device: str
    browser: str


@pytest.fixture(scope="module")
def served(
    postgres_server: PostgresServer,
    prepared_database: str,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Served]:
    url = postgres_server.make_database(like=prepared_database)
    location = PostgresLocation(url, str(tmp_path_factory.mktemp("blobs")))
    with open_team(location) as team:
        acme = create_organisation(team, "acme")
        ada = create_member(team, acme.id, "ada")
        device = register_device(team, acme.id, ada.id, "laptop").token
        browser = issue_token(team, TokenKind.BROWSER, ada.id, hours=1)
    with serving_team(TeamSettings(location=location)) as address:
        yield Served(address, location, acme.id, ada.id, device, browser)


@pytest.fixture
def client(served: Served) -> Iterator[httpx.Client]:
    with team_client(served.address) as asking:
        yield asking


def test_only_a_known_device_or_browser_is_let_in(served: Served, client: httpx.Client) -> None:
    schema = "/api/schema/openapi.json"
    cookie = {"cookie": f"clew_session={served.browser}"}
    bearer = {"authorization": f"Bearer {served.device}"}

    assert client.get(schema, headers=bearer).status_code == 200
    assert client.get(schema, headers=cookie).status_code == 200
    for headers in (
        {},
        {"authorization": served.device},
        {"authorization": f"Basic {served.device}"},
        {"authorization": f"Bearer {served.browser}"},
        {"authorization": "Bearer nothing", **cookie},
        {"cookie": f"clew_session={served.device}"},
        {"cookie": f"clew_token={served.browser}"},
    ):
        refused = client.get(schema, headers=headers)
        assert (refused.status_code, refused.json()["error"]["code"]) == (401, "login_needed")
        assert refused.headers["www-authenticate"] == "Bearer"
    assert client.get(f"{schema}?token={served.device}").status_code == 401
    odd = {b"authorization": f"Bearer {served.device}é".encode()}
    assert client.get(schema, headers=odd).status_code == 401


@pytest.mark.parametrize(
    "path",
    [
        *("/api/sessions", "/api/nothing", "/push/hello", "/push/frames/x", "/metricsx", "/loginx"),
        *("/assets", "/assets%2f..%2fapi/sessions", "/login/../api/sessions", "//api/sessions"),
        *("/push/login/", "/api/schema/openapi.json#/health", "/PUSH/login"),
    ],
)
def test_everything_else_needs_a_login(client: httpx.Client, path: str) -> None:
    for method in ("GET", "POST", "PUT", "DELETE", "OPTIONS"):
        found = client.request(method, path)
        assert found.status_code in (401, 404, 405)
        assert found.status_code == 401 or is_open(httpx.URL(path).path)


def test_a_browser_is_sent_to_the_login_page(client: httpx.Client) -> None:
    found = client.get("/sessions/x?a=b", headers={"accept": "text/html"})

    assert (found.status_code, found.headers["location"]) == (303, "/login")
    assert "clew_place=%2Fsessions%2Fx%3Fa%3Db" in found.headers["set-cookie"]
    for path in ("/api/sessions", "/push/hello"):
        assert client.get(path, headers={"accept": "text/html"}).status_code == 401


def test_a_cookie_is_no_device(served: Served, client: httpx.Client) -> None:
    cookie = {"cookie": f"clew_session={served.browser}"}

    assert client.post("/push/hello", headers=cookie).status_code == 403


def test_probes_are_open_and_show_nothing(client: httpx.Client) -> None:
    assert client.get("/health", headers={"host": "10.2.3.4"}).json()["status"] == "ok"
    assert client.get("/ready").json()["status"] == "ready"
    assert client.get("/api/schema", headers={"host": "10.2.3.4"}).status_code == 421
    assert client.head("/health").status_code == 200


def test_other_sites_may_not_use_the_cookie(served: Served, client: httpx.Client) -> None:
    cookie = {"cookie": f"clew_session={served.browser}"}
    for foreign in (
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ):
        refused = client.post("/logout", headers={**cookie, **foreign})
        assert (refused.status_code, refused.json()["error"]["code"]) == (403, "foreign_origin")


def test_bodies_and_addresses_have_limits(served: Served) -> None:
    with team_client(served.address, served.device) as client:
        assert client.get("/api/x?" + "a" * 9_000).status_code == 414
        assert client.post("/api/x", content=b"a" * 70_000).status_code == 413
        assert client.post("/push/x", content=b"a" * 70_000).status_code == 404
        assert client.post("/push/x", content=b"a" * (2 << 20)).status_code == 413
        huge = b"a" * (MAX_PACKED_BYTES + 1)
        assert client.put("/push/frames/x", content=huge).status_code == 413
    with team_client(served.address) as client:
        # Nobody reads what a stranger sends.
        assert client.put("/push/frames/x", content=b"a" * 1_000_000).status_code == 401
        assert client.post("/push/login", content=b"a" * 70_000).status_code == 413


def test_every_response_has_an_id_and_headers_of_safety(client: httpx.Client) -> None:
    given = client.get("/api/x", headers={"x-request-id": "abc-1"})
    assert given.headers["x-request-id"] == "abc-1"
    for bad in ("a b", "x" * 65, "<script>", ""):
        made = client.get("/health", headers={"x-request-id": bad}).headers["x-request-id"]
        assert made != bad
        assert len(made) == 16
    assert "default-src 'none'" in given.headers["content-security-policy"]
    assert given.headers["cache-control"] == "private, no-cache"
    assert "strict-transport-security" not in given.headers


def test_revocation_is_immediate(served: Served) -> None:
    with open_team(served.location) as team:
        bob = create_member(team, served.organisation_id, "bob")
        first = register_device(team, served.organisation_id, bob.id, "one")
        second = register_device(team, served.organisation_id, bob.id, "two")
        with (
            team_client(served.address, first.token) as one,
            team_client(served.address, second.token) as two,
        ):
            assert [c.get("/api/schema").status_code for c in (one, two)] == [200, 200]
            revoke_device(team, served.organisation_id, first.device_id)
            assert [c.get("/api/schema").status_code for c in (one, two)] == [401, 200]
            disable_member(team, bob)
            assert [c.get("/api/schema").status_code for c in (one, two)] == [401, 401]


def test_too_many_requests_are_slowed_down(served: Served) -> None:
    limits = RequestLimits(reads=3, pushes=2, logins=2, failures=2)
    with serving_team(TeamSettings(location=served.location, limits=limits)) as address:
        with team_client(address, served.device) as client:
            read = [client.get("/api/schema") for _ in range(4)]
            pushed = [client.post("/push/x") for _ in range(3)]
            assert [found.status_code for found in read] == [200, 200, 200, 429]
            assert [found.status_code for found in pushed] == [404, 404, 429]
            assert 1 <= int(read[-1].headers["retry-after"]) <= 21
            assert read[-1].json()["error"]["code"] == "too_many_requests"
            assert client.get("/health").status_code == 200
        with team_client(address, "clew_wrong") as client:
            guesses = [client.get("/api/schema").status_code for _ in range(3)]
            assert guesses == [401, 401, 429]
        with team_client(address) as browser:
            # Whoever is known is not stopped by what others at the same address do.
            browser.cookies.set("clew_session", served.browser)
            assert browser.get("/api/schema").status_code == 200


def test_behind_a_proxy_the_proxy_says_who_asks(served: Served) -> None:
    limits = RequestLimits(failures=1)
    settings = TeamSettings(
        location=served.location,
        limits=limits,
        trusts_proxy=True,
        public_url="https://clew.example.org",
    )
    with serving_team(settings) as address, team_client(address, "clew_wrong") as client:

        def ask(forwarded: str) -> int:
            headers = {"x-forwarded-for": forwarded, "host": "clew.example.org"}
            return client.get("/api/x", headers=headers).status_code

        assert [ask("10.0.0.1"), ask("10.0.0.1")] == [401, 429]
        # What the client wrote itself comes first.
        assert [ask("10.0.0.9, 10.0.0.1"), ask("10.0.0.2")] == [429, 401]
        found = client.get("/health")
        assert found.headers["strict-transport-security"] == "max-age=31536000"
        cookie = {"cookie": f"__Host-clew_session={served.browser}"}
        with team_client(address) as browser:
            posted = browser.post(
                "/nothing", headers={**cookie, "origin": "https://clew.example.org"}
            )
            assert posted.status_code == 404
            assert browser.get("/api/schema", headers=cookie).status_code == 200


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("10.0.0.1", "10.0.0.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("::ffff:10.0.0.1", "::ffff:10.0.0.1"),
        ("unknown", "unknown"),
    ],
)
def test_a_network_of_many_addresses_counts_as_one(address: str, expected: str) -> None:
    settings = TeamSettings(location=PostgresLocation("", ""), trusts_proxy=True)
    headers = {b"x-forwarded-for": f"10.9.9.9, {address}".encode()}

    assert client_address({}, headers, settings) == expected
    assert client_address({"client": (address, 1)}, {}, settings) == expected
    assert client_address({}, {}, settings) == ""


def test_a_database_that_is_away_is_reported(
    postgres_server: PostgresServer, prepared_database: str
) -> None:
    url = postgres_server.make_database(like=prepared_database)
    with serving_team(TeamSettings(location=PostgresLocation(url, "/nowhere"))) as address:
        postgres_server.drop_database(url)
        with team_client(address, "clew_x") as client:
            assert client.get("/health").status_code == 200
            for path in ("/ready", "/api/schema"):
                found = client.get(path)
                assert (found.status_code, found.json()["error"]["code"]) == (503, "unavailable")


@pytest.mark.parametrize(
    "url",
    [
        *("", "clew.example", "ftp://clew.example", "https://", "https://a/b", "https://a?b"),
        *("https://u:p@a", "https://a:99999", "https://a b", "http://[::1", "https://a\nb"),
    ],
)
def test_a_public_url_is_a_scheme_and_a_host(url: str) -> None:
    assert require_public_url("https://clew.example.org/") == "https://clew.example.org"
    with pytest.raises(BadPublicUrlError):
        require_public_url(url)


@pytest.mark.parametrize(
    ("words", "environment", "expected"),
    [
        (["--host", "0.0.0.0"], {}, "set --public-url"),  # noqa: S104 (refused)
        (["--public-url", "clew.example"], {}, "is not the URL of a server"),
        ([], {"CLEW_OIDC_ISSUER": "https://id.example"}, "CLEW_OIDC_CLIENT_ID"),
    ],
)
def test_settings_that_cannot_work_are_refused(
    words: list[str],
    environment: dict[str, str],
    expected: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("CLEW_ARCHIVE", "postgresql:///nowhere")
    monkeypatch.setenv("CLEW_BLOBS", "/nowhere")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)

    assert main(["server", "--port", "0", *words]) == 2
    assert expected in capsys.readouterr().err


@pytest.mark.parametrize(
    ("url", "is_private"),
    [
        ("http://clew.example.org", False),
        ("https://clew.example.org", True),
        ("http://127.0.0.1:8378", True),
        ("http://[::1]:8378", True),
    ],
)
def test_what_others_could_read_is_known(url: str, *, is_private: bool) -> None:
    settings = TeamSettings(location=PostgresLocation("", ""), public_url=url)

    assert settings.is_private == is_private


def test_the_command_makes_the_tables_and_serves(postgres_url: str, tmp_path: object) -> None:
    words = ["server", "--port", "0", "--archive", postgres_url, "--blobs", str(tmp_path)]
    with subprocess.Popen(  # noqa: S603 (our own module)
        [sys.executable, "-m", "clew", *words],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "NO_COLOR": "1"},
    ) as process:
        timer = threading.Timer(120, process.kill)
        timer.start()
        assert process.stderr is not None
        line = process.stderr.readline()
        assert line.startswith("Serving on http://127.0.0.1:")
        with team_client(line.split()[2]) as client:
            assert client.get("/ready").json()["status"] == "ready"
        process.send_signal(signal.SIGTERM)
        process.wait(60)
        timer.cancel()
