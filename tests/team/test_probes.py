"""Ids of others in every place that takes one: the answer is that of an id that nobody has."""

from typing import Any

import httpx
import msgspec
import pytest

from clew.protocol import Visibility
from tests.team.matrix_team import CALLERS, MatrixTeam
from tests.team.pushing import ROOT, manifest_of, pack, sha256

VARYING = ("date", "x-request-id", "content-security-policy", "content-length")
PROBING = ["device of colleague", "device of stranger"]


def row(matrix: MatrixTeam, text: str) -> tuple[Any, ...]:
    """Return something of the owner's that only the server's tables show."""
    with matrix.team() as team:
        found = team.connection.execute(
            text.encode(), {"owner": matrix.members["owner"].id}
        ).fetchone()
    assert found is not None
    return tuple(found)


def plain(response: httpx.Response, *names: object) -> tuple[int, str, dict[str, str]]:
    """Return a response without the names that were sent, and what differs every time."""
    text = response.text
    for name in names:
        text = text.replace(str(name), "NAME")
    headers = {name: value for name, value in response.headers.items() if name not in VARYING}
    return response.status_code, text, headers


@pytest.mark.parametrize("name", PROBING)
def test_frames_of_others_are_like_frames_of_nobody(matrix: MatrixTeam, name: str) -> None:
    (digest,) = row(matrix, "SELECT hash FROM pushed_frame WHERE member_id = %(owner)s LIMIT 1")
    known, unknown = bytes(digest).hex(), sha256(b"of nobody")
    with matrix.client(CALLERS[name]) as client:
        missing = client.post("/push/missing", json={"frames": [known, unknown]}).json()
        # Bytes of another content say nothing about what the server has.
        puts = [
            plain(client.put(f"/push/frames/{one}", content=pack(b"guess")), one)
            for one in (known, unknown)
        ]
        after = client.post("/push/missing", json={"frames": [known, unknown]}).json()

    assert missing == after == {"frames": [known, unknown]}
    assert puts[0] == puts[1]
    assert puts[0][0] == 422


@pytest.mark.parametrize("name", PROBING)
def test_files_and_receipts_of_others_are_like_those_of_nobody(
    matrix: MatrixTeam, name: str
) -> None:
    root, file, session, key, receipt = row(
        matrix,
        "SELECT root_id, file, session_id, project_key, receipt FROM received_file"
        " WHERE member_id = %(owner)s AND tier = 'everything' AND kind = 'session' LIMIT 1",
    )
    with matrix.client(CALLERS[name]) as client:
        answers = []
        for sent in (
            {"root": root, "file": file, "session": session, "project_key": key, "parent": receipt},
            {"root": ROOT, "project_key": "of-nobody", "parent": "0" * len(receipt)},
        ):
            consent = client.put(f"/push/consents/{sent['project_key']}", json=_everything())
            found = manifest_of([b"guess"], epoch=consent.json()["epoch"], **sent)
            body = msgspec.json.encode(found)
            answers.append(plain(client.post("/push/manifests", content=body), sha256(b"guess")))
            hello = client.post("/push/hello", json={"protocol": 1, "roots": [sent["root"]]}).json()
            assert (hello["heads"], hello["lost"], hello["differing"]) == ([], [], [])

    assert answers[0] == answers[1]
    assert answers[0][0] == 409


def _everything() -> dict[str, str]:
    return {"tier": "everything", "visibility": str(Visibility.PRIVATE)}


@pytest.mark.parametrize("name", ["colleague", "stranger", "other-admin", "admin"])
def test_devices_of_others_are_like_devices_of_nobody(matrix: MatrixTeam, name: str) -> None:
    own, absent = matrix.devices["owner"], 999_999
    # An administrator revokes devices of the organisation, but not on a page of their own account.
    places = ["/account/devices/{}/revoke"]
    if name == "other-admin":
        places.append("/admin/devices/{}/revoke")
    with matrix.client(CALLERS[name]) as client:
        for place in places:
            answers = [plain(client.post(place.format(one)), one) for one in (own, absent)]
            assert answers[0] == answers[1], place
            assert answers[0][0] == 404
    (revoked,) = row(matrix, "SELECT count(revoked_at) FROM device WHERE member_id = %(owner)s")
    assert revoked == 0


def test_an_administrator_finds_nothing_of_another_organisation(matrix: MatrixTeam) -> None:
    place = f"/admin/projects/{matrix.project_id}/add"
    with matrix.client(CALLERS["other-admin"]) as client:
        pairs = [
            (client.post(f"/admin/members/{one}/{how}", data={"role": "admin"}), one)
            for how in ("reset", "role", "disable", "enable")
            for one in ("owner", "noone")
        ]
        projects = [
            client.post(one, data={"name": "stranger"})
            for one in (place, "/admin/projects/999999/add")
        ]
        pages = client.get("/admin").text + client.get("/admin/audit").text

    found = [plain(response, name) for response, name in pairs]
    assert found[0::2] == found[1::2]
    assert {status for status, _, _ in found} == {404}
    assert plain(projects[0]) == plain(projects[1])
    assert projects[0].status_code == 404
    for word in ("zz", "colleague", "laptop of owner", *(one.id for one in matrix.sessions)):
        assert word not in pages
