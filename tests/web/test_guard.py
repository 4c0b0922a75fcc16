"""Who may ask: hosts, origins, tokens, sizes."""

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest

from clew.samples import samples_root
from clew.store import Home
from clew.web import ExposedError, Settings, make_app
from clew.web.guard import (
    COOKIE,
    RETURN_COOKIE,
    Message,
    Receive,
    Scope,
    Send,
    host_name,
    is_same_origin,
)
from tests.web.serving import client_for, serving, settings_for

HTML = {"accept": "text/html"}
TOKEN = "a-token-that-is-long-enough"  # noqa: S105 (of a server in this test)

ODD_TOKEN = 'grün; "with" a ,comma%20 and more'  # noqa: S105 (of a server in this test)


@pytest.fixture(scope="module")
def locked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    home = tmp_path_factory.mktemp("archive")
    with serving(settings_for(home, samples_root(), token=TOKEN)) as address:
        yield address


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "", "localhost.evil"])
def test_an_unknown_host_is_turned_away(client: httpx.Client, host: str) -> None:
    found = client.get("/api/health", headers={"host": host})

    assert found.status_code == 421
    assert found.json()["error"]["code"] == "unknown_host"


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:1", "[::1]:80", "LOCALHOST:9"])
def test_names_of_this_machine_are_known(client: httpx.Client, host: str) -> None:
    assert client.get("/api/health", headers={"host": host}).status_code == 200


def test_another_site_gets_no_events(client: httpx.Client) -> None:
    found = client.get("/api/events", headers={"origin": "http://evil.example"})

    assert found.status_code == 403


def test_another_site_may_change_nothing(client: httpx.Client) -> None:
    found = client.post("/login", headers={"origin": "http://evil.example"})

    assert found.status_code == 403


def test_a_page_elsewhere_may_not_post_even_without_an_origin(client: httpx.Client) -> None:
    found = client.post("/login", headers={"sec-fetch-site": "cross-site"})

    assert found.status_code == 403


def test_a_long_address_is_refused(client: httpx.Client) -> None:
    assert client.get("/api/sessions?text=" + "a" * 9000).status_code == 414


def test_a_large_body_is_refused(client: httpx.Client) -> None:
    assert client.post("/login", content=b"a" * 70_000).status_code == 413


def test_every_answer_carries_the_headers_of_safety(client: httpx.Client) -> None:
    headers = client.get("/api/health").headers

    assert "default-src 'none'" in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "same-origin"


def test_each_answer_has_a_nonce_of_its_own(client: httpx.Client) -> None:
    policies = {client.get("/api/health").headers["content-security-policy"] for _ in range(3)}

    assert len(policies) == 3


def test_without_the_token_nothing_is_told(locked: str) -> None:
    with client_for(locked) as client:
        found = client.get("/api/sessions")

    assert found.status_code == 401
    assert "sessions" not in found.json()


@pytest.mark.parametrize("shown", ["a", TOKEN[:-1], TOKEN + "x", TOKEN.upper()])
def test_a_wrong_token_is_refused(locked: str, shown: str) -> None:
    with client_for(locked) as client:
        found = client.get("/api/sessions", headers={"authorization": f"Bearer {shown}"})

    assert found.status_code == 401


def test_the_token_opens_as_a_bearer(locked: str) -> None:
    with client_for(locked) as client:
        found = client.get("/api/sessions", headers={"authorization": f"Bearer {TOKEN}"})

    assert found.status_code == 200


def test_a_token_in_the_address_opens_nothing(locked: str) -> None:
    with client_for(locked) as client:
        assert client.get(f"/api/sessions?token={TOKEN}").status_code == 401


def test_a_browser_without_the_token_is_sent_to_the_door(locked: str) -> None:
    with client_for(locked) as client:
        found = client.get("/", headers={"accept": "text/html"})

    assert found.status_code == 303
    assert found.headers["location"] == "/login"


def test_the_token_is_taken_once_and_kept_in_a_cookie(locked: str) -> None:
    with client_for(locked) as client:
        taken = client.post("/login", data={"token": TOKEN}, headers={"origin": locked})
        cookie = taken.headers.get_list("set-cookie")[0]

        assert (taken.status_code, taken.headers["location"]) == (303, "/")
        assert {"HttpOnly", "SameSite=lax", "Path=/"} <= set(cookie.split("; "))
        assert client.get("/api/sessions").status_code == 200


@pytest.mark.parametrize("body", [b"", b"token=", b"token=wrong", b"\xff\xfe", b"a=b&c"])
def test_a_form_without_the_token_opens_nothing(locked: str, body: bytes) -> None:
    with client_for(locked) as client:
        found = client.post("/login", content=body)

    assert found.status_code == 403
    assert "set-cookie" not in found.headers


def test_where_there_is_no_token_none_is_taken(client: httpx.Client) -> None:
    assert client.post("/login", data={"token": ""}).status_code == 403


def test_a_broken_cookie_is_no_token(locked: str) -> None:
    with client_for(locked) as client:
        found = client.get("/api/sessions", headers={"cookie": 'clew_token="; =;\x7f'})

    assert found.status_code == 401


@pytest.mark.parametrize(
    "others",
    ['prefs={"a":1}', "a[b]=c", "alone", 'open="', "expires=never", "a=b c,d", "clew_token=old"],
)
def test_cookies_of_other_apps_on_this_machine_do_not_close_the_door(
    locked: str, others: str
) -> None:
    with client_for(locked) as client:
        cookies = {"cookie": f"{others}; {COOKIE}={TOKEN}; {others}"}

        assert client.get("/api/sessions", headers=cookies).status_code == 200


def test_a_token_of_any_letters_comes_back_as_it_is(tmp_path: Path) -> None:
    settings = Settings(port=0, location=Home(tmp_path), token=ODD_TOKEN, is_followed=False)
    with serving(settings) as address, client_for(address) as client:
        client.post("/login", data={"token": ODD_TOKEN})

        assert client.get("/api/health").status_code == 200


@pytest.mark.parametrize("place", ["/usage?since=7d&model=a%2Fb", "/sessions/a%20b", "/?text=ü"])
def test_the_token_leads_to_what_was_asked_for(locked: str, place: str) -> None:
    with client_for(locked) as client:
        asked = client.get(place, headers={"accept": "text/html"})
        taken = client.post("/login", data={"token": TOKEN})

        assert taken.headers["location"] == asked.request.url.raw_path.decode()
        assert RETURN_COOKIE not in client.cookies


@pytest.mark.parametrize(
    "place", ["//evil.example", "/\\evil.example", "http://evil.example", "/a\r\nb: c", "", "%"]
)
def test_the_token_leads_to_no_other_site(locked: str, place: str) -> None:
    with client_for(locked) as client:
        cookies = {"cookie": f"{RETURN_COOKIE}={quote(place, safe='')}"}
        taken = client.post("/login", data={"token": TOKEN}, headers=cookies)

    assert taken.headers["location"] == "/"


@pytest.mark.parametrize("path", ["/", "/usage", "/api/health", "/sessions/none"])
def test_one_may_ask_for_the_head_alone(client: httpx.Client, path: str) -> None:
    found, whole = client.head(path, headers=HTML), client.get(path, headers=HTML)

    assert (found.status_code, found.content) == (whole.status_code, b"")
    assert found.headers["content-type"] == whole.headers["content-type"]


@pytest.mark.parametrize("path", ["/assets/../api/sessions", "/login/../api/sessions", "//api"])
def test_no_way_around_the_door_leads_in(locked: str, path: str) -> None:
    with client_for(locked) as client:
        found = client.get(httpx.URL(locked).copy_with(raw_path=path.encode()))

    assert found.status_code in (401, 404)
    assert b"sessions/1" not in found.content


@pytest.mark.parametrize(
    "path",
    [
        "/assets/x/..%2f..%2fsettings.py",
        "/assets/x/%2e%2e",
        "/assets/x/session.py",
        "/sessions/..%2f..%2fetc%2fpasswd",
        "/sessions/%2e%2e/kept",
        "/sessions/a%00b/export/html",
        "/api/sessions/%2fetc%2fpasswd/transcripts/0",
        "/files/history?path=../../../etc/passwd",
    ],
)
def test_no_address_leads_to_a_file_of_the_machine(client: httpx.Client, path: str) -> None:
    found = client.get(httpx.URL(str(client.base_url)).copy_with(raw_path=path.encode()))

    assert found.status_code == 404
    assert b"root:" not in found.content


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
def test_nothing_can_be_changed(client: httpx.Client, method: str) -> None:
    assert client.request(method, "/api/sessions").status_code == 405


@pytest.mark.parametrize("pieces", [66, 100, 1_000])
def test_a_body_of_unknown_length_that_is_too_large_is_refused(
    client: httpx.Client, pieces: int
) -> None:
    answer = client.post("/login", content=(b"a" * 1_000 for _ in range(pieces)))

    assert answer.status_code == 413
    assert answer.json()["error"]["code"] == "too_large"


def test_a_page_of_another_site_may_not_listen(client: httpx.Client) -> None:
    headers = {"accept": "text/event-stream", "sec-fetch-site": "same-site"}

    assert client.get("/api/events", headers=headers).status_code == 403


def test_another_site_may_not_open_a_stream_at_any_address(client: httpx.Client) -> None:
    headers = {"accept": "text/event-stream", "sec-fetch-site": "cross-site"}

    assert client.get("/api/health", headers=headers).status_code == 403


def test_a_link_on_another_site_leads_here(client: httpx.Client) -> None:
    assert (
        client.get("/sessions", headers={**HTML, "sec-fetch-site": "cross-site"}).status_code == 200
    )


@pytest.mark.parametrize(
    ("headers", "is_ours"),
    [
        ({}, True),
        ({b"origin": b"null"}, False),
        ({b"origin": b"null", b"sec-fetch-site": b"same-origin"}, True),
        ({b"origin": b"null", b"sec-fetch-site": b"none"}, False),
        ({b"origin": b"http://localhost"}, True),
        ({b"origin": b"https://clew.example", b"sec-fetch-site": b"same-origin"}, True),
        ({b"origin": b"https://clew.example", b"sec-fetch-site": b"none"}, False),
        ({b"origin": b"http://localhost.evil.example"}, False),
        ({b"sec-fetch-site": b"cross-site"}, False),
    ],
)
def test_what_comes_from_our_own_pages_is_told_apart(
    headers: dict[bytes, bytes], *, is_ours: bool
) -> None:
    assert is_same_origin({b"host": b"localhost", **headers}) is is_ours


@pytest.mark.parametrize("host", ["192.168.1.5", "::", "example.org"])
def test_nobody_listens_beyond_this_machine_without_a_token(host: str, tmp_path: Path) -> None:
    with pytest.raises(ExposedError, match="--token"):
        make_app(Settings(host=host, location=Home(tmp_path)))


def test_a_short_token_is_no_token(tmp_path: Path) -> None:
    with pytest.raises(ExposedError):
        make_app(Settings(host="::", location=Home(tmp_path), token=TOKEN[:8]))


@pytest.mark.parametrize(
    ("host", "name"),
    [(b"localhost:80", "localhost"), (b"[::1]:8377", "::1"), (b"::1", "::1"), (b" A.B ", "a.b")],
)
def test_a_host_is_told_without_its_port(host: bytes, name: str) -> None:
    assert host_name(host) == name


def test_an_origin_with_another_port_is_another_site() -> None:
    headers = {b"host": b"localhost:8377", b"origin": b"http://localhost:3000"}

    assert not is_same_origin(headers)


def received(chunks: list[bytes], home: Path) -> int:
    """Send a body in chunks without its length; return how many bytes reach the app."""
    messages = iter(
        {"type": "http.request", "body": chunk, "more_body": number < len(chunks)}
        for number, chunk in enumerate(chunks, start=1)
    )
    taken = 0

    async def receive() -> Message:
        return next(messages)

    async def send(_message: Message) -> None:
        pass

    async def app(_scope: Scope, take: Receive, _send: Send) -> None:
        nonlocal taken
        more = True
        while more:
            message = await take()
            taken += len(message.get("body", b""))
            more = message.get("more_body", False)

    guard = make_app(Settings(location=Home(home)))
    guard.app = app
    headers = [(b"host", b"localhost"), (b"transfer-encoding", b"chunked")]
    place = {"path": "/login", "raw_path": b"/login", "query_string": b""}
    scope = {"type": "http", "method": "POST", "headers": headers, **place}
    # In a thread of its own: the browser of another test may have its event loop in this one.
    with ThreadPoolExecutor(1) as beside:
        beside.submit(lambda: asyncio.run(guard(scope, receive, send))).result()
    return taken


def test_a_body_of_unknown_length_is_read_up_to_the_limit(tmp_path: Path) -> None:
    assert received([b"a" * 32_768] * 2, tmp_path) == 65_536
    assert received([b"a" * 32_768] * 2 + [b"a"], tmp_path) == 65_536
    assert received([b"a" * 32_768] * 40, tmp_path) == 65_536


def test_one_piece_of_a_body_that_is_too_long_is_not_read_at_all(tmp_path: Path) -> None:
    assert received([b"a" * 65_537], tmp_path) == 0
