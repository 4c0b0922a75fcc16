"""The push protocol over HTTP: its steps, its refusals, and what hostile clients send."""

from collections.abc import Iterator
from itertools import count
from typing import Any

import httpx
import msgspec
import pytest

from clew.protocol import MAX_PACKED_BYTES, Commit, HelloAnswer, MissingFrames, PushRefusal, Tier
from clew.server.accounts import (
    create_member,
    create_organisation,
    require_member,
    require_organisation,
    set_quota,
)
from clew.server.devices import register_device
from clew.server.settings import TeamSettings
from clew.store.objects import open_objects
from clew.store.postgres.team import open_team
from clew.store.postgres_location import PostgresLocation
from tests.postgres_server import PostgresServer
from tests.team.pushing import FILE, PROJECT, ROOT, SESSION, manifest_of, pack, sha256
from tests.team.team_server import serving_team, team_client


class PushServer(msgspec.Struct):
    """A server of an organisation, and one with a stranger."""

    address: str
    location: PostgresLocation
    numbers: Iterator[int]

    def join(self, organisation: str) -> str:
        """Let somebody join; return the token of their device."""
        with open_team(self.location) as team:
            made = require_organisation(team, organisation)
            member = create_member(team, made.id, f"member{next(self.numbers)}")
            return register_device(team, made.id, member.id, "laptop").token


@pytest.fixture(scope="module")
def server(
    postgres_server: PostgresServer,
    prepared_database: str,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[PushServer]:
    url = postgres_server.make_database(like=prepared_database)
    location = PostgresLocation(url, str(tmp_path_factory.mktemp("blobs")))
    with open_team(location) as team:
        for organisation in ("acme", "other"):
            create_organisation(team, organisation)
    with serving_team(TeamSettings(location=location)) as address:
        yield PushServer(address, location, count(1))


@pytest.fixture
def ada(server: PushServer) -> Iterator[httpx.Client]:
    with team_client(server.address, server.join("acme")) as client:
        yield client


@pytest.fixture
def eve(server: PushServer) -> Iterator[httpx.Client]:
    with team_client(server.address, server.join("other")) as client:
        yield client


def send(client: httpx.Client, path: str, message: Any) -> httpx.Response:
    return client.post(path, content=msgspec.json.encode(message))


def refusal(response: httpx.Response, status: int, code: str) -> PushRefusal:
    assert response.status_code == status, response.text
    found = msgspec.json.decode(response.content, type=PushRefusal)
    assert found.error.code == code
    assert found.error.message
    return found


def put_frame(client: httpx.Client, content: bytes) -> None:
    response = client.put(f"/push/frames/{sha256(content)}", content=pack(content))
    assert response.status_code == 204, response.text


def test_a_push_from_the_first_question_to_the_last(ada: httpx.Client) -> None:
    hello = {"protocol": 1, "roots": [ROOT]}
    answer = msgspec.json.decode(send(ada, "/push/hello", hello).content, type=HelloAnswer)
    assert (answer.organisation, answer.heads) == ("acme", [])
    refusal(send(ada, "/push/manifests", manifest_of([b"one"])), 403, "no_consent")
    consent = ada.put(f"/push/consents/{PROJECT}", json={"tier": "everything"})
    assert consent.json()["epoch"] == 1
    assert ada.get("/push/consents").json() == [consent.json()]

    names = [sha256(b"one"), sha256(b"two")]
    missing = send(ada, "/push/missing", {"frames": names})
    assert msgspec.json.decode(missing.content, type=MissingFrames).frames == names
    put_frame(ada, b"one")
    found = refusal(
        send(ada, "/push/manifests", manifest_of([b"one", b"two"])), 409, "missing_frames"
    )
    assert found.missing == names[1:]
    put_frame(ada, b"two")
    done = send(ada, "/push/manifests", manifest_of([b"one", b"two"]))
    head = msgspec.json.decode(done.content, type=Commit).head

    stale = refusal(send(ada, "/push/manifests", manifest_of([b"two"])), 409, "stale_parent")
    assert stale.head == head
    old = refusal(send(ada, "/push/manifests", manifest_of([b"two"], epoch=7)), 409, "old_epoch")
    assert old.consent is not None
    assert old.consent.epoch == 1
    answer = msgspec.json.decode(send(ada, "/push/hello", hello).content, type=HelloAnswer)
    assert answer.heads == [head]

    assert ada.delete(f"/push/sessions/{SESSION}").status_code == 204
    gone = send(ada, "/push/manifests", manifest_of([b"one"], parent=head.receipt))
    refusal(gone, 410, "deleted")
    assert ada.post(f"/push/sessions/{SESSION}/revive").status_code == 204
    again = send(ada, "/push/manifests", manifest_of([b"one"], parent=head.receipt))
    assert again.json()["change"] == "ignored"
    refusal(ada.delete("/push/sessions/unknown"), 404, "not_found")

    # What a lowered tier deletes returns only when workers have deleted it.
    change = {"tier": "structure", "purge": True}
    epoch = ada.put(f"/push/consents/{PROJECT}", json=change).json()["epoch"]
    waiting = send(ada, "/push/manifests", manifest_of([b"one"], tier=Tier.STRUCTURE, epoch=epoch))
    refusal(waiting, 503, "being_deleted")
    assert waiting.headers["retry-after"] == "30"


def test_frames_that_are_not_what_they_should_be(server: PushServer, ada: httpx.Client) -> None:
    name = sha256(b"content")
    path = f"/push/frames/{name}"

    before = set(open_objects(server.location.blobs).keys("pushed/"))
    for body in (b"", b"x", pack(b"other"), pack(b"content") * 2, pack(b"content") + b"\0"):
        refusal(ada.put(path, content=body), 422, "bad_frame")
    refusal(ada.put(path, content=pack(bytes(5 << 20))), 413, "too_large")
    too_long = ada.put(path, content=bytes(MAX_PACKED_BYTES + 1))
    assert too_long.status_code == 413
    refusal(ada.put("/push/frames/ABC", content=pack(b"content")), 422, "invalid")
    for odd in ("..%2f..%2fetc", "%00", "a" * 300, "%ff%fe", "'%20OR%201=1"):
        answer = ada.put(f"/push/frames/{odd}", content=pack(b"content"))
        assert 400 <= answer.status_code < 500, odd
    assert set(open_objects(server.location.blobs).keys("pushed/")) == before
    assert send(ada, "/push/missing", {"frames": [name]}).json() == {"frames": [name]}


def test_a_colleagues_frame_is_like_one_that_nobody_has(
    server: PushServer, ada: httpx.Client, eve: httpx.Client
) -> None:
    put_frame(ada, b"ada's secret")
    known, unknown = sha256(b"ada's secret"), sha256(b"no secret at all")
    with team_client(server.address, server.join("acme")) as bob:
        for other in (bob, eve):
            other.put(f"/push/consents/{PROJECT}", json={"tier": "everything"})
            asked = send(other, "/push/missing", {"frames": [known, unknown]})
            assert asked.json() == {"frames": [known, unknown]}
            answers = []
            for content in (b"ada's secret", b"no secret at all"):
                size = len(content)
                answer = send(other, "/push/manifests", manifest_of([content], size=size))
                found = refusal(answer, 409, "missing_frames")
                assert found.missing == [sha256(content)]
                answers.append((answer.text.replace(sha256(content), ""), dict(answer.headers)))
            for _, headers in answers:
                for name in ("date", "x-request-id", "content-security-policy"):
                    headers.pop(name, None)
            assert answers[0] == answers[1]
            # Neither can another root or session be found out.
            hello = send(other, "/push/hello", {"protocol": 1, "roots": [ROOT]}).json()
            assert (hello["heads"], hello["lost"], len(hello["consents"])) == ([], [], 1)
            refusal(other.delete(f"/push/sessions/{SESSION}"), 404, "not_found")
            refusal(other.post(f"/push/sessions/{SESSION}/revive"), 404, "not_found")


HOSTILE = [
    b"",
    b"{",
    b"[]",
    b"null",
    b'"text"',
    b"\xff\xfe",
    b'{"protocol": "one"}',
    b'{"protocol": 1e400}',
    b'{"protocol": 1, "roots": "a"}',
    b'{"protocol": 1, "extra": 1}',
    b'{"protocol": ' + b"9" * 5000 + b"}",
    b'{"frames": [1]}',
    b'{"frames": null}',
    b'{"tier": "all"}',
    b'{"tier": "everything", "visibility": "world"}',
    b'{"tier": "everything", "project": "\\ud800"}',
    b'{"tier": "everything", "project": {"a": 1}}',
    b"[" * 100_000,
    b'{"a":' * 50_000,
]


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/push/hello"),
        ("POST", "/push/missing"),
        ("POST", "/push/manifests"),
        ("PUT", f"/push/consents/{PROJECT}"),
    ],
)
def test_messages_that_make_no_sense(ada: httpx.Client, method: str, path: str) -> None:
    for body in HOSTILE:
        answer = ada.request(method, path, content=body)
        assert 400 <= answer.status_code < 500, (body[:80], answer.text)
        error = answer.json()["error"]
        assert error["code"] in {"bad_request", "version", "invalid"}, error
    assert ada.request(method, path, content=b" " * (2 << 20)).status_code == 413


@pytest.mark.parametrize(
    "field",
    ["root", "file", "kind", "session", "agent", "workflow", "project_key", "tier", "parent"],
)
def test_odd_values_in_every_field_of_a_manifest(ada: httpx.Client, field: str) -> None:
    ada.put(f"/push/consents/{PROJECT}", json={"tier": "everything"})
    whole = msgspec.to_builtins(manifest_of([b"one"], epoch=999))
    odd = ["\0", "a\0b", "'; DROP TABLE member; --", "%s", "../../etc/passwd", "é" * 700, 5, [], {}]
    odd += ["x" * 100_000, "\u202e", "<script>alert(1)</script>", -1, 1e300, True]

    for value in odd:
        answer = send(ada, "/push/manifests", {**whole, field: value})
        assert answer.status_code in {400, 403, 409, 422}, (value, answer.text)
        assert answer.headers["content-type"].startswith("application/json")


def test_the_largest_manifest_fits(ada: httpx.Client) -> None:
    frames = [[sha256(b"%d" % number), 4 << 20] for number in range(4_000)]
    whole = msgspec.to_builtins(manifest_of([], file=FILE + "x" * 900))
    epoch = ada.put(f"/push/consents/{PROJECT}", json={"tier": "everything"}).json()["epoch"]
    message = {**whole, "frames": frames, "size": 4_000 * (4 << 20), "epoch": epoch}

    found = refusal(
        send(ada, "/push/manifests", {**message, "session": "large"}), 409, "missing_frames"
    )
    assert len(found.missing) == 4_000
    message["frames"] = [*frames, frames[0]]
    refusal(send(ada, "/push/manifests", message), 422, "invalid")


def test_other_versions_and_no_token(server: PushServer, ada: httpx.Client) -> None:
    found = refusal(send(ada, "/push/hello", {"protocol": 99}), 426, "version")
    assert "newer server" in found.error.message
    with team_client(server.address) as nobody:
        for method, path in [
            ("POST", "/push/hello"),
            ("POST", "/push/missing"),
            ("PUT", f"/push/frames/{'0' * 64}"),
            ("POST", "/push/manifests"),
            ("GET", "/push/consents"),
            ("PUT", f"/push/consents/{PROJECT}"),
            ("DELETE", f"/push/sessions/{SESSION}"),
            ("POST", f"/push/sessions/{SESSION}/revive"),
        ]:
            assert nobody.request(method, path).status_code == 401


def test_a_quota_is_said_in_words(server: PushServer, ada: httpx.Client) -> None:
    name = send(ada, "/push/hello", {"protocol": 1}).json()["member"]
    with open_team(server.location) as team:
        set_quota(team, require_member(team, name), 3)

    assert send(ada, "/push/hello", {"protocol": 1}).json()["quota_left_bytes"] == 3
    response = ada.put(f"/push/frames/{sha256(b'much')}", content=pack(b"much"))
    assert "quota" in refusal(response, 507, "quota").error.message
