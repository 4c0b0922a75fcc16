"""Logging in: with a password, an invite or a reset, and devices that a member confirms."""

import re
from collections.abc import Iterator

import httpx
import msgspec
import pytest

from clew.server.accounts import Member, create_member, create_organisation, disable_member
from clew.server.audit import list_audit
from clew.server.devices import register_device
from clew.server.links import make_link
from clew.server.passwords import set_password
from clew.server.principal import Role
from clew.server.projects import add_project_member, create_project
from clew.server.settings import TeamSettings
from clew.server.tokens import TokenKind
from clew.store.postgres.team import open_team
from clew.store.postgres_location import PostgresLocation
from tests.postgres_server import PostgresServer
from tests.team.team_server import serving_team, team_client

PASSWORD = "correct horse battery"  # noqa: S105 (of a server in this test)
SCHEMA = "/api/schema"
PAGE = {"accept": "text/html"}


class LoginServer(msgspec.Struct):
    """A server with a member who has a password."""

    address: str
    location: PostgresLocation
    ada: Member


@pytest.fixture(scope="module")
def served(postgres_server: PostgresServer, prepared_database: str) -> Iterator[LoginServer]:
    url = postgres_server.make_database(like=prepared_database)
    location = PostgresLocation(url, "/nowhere")
    with open_team(location) as team:
        ada = create_member(team, create_organisation(team, "acme <b>").id, "ada")
        set_password(team, ada, PASSWORD)
    with serving_team(TeamSettings(location=location)) as address:
        yield LoginServer(address, location, ada)


@pytest.fixture
def browser(served: LoginServer) -> Iterator[httpx.Client]:
    with team_client(served.address) as client:
        client.headers.update({"origin": served.address, **PAGE})
        yield client


def log_in(browser: httpx.Client, name: str = "ada", password: str = PASSWORD) -> httpx.Response:
    return browser.post("/login", data={"name": name, "password": password})


def test_a_password_lets_a_browser_in_and_out(served: LoginServer, browser: httpx.Client) -> None:
    page = browser.get("/login")
    assert page.status_code == 200
    assert 'type="password"' in page.text

    browser.get("/sessions/x?y=1")
    found = log_in(browser)
    assert (found.status_code, found.headers["location"]) == (303, "/sessions/x?y=1")
    cookie = found.headers.get_list("set-cookie")[0]
    assert {"HttpOnly", "SameSite=lax", "Path=/", "Max-Age=1209600"} <= set(cookie.split("; "))
    assert "Secure" not in cookie
    token = browser.cookies["clew_session"]
    assert browser.get(SCHEMA).status_code == 200
    assert browser.get("/login").status_code == 303

    # Who logs in again gets another token, and the first one is over.
    log_in(browser)
    assert browser.cookies["clew_session"] != token
    with team_client(served.address) as other:
        other.cookies.set("clew_session", token)
        assert other.get(SCHEMA).status_code == 401

    last = browser.cookies["clew_session"]
    assert browser.post("/logout").headers["location"] == "/login"
    assert "clew_session" not in browser.cookies
    browser.cookies.set("clew_session", last)
    assert browser.get(SCHEMA).status_code == 401


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"name": "ada"},
        {"name": "ada", "password": ""},
        {"name": "ada", "password": PASSWORD.upper()},
        {"name": "nobody", "password": PASSWORD},
        {"name": "ada\0", "password": PASSWORD},
        {"name": "' OR 1=1 --", "password": "' OR 1=1 --"},
        {"name": "ada" * 500, "password": "x" * 5_000},
    ],
)
def test_a_wrong_name_or_password_is_not_told_apart(
    browser: httpx.Client, fields: dict[str, str]
) -> None:
    found = browser.post("/login", data=fields)

    assert found.status_code == 403
    assert "Incorrect name or password." in found.text
    assert "set-cookie" not in found.headers


def test_guessing_is_stopped_for_a_while(served: LoginServer) -> None:
    settings = TeamSettings(location=served.location)
    with serving_team(settings) as address, team_client(address) as browser:
        browser.headers["origin"] = address
        codes = [log_in(browser, "eve", "wrong").status_code for _ in range(6)]
        assert codes == [403] * 5 + [429]
        refused = log_in(browser, "eve", "wrong")
        assert 1 <= int(refused.headers["retry-after"]) <= 61
        assert log_in(browser).status_code == 303


def test_with_https_no_other_host_sets_or_reads_the_cookie(served: LoginServer) -> None:
    settings = TeamSettings(location=served.location, public_url="https://clew.example.org")
    with serving_team(settings) as address, team_client(address) as browser:
        browser.headers.update({"host": "clew.example.org", "origin": "https://clew.example.org"})
        cookies = log_in(browser).headers.get_list("set-cookie")

    assert cookies[0].startswith("__Host-clew_session=clew_")
    assert {"HttpOnly", "Secure", "SameSite=lax", "Path=/"} <= set(cookies[0].split("; "))
    assert "Domain" not in cookies[0]


@pytest.mark.parametrize(
    "place", ["//evil.example", "https://evil.example", "/\\evil.example", "/%0d%0aset-cookie:a=b"]
)
def test_no_login_leads_elsewhere(served: LoginServer, place: str) -> None:
    with team_client(served.address) as browser:
        browser.headers.update({"origin": served.address})
        browser.cookies.set("clew_place", place)
        location = log_in(browser).headers["location"]
    assert location == "/" or "evil" not in location
    assert "\r" not in location


def test_an_invite_is_used_once(served: LoginServer, browser: httpx.Client) -> None:
    with open_team(served.location) as team:
        bob = create_member(team, served.ada.organisation_id, "bob")
        invite = make_link(team, TokenKind.INVITE, bob)
    url = f"/invite/{invite}"

    assert [browser.get(url).status_code for _ in range(3)] == [200] * 3
    assert "Join acme &lt;b&gt;" in browser.get(url).text
    weak = browser.post(url, data={"password": "short"})
    assert weak.status_code == 400
    assert browser.get(f"/reset/{invite}").status_code == 410
    foreign = browser.post(
        url, data={"password": PASSWORD}, headers={"origin": "http://evil.example"}
    )
    assert foreign.status_code == 403
    assert browser.post(url, data={"password": PASSWORD}).headers["location"] == "/"
    assert browser.get(SCHEMA).status_code == 200
    for again in (browser.get(url), browser.post(url, data={"password": PASSWORD + "!"})):
        assert again.status_code == 410
        assert "can no longer be used" in again.text
    assert log_in(browser, "bob", PASSWORD + "!").status_code == 403
    assert log_in(browser, "bob").status_code == 303


def test_a_reset_logs_other_browsers_out(served: LoginServer, browser: httpx.Client) -> None:
    with open_team(served.location) as team:
        eve = create_member(team, served.ada.organisation_id, "eve")
        set_password(team, eve, PASSWORD)
        reset = make_link(team, TokenKind.RESET, eve)
    log_in(browser, "eve")
    with team_client(served.address) as other:
        other.headers["origin"] = served.address
        assert other.post(f"/reset/{reset}", data={"password": "a new password"}).is_redirect
        assert other.get(SCHEMA).status_code == 200
    assert browser.get(SCHEMA).status_code == 401
    assert log_in(browser, "eve").status_code == 403


def test_a_device_gets_a_token_once_its_member_confirms(
    served: LoginServer, browser: httpx.Client
) -> None:
    device = httpx.Client(base_url=served.address, trust_env=False, timeout=60)
    start = device.post("/push/login", json={"device_name": "ada's <laptop>"}).json()
    assert re.fullmatch(r"[B-Z]{4}-[B-Z]{4}", start["user_code"])
    assert start["verification_url"].startswith(f"{served.address}/device?code=")
    poll = {"device_code": start["device_code"]}
    assert device.post("/push/login/poll", json=poll).status_code == 202

    page = f"/device?code={start['user_code'].lower()}"
    assert browser.get(page).headers["location"] == "/login"
    assert log_in(browser).headers["location"] == page
    shown = browser.get(page).text
    assert start["user_code"] in shown
    assert "ada&#x27;s &lt;laptop&gt;" in shown
    answer = {"code": start["user_code"], "answer": "confirm"}
    for foreign in ({"origin": "http://evil.example"}, {"sec-fetch-site": "cross-site"}):
        assert browser.post("/device", data=answer, headers=foreign).status_code == 403
    assert device.post("/push/login/poll", json=poll).status_code == 202
    assert "is connected" in browser.post("/device", data=answer).text
    assert browser.post("/device", data=answer).status_code == 404

    done = device.post("/push/login/poll", json=poll)
    assert done.headers["cache-control"] == "no-store"
    assert (done.status_code, done.json()["member"]) == (200, "ada")
    again = device.post("/push/login/poll", json=poll)
    assert (again.status_code, again.json()["error"]["code"]) == (410, "login_over")

    device.headers["authorization"] = f"Bearer {done.json()['token']}"
    me = device.get("/push/whoami").json()
    assert (me["member"], me["organisation"], me["device"]) == ("ada", "acme <b>", "ada's <laptop>")
    assert me["may_be_read_by"][0] == "private: you; no auditor"
    # A device's token changes no account and lets no other device in.
    assert device.get("/device", headers=PAGE).status_code == 403
    assert device.post("/device", data=answer).status_code == 403
    assert device.post("/push/logout").status_code == 204
    assert device.get("/push/whoami").status_code == 401
    device.close()


def test_a_refused_or_forgotten_device_gets_nothing(
    served: LoginServer, browser: httpx.Client
) -> None:
    log_in(browser)
    with team_client(served.address) as device, open_team(served.location) as team:
        refused = device.post("/push/login", json={"device_name": "one"}).json()
        browser.post("/device", data={"code": refused["user_code"], "answer": "refuse"})
        late = device.post("/push/login", json={"device_name": "two"}).json()
        browser.post("/device", data={"code": late["user_code"], "answer": "confirm"})
        team.connection.execute(b"UPDATE device_request SET expires_at = now()")
        codes = [refused["device_code"], late["device_code"], "clew_unknown", "", "x" * 300]
        for code in codes:
            found = device.post("/push/login/poll", json={"device_code": code})
            assert found.status_code == 410
        for body in ({}, {"device_name": ""}, {"device_name": "a\nb"}, {"device_name": "x" * 999}):
            assert device.post("/push/login", json=body).status_code == 400
        assert device.post("/push/login", json={"device_name": "a", "x": 1}).status_code == 400


def test_a_disabled_member_gets_no_token(served: LoginServer, browser: httpx.Client) -> None:
    with open_team(served.location) as team:
        dan = create_member(team, served.ada.organisation_id, "dan")
        set_password(team, dan, PASSWORD)
        log_in(browser, "dan")
        with team_client(served.address) as device:
            start = device.post("/push/login", json={"device_name": "one"}).json()
            browser.post("/device", data={"code": start["user_code"], "answer": "confirm"})
            disable_member(team, dan)
            poll = {"device_code": start["device_code"]}
            assert device.post("/push/login/poll", json=poll).status_code == 410
        assert browser.get(SCHEMA).status_code == 401
        assert log_in(browser, "dan").status_code == 403


def test_members_see_who_may_read_them(served: LoginServer) -> None:
    with open_team(served.location) as team:
        other = create_organisation(team, "readers")
        one = create_member(team, other.id, "one")
        create_member(team, other.id, "watcher", Role.AUDITOR)
        add_project_member(team, create_project(team, other.id, "api"), one)
        token = register_device(team, other.id, one.id, "laptop").token
    with team_client(served.address, token) as device:
        assert device.get("/push/whoami").json()["may_be_read_by"] == [
            "private: you; auditors (watcher)",
            "project api: its 1 member; auditors (watcher)",
            "organisation: all members of readers",
            "leads see usage by member: no",
            "a model reads your sessions to write digests: no",
        ]


def test_logins_are_in_the_audit_log(served: LoginServer, browser: httpx.Client) -> None:
    log_in(browser)
    with open_team(served.location) as team:
        latest = list_audit(team, served.ada.organisation_id, maximum=1)[0]

    assert (latest.action, latest.actor, latest.detail) == ("login", "ada", "password")
