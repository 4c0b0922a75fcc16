"""Logging in with an identity provider: a real one, and one that lies."""

import base64
import hashlib
import json
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from html import unescape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import jwt
import msgspec
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa

from clew.server.accounts import Member, create_member, create_organisation, disable_member
from clew.server.devices import list_devices, register_device
from clew.server.links import make_link
from clew.server.oidc import OidcClient, OidcError, make_attempt, pack_attempt, unpack_attempt
from clew.server.passwords import set_password
from clew.server.settings import OidcSettings, TeamSettings
from clew.server.tokens import TokenKind
from clew.store.postgres.team import open_team
from clew.store.postgres_location import PostgresLocation
from tests.postgres_server import PostgresServer
from tests.team.team_server import PATIENCE, serving_team, team_client

PASSWORD = "correct horse battery"  # noqa: S105 (of a server in this test)
SCHEMA = "/api/schema"
# A key that is no secret, since everybody can read it.
PUBLISHED = base64.urlsafe_b64encode(b"0123456789" * 6).decode()


@pytest.fixture(scope="module")
def issuer() -> Iterator[str]:
    """Give the address of a real provider, in a process of its own."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    words = [sys.executable, "-W", "ignore", "-m", "oidc_provider_mock", "--port", str(port)]
    with subprocess.Popen(  # noqa: S603 (a program of our tests)
        [*words, "--require-nonce", "true"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        address = f"http://127.0.0.1:{port}"
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until and not answers(address):
            time.sleep(0.1)
        yield address
        process.kill()


def answers(address: str) -> bool:
    try:
        httpx.get(f"{address}/.well-known/openid-configuration", trust_env=False)
    except httpx.TransportError:
        return False
    return True


class OidcServer(msgspec.Struct):
    """A server whose members may log in with a provider."""

    address: str
    location: PostgresLocation
    organisation_id: int


@pytest.fixture(scope="module")
def served(
    postgres_server: PostgresServer, prepared_database: str, issuer: str
) -> Iterator[OidcServer]:
    location = PostgresLocation(postgres_server.make_database(like=prepared_database), "/nowhere")
    with open_team(location) as team:
        acme = create_organisation(team, "acme")
    oidc = OidcSettings(issuer=issuer, client_id="clew", client_secret="s/e c", name="Example ID")  # noqa: S106
    with serving_team(TeamSettings(location=location, oidc=oidc)) as address:
        yield OidcServer(address, location, acme.id)


@pytest.fixture
def browser(served: OidcServer) -> Iterator[httpx.Client]:
    with team_client(served.address) as client:
        client.headers.update({"origin": served.address, "accept": "text/html"})
        yield client


def add_member(served: OidcServer, name: str) -> tuple[Member, str]:
    """Give a new member, and the token of their invite."""
    with open_team(served.location) as team:
        member = create_member(team, served.organisation_id, name)
        return member, make_link(team, TokenKind.INVITE, member)


def consent_at(url: str, subject: str) -> str:
    """Log in at the provider as somebody; give the address that it sends the browser back to."""
    found = httpx.post(url, data={"sub": subject}, trust_env=False, timeout=PATIENCE)
    assert found.status_code == 302
    return found.headers["location"]


def log_in(browser: httpx.Client, subject: str, start: str = "/login/oidc") -> httpx.Response:
    return browser.get(consent_at(browser.get(start).headers["location"], subject))


def test_nobody_joins_without_an_invite(served: OidcServer, browser: httpx.Client) -> None:
    assert "Log in with Example ID" in browser.get("/login").text
    stranger = log_in(browser, "ada@example.org")
    assert stranger.status_code == 403
    assert "belongs to no member" in stranger.text
    assert browser.get(SCHEMA).status_code == 401

    _, invite = add_member(served, "ada@example.org")
    # A member's name or e-mail address means nothing.
    assert log_in(browser, "ada@example.org").status_code == 403
    assert f"/login/oidc?invite={invite}" in unescape(browser.get(f"/invite/{invite}").text)
    joined = log_in(browser, "ada@example.org", f"/login/oidc?invite={invite}")
    assert (joined.status_code, joined.headers["location"]) == (303, "/")
    assert browser.get(SCHEMA).status_code == 200
    browser.post("/logout")

    browser.get("/sessions/x")
    assert log_in(browser, "ada@example.org").headers["location"] == "/sessions/x"
    assert browser.get(SCHEMA).status_code == 200
    again = browser.get(f"/login/oidc?invite={invite}")
    assert again.status_code == 410
    with open_team(served.location) as team:
        found = team.record("find_member", {"name": "ada@example.org"})
        assert found is not None
        disable_member(team, msgspec.convert(found, Member, strict=False))
    assert log_in(browser, "ada@example.org").status_code == 403


def test_a_login_belongs_to_the_browser_that_started_it(
    served: OidcServer, browser: httpx.Client
) -> None:
    _, invite = add_member(served, "bob")
    log_in(browser, "bob", f"/login/oidc?invite={invite}")
    browser.post("/logout")

    start = browser.get("/login/oidc")
    query = {
        name: values[0]
        for name, values in parse_qs(urlsplit(start.headers["location"]).query).items()
    }
    attempt = unpack_attempt(browser.cookies["clew_oidc"])
    assert attempt is not None
    digest = hashlib.sha256(attempt.verifier.encode()).digest()
    assert query["code_challenge"] == base64.urlsafe_b64encode(digest).decode().rstrip("=")
    assert (query["code_challenge_method"], query["scope"]) == ("S256", "openid")
    assert query["redirect_uri"] == f"{served.address}/login/oidc/callback"
    cookie = start.headers["set-cookie"]
    assert {"HttpOnly", "SameSite=lax", "Path=/login", "Max-Age=600"} <= set(cookie.split("; "))

    back = consent_at(start.headers["location"], "bob")
    with team_client(served.address) as victim:
        # Somebody else's browser is not logged in as the one who sends them the address.
        assert victim.get(back).status_code == 403
        victim.get("/login/oidc")
        assert victim.get(back).status_code == 403
        assert "clew_session" not in victim.cookies
    wrong = back.replace(f"state={query['state']}", "state=x")
    assert browser.get(wrong).status_code == 403
    # A wrong state ends the attempt.
    assert browser.get(back).status_code == 403
    for rest in ("", "?error=access_denied", "?code=x", "?state=x", "?code=x&state=" + "y" * 5_000):
        browser.get("/login/oidc")
        assert browser.get(f"/login/oidc/callback{rest}").status_code in (400, 403)
    browser.cookies.set("clew_oidc", "%%%", path="/login")
    assert browser.get("/login/oidc/callback?code=x&state=").status_code == 403


def test_an_identity_is_connected_by_its_member_alone(
    served: OidcServer, browser: httpx.Client
) -> None:
    dan, _ = add_member(served, "dan")
    eve, invite = add_member(served, "eve")
    with open_team(served.location) as team:
        set_password(team, dan, PASSWORD)
    browser.post("/login", data={"name": "dan", "password": PASSWORD})
    assert "No account is connected" in browser.get("/account").text

    foreign = {"origin": "http://evil.example"}
    own = {"current": PASSWORD}
    assert browser.post("/account/identity", data=own, headers=foreign).status_code == 403
    assert browser.post("/account/identity", data={"current": "wrong"}).status_code == 403
    page = browser.post("/account/identity", data=own)
    url = "http" + unescape(page.text).partition('href="http')[2].partition('"')[0]
    assert "prompt=login" in url
    back = consent_at(url, "dan-at-work")
    with team_client(served.address) as other:
        # Without the session of the member who asked for it, nothing is connected.
        other.cookies.set("clew_oidc", browser.cookies["clew_oidc"], path="/login")
        assert other.get(back).status_code == 403
    back = consent_at(url, "dan-at-work")
    assert browser.get(back).status_code == 303
    assert "An account is connected" in browser.get("/account").text
    browser.post("/logout")
    assert log_in(browser, "dan-at-work").status_code == 303

    taken = log_in(browser, "dan-at-work", f"/login/oidc?invite={invite}")
    assert taken.status_code == 400
    # The invite was not used up by that.
    assert log_in(browser, "eve-at-work", f"/login/oidc?invite={invite}").status_code == 303
    changed = browser.post("/account/password", data={"password": PASSWORD})
    assert changed.status_code == 403
    assert "reset link" in changed.text
    assert eve.id != dan.id


def test_a_member_manages_their_own_account(served: OidcServer, browser: httpx.Client) -> None:
    fay, _ = add_member(served, "fay")
    gus, _ = add_member(served, "gus")

    with open_team(served.location) as team:
        set_password(team, fay, PASSWORD)
        own = register_device(team, served.organisation_id, fay.id, "<laptop>")
        others = register_device(team, served.organisation_id, gus.id, "desktop")
    browser.post("/login", data={"name": "fay", "password": PASSWORD})
    text = browser.get("/account").text
    assert "&lt;laptop&gt;" in text
    assert "desktop" not in text
    assert "private: you; no auditor" in text
    assert browser.post(f"/account/devices/{others.device_id}/revoke").status_code == 404
    assert browser.post(f"/account/devices/{own.device_id}/revoke").status_code == 303
    with open_team(served.location) as team:
        revoked = {one.id for one in list_devices(team, served.organisation_id) if one.revoked_at}
    assert revoked == {own.device_id}

    form = {"current": PASSWORD, "password": "another good one"}
    assert browser.post("/account/password", data={**form, "current": "x"}).status_code == 403
    assert browser.post("/account/password", data={**form, "password": "x"}).status_code == 400
    before = browser.cookies["clew_session"]
    assert browser.post("/account/password", data=form).headers["location"] == "/account"
    assert browser.cookies["clew_session"] != before
    assert browser.get("/account").status_code == 200


class LyingProvider:
    """A provider that answers with the token that it is given."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.key = rsa.generate_private_key(65537, 2048)
        self.other_key = rsa.generate_private_key(65537, 2048)
        self.facts: dict[str, Any] = {
            "issuer": address,
            "authorization_endpoint": f"{address}/authorize",
            "token_endpoint": f"{address}/token",
            "jwks_uri": f"{address}/keys",
        }
        self.token = ""
        self.asked: list[dict[str, list[str]]] = []

    def answer(self, path: str) -> bytes:
        public = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(self.key.public_key()))
        shared = {"kty": "oct", "kid": "shared", "k": PUBLISHED}
        found: dict[str, Any] = {
            "/.well-known/openid-configuration": self.facts,
            "/keys": {"keys": [{**public, "kid": "one"}, shared]},
            "/token": {"id_token": self.token, "token_type": "Bearer", "access_token": "x"},
        }
        return json.dumps(found[path]).encode()


@contextmanager
def lying_provider() -> Iterator[LyingProvider]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path == "/moved":
                self.send_response(302)
                self.send_header("location", "/.well-known/openid-configuration")
                self.end_headers()
                return
            body = provider.answer(self.path)
            self.send_response(200)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_POST(self) -> None:
            text = self.rfile.read(int(self.headers["content-length"])).decode()
            provider.asked.append(parse_qs(text))
            self.do_GET()

        def log_message(self, *_: object) -> None:  # type: ignore[explicit-override]
            return

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        provider = LyingProvider(f"http://127.0.0.1:{server.server_address[1]}")
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield provider
        server.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def liar() -> Iterator[LyingProvider]:
    with lying_provider() as provider:
        yield provider


def test_only_a_token_that_is_right_in_all_is_believed(liar: LyingProvider) -> None:
    now = int(time.time())
    client = OidcClient(OidcSettings(issuer=liar.address, client_id="clew"), "http://here/back")
    attempt = make_attempt()
    right = {
        "iss": liar.address,
        "aud": "clew",
        "sub": "ada",
        "nonce": attempt.nonce,
        "iat": now,
        "exp": now + 600,
    }

    def finish(
        claims: dict[str, Any], key: Any = liar.key, alg: str = "RS256", kid: str = "one"
    ) -> str:
        made = {name: value for name, value in claims.items() if value is not None}
        liar.token = jwt.encode(made, key, algorithm=alg, headers={"kid": kid})
        return client.finish(attempt, "code")

    assert finish(right) == "ada"
    assert liar.asked[-1]["code_verifier"] == [attempt.verifier]
    assert finish({**right, "aud": ["clew", "other"], "azp": "clew"}) == "ada"
    for lie in (
        *({"iss": "http://evil.example"}, {"aud": "other"}, {"nonce": "x"}, {"nonce": None}),
        *({"exp": now - 600}, {"exp": None}, {"iat": None}, {"sub": None}, {"aud": None}),
        *({"sub": ""}, {"sub": "x" * 300}, {"azp": "other"}, {"iat": now + 900}),
    ):
        with pytest.raises(OidcError):
            finish({**right, **lie})
    secret = base64.urlsafe_b64decode(PUBLISHED)
    for key, alg, kid in (
        (liar.other_key, "RS256", "one"),
        (liar.key, "RS256", "two"),
        (liar.key, "RS512", "one"),
        ("x" * 64, "HS256", "one"),
        (secret, "HS256", "shared"),
        (None, "none", "one"),
    ):
        with pytest.raises(OidcError):
            finish(right, key, alg, kid)
    for text in ("", "a.b.c", "x" * 100):
        liar.token = text
        with pytest.raises(OidcError):
            client.finish(attempt, "code")


def test_a_provider_must_be_who_it_says_and_encrypt(liar: LyingProvider) -> None:
    facts = dict(liar.facts)

    def start(**changes: str) -> str:
        liar.facts = {**facts, **changes}
        settings = OidcSettings(issuer=liar.address, client_id="clew")
        return OidcClient(settings, "http://here/back").start(make_attempt())

    assert start().startswith(f"{liar.address}/authorize?")
    for changes in (
        {"issuer": "http://evil.example"},
        {"authorization_endpoint": "http://provider.example/authorize"},
        {"authorization_endpoint": "javascript:alert(1)"},
    ):
        with pytest.raises(OidcError):
            start(**changes)
    liar.facts = {**facts, "token_endpoint": f"{liar.address}/moved"}
    client = OidcClient(OidcSettings(issuer=liar.address, client_id="clew"), "http://here/back")
    with pytest.raises(OidcError):
        client.finish(make_attempt(), "code")
    liar.facts = facts
    for issuer in ("http://provider.example", "file:///etc", "http://127.0.0.1:1"):
        with pytest.raises(OidcError):
            OidcClient(OidcSettings(issuer=issuer, client_id="clew"), "").start(make_attempt())


def test_an_attempt_survives_its_cookie() -> None:
    attempt = make_attempt(invite="clew_x", member_id=3)

    assert unpack_attempt(pack_attempt(attempt)) == attempt
    for text in ("", "x", "{}", "é", pack_attempt(attempt)[:-5]):
        assert unpack_attempt(text) is None
