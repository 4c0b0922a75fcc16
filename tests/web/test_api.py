"""The API: what it gives, page by page, and how it refuses."""

import gzip
import hashlib
from typing import Any

import httpx
import msgspec
import pytest

from clew.samples import samples_root
from clew.view import FrameView, SectionView


@pytest.fixture
def session_id(client: httpx.Client) -> str:
    found = client.get("/api/sessions", params={"sort": "messages", "limit": 1}).json()
    return str(found["sessions"][0]["id"])


def ask(client: httpx.Client, address: str, **asked: Any) -> Any:
    found = client.get(address, params=asked or None)
    assert found.status_code == 200, found.text
    return found.json()


def test_sessions_come_page_by_page(client: httpx.Client) -> None:
    whole = ask(client, "/api/sessions")
    ids: list[str] = []
    cursor: str | None = ""
    while cursor is not None:
        page = ask(client, "/api/sessions", limit=5, cursor=cursor)
        ids += [session["id"] for session in page["sessions"]]
        cursor = page["next_cursor"]

    assert ids == [session["id"] for session in whole["sessions"]]
    assert len(ids) == whole["total"] > 5


def test_sessions_are_chosen_by_words(client: httpx.Client) -> None:
    first = ask(client, "/api/sessions")["sessions"][0]
    word = first["title"].split()[0]

    found = ask(client, "/api/sessions", text=word.upper())

    assert first["id"] in [session["id"] for session in found["sessions"]]
    assert found["total"] < ask(client, "/api/sessions")["total"]


@pytest.mark.parametrize("sort", ["cost", "tokens", "messages", "calls", "errors", "duration"])
def test_sessions_are_sorted_the_most_first(client: httpx.Client, sort: str) -> None:
    keys = {"tokens": "total_tokens", "cost": "cost_usd", "calls": "tool_calls"}
    key = keys.get(sort, {"duration": "duration_ms"}.get(sort, sort))

    found = [s[key] or 0 for s in ask(client, "/api/sessions", sort=sort)["sessions"]]

    assert found == sorted(found, reverse=True)


def test_sessions_with_errors_are_told_apart(client: httpx.Client) -> None:
    found = ask(client, "/api/sessions", has_errors=True)["sessions"]

    assert found
    assert all(session["errors"] for session in found)


def test_a_conversation_is_that_of_the_command_line(client: httpx.Client, session_id: str) -> None:
    found = ask(client, f"/api/sessions/{session_id}/conversation")

    assert found["schema"] == "clew.conversation/1"
    assert found["session"]["id"] == session_id


@pytest.mark.parametrize("part", ["", "/conversation", "/changes", "/context", "/transcripts"])
def test_the_beginning_of_an_id_is_enough(client: httpx.Client, session_id: str, part: str) -> None:
    short, whole = (
        client.get(f"/api/sessions/{one}{part}") for one in (session_id[:8], session_id)
    )

    assert (short.status_code, short.content) == (200, whole.content)


def test_the_beginning_of_several_ids_names_them(client: httpx.Client) -> None:
    found = client.get("/api/sessions/8/conversation")

    assert (found.status_code, found.json()["error"]["code"]) == (409, "ambiguous")
    assert all(one.startswith("8") for one in found.json()["error"]["candidates"])


def test_a_stretch_of_a_conversation_has_its_own_calls(
    client: httpx.Client, session_id: str
) -> None:
    whole = ask(client, f"/api/sessions/{session_id}/conversation")
    part = ask(client, f"/api/sessions/{session_id}/conversation", first=3, count=4)

    assert part["messages"] == whole["messages"][3:7]
    ids = {message["id"] for message in part["messages"]}
    assert {call["message_id"] for call in part["tool_calls"]} <= ids


def test_messages_come_page_by_page(client: httpx.Client, session_id: str) -> None:
    whole = ask(client, f"/api/sessions/{session_id}/conversation")["messages"]
    page = ask(client, f"/api/sessions/{session_id}/messages", limit=2)
    rest = ask(client, f"/api/sessions/{session_id}/messages", cursor=page["next_cursor"])

    assert page["total"] == len(whole)
    assert page["messages"] == whole[:2]
    assert rest["messages"][0] == whole[2]


def test_a_message_leads_to_its_lines(client: httpx.Client, session_id: str) -> None:
    message = ask(client, f"/api/sessions/{session_id}/messages", limit=3)["messages"][2]

    found = ask(client, f"/api/sessions/{session_id}/messages/{message['id']}/lines")["lines"]

    assert [line["line"] for line in found] == [place["line"] for place in message["lines"]]
    uuids = {msgspec.json.decode(line["text"]).get("uuid") for line in found}
    assert uuids <= {*message["entry_ids"], None}


def test_a_transcript_is_given_back_byte_for_byte(client: httpx.Client, session_id: str) -> None:
    files = ask(client, f"/api/sessions/{session_id}/transcripts")["transcripts"]
    for file in files:
        found = client.get(f"/api/sessions/{session_id}/transcripts/{file['number']}")

        assert found.content == (samples_root() / file["path"]).read_bytes()
        assert "attachment" in found.headers["content-disposition"]


def test_a_page_comes_as_a_frame_and_sections(client: httpx.Client, session_id: str) -> None:
    frame = ask(client, f"/api/sessions/{session_id}/page")["frame"]
    section = ask(client, f"/api/sessions/{session_id}/page/sections/0")["section"]

    assert msgspec.convert(frame, FrameView).header.id == session_id
    assert msgspec.convert(section, SectionView).items


@pytest.mark.parametrize(
    "path",
    ["projects", "tool-calls", "agent-runs", "files", "usage", "search?q=test", "health"],
)
def test_lists_over_everything_are_there(client: httpx.Client, path: str) -> None:
    assert ask(client, f"/api/{path}")


@pytest.mark.parametrize("by", ["day", "week", "month", "session", "project", "model", "agent"])
def test_usage_is_counted_by_anything(client: httpx.Client, by: str) -> None:
    found = ask(client, "/api/usage", by=by, tz="Europe/Paris")

    assert found["totals"]["cost_usd"] == pytest.approx(
        sum(row["cost_usd"] or 0 for row in found["rows"])
    )


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Pacific/Pago_Pago"])
def test_a_day_is_one_of_the_zone_that_is_asked_for(client: httpx.Client, zone: str) -> None:
    days = ask(client, "/api/usage", by="day", tz=zone)["rows"]

    for day in days:
        asked = {"by": "day", "since": day["key"], "until": day["key"], "tz": zone}
        assert ask(client, "/api/usage", **asked)["rows"] == [day]


def test_search_names_session_and_message(client: httpx.Client) -> None:
    hits = ask(client, "/api/search", q="test")["hits"]
    hit = next(hit for hit in hits if hit["message_id"])

    found = ask(client, f"/api/sessions/{hit['session_id']}/messages/{hit['message_id']}")

    assert found["id"] == hit["message_id"]


def test_which_sessions_touched_a_file(client: httpx.Client) -> None:
    path = ask(client, "/api/files")["files"][0]["path"]

    assert ask(client, "/api/file-uses", path=path)["uses"]


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("sessions/nope", 404, "not_found"),
        ("sessions/nope/conversation", 404, "not_found"),
        ("sessions/..%2F..%2Fetc%2Fpasswd/conversation", 404, "not_found"),
        ("sessions/a%00b/page", 404, "not_found"),
        ("sessions/%2e%2e/transcripts/0", 404, "not_found"),
        ("sessions?limit=0", 400, "bad_request"),
        ("sessions?limit=100000", 400, "bad_request"),
        ("sessions?sort=nothing", 400, "bad_request"),
        ("sessions?cursor=%21", 400, "bad_request"),
        ("sessions?since=whenever", 400, "bad_request"),
        ("usage?by=nothing", 400, "bad_request"),
        ("usage?tz=Nowhere/Atall", 400, "bad_request"),
        ("usage?tz=../../etc/passwd", 400, "bad_request"),
        ("search?q=%22", 400, "bad_query"),
        ("search", 400, "bad_request"),
        ("tool-calls?sort=cost", 400, "bad_request"),
        ("nothing", 404, "not_found"),
    ],
)
def test_what_cannot_be_met_is_refused_in_one_shape(
    client: httpx.Client, path: str, status: int, code: str
) -> None:
    found = client.get(f"/api/{path}")

    assert found.status_code == status
    assert found.json()["error"]["code"] == code
    assert found.json()["error"]["message"]


def test_a_bad_query_points_at_the_character(client: httpx.Client) -> None:
    found = client.get("/api/search", params={"q": 'one "two'}).json()

    assert found["error"]["position"] == 4


def test_what_the_asker_has_is_not_sent_again(client: httpx.Client) -> None:
    tag = client.get("/api/sessions").headers["etag"]

    again = client.get("/api/sessions", headers={"if-none-match": tag})

    assert again.status_code == 304
    assert again.content == b""


def test_large_answers_are_packed(client: httpx.Client) -> None:
    with client.stream("GET", "/api/sessions", headers={"accept-encoding": "gzip"}) as found:
        raw = b"".join(found.iter_raw())

    assert found.headers["content-encoding"] == "gzip"
    assert b'"schema":"clew.sessions/1"' in gzip.decompress(raw)


def test_a_file_that_is_not_kept_is_not_found(client: httpx.Client, session_id: str) -> None:
    assert client.get(f"/api/sessions/{session_id}/transcripts/999").status_code == 404
    assert client.get(f"/api/sessions/{session_id}/page/sections/999").status_code == 404
    assert client.get(f"/api/sessions/{session_id}/messages/none").status_code == 404


def test_pages_of_hits_lead_from_one_to_the_next(client: httpx.Client) -> None:
    everything = ask(client, "/api/search", q="test", limit=100)
    found, cursor = [], None
    while True:
        asked = {"q": "test", "limit": 2, **({"cursor": cursor} if cursor else {})}
        page = ask(client, "/api/search", **asked)
        found += page["hits"]
        cursor = page["next_cursor"]
        if cursor is None:
            break

    # A score depends on the moment of the request.
    assert [_place(hit) for hit in found] == [_place(hit) for hit in everything["hits"]]
    assert everything["next_cursor"] is None


def _place(hit: dict[str, Any]) -> tuple[Any, ...]:
    return hit["session_id"], hit["message_id"], hit["block_ordinal"], hit["field"]


def test_a_session_as_a_whole(client: httpx.Client) -> None:
    [session, *_] = client.get("/api/sessions", params={"sort": "messages"}).json()["sessions"]
    place = f"/api/sessions/{session['id']}"
    whole = client.get(f"{place}/conversation").json()
    messages, calls, cursor = [], [], None
    while True:
        params = {"limit": 7} | ({"cursor": cursor} if cursor else {})
        page = client.get(f"{place}/transcript", params=params).json()
        messages += page["messages"]
        calls += page["tool_calls"]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    stats = client.get(f"{place}/stats").json()

    assert messages == whole["messages"]
    assert calls == whole["tool_calls"]
    assert page["total"] == len(messages)
    thinking = [b for m in messages for b in m["blocks"] if b["kind"] == "thinking"]
    assert stats["thinking_blocks"] == len(thinking)
    assert stats["messages"] == session["messages"]
    assert stats["usage"] == session["usage"]


def test_raw_files_are_byte_exact(client: httpx.Client) -> None:
    for session in client.get("/api/sessions").json()["sessions"]:
        found = client.get(f"/api/sessions/{session['id']}/raw").json()
        assert found["session_id"] == session["id"]
        for file in found["files"]:
            answer = client.get(file["url"])
            assert len(answer.content) == file["size_bytes"]
            assert answer.content == (samples_root() / file["path"]).read_bytes()
            assert file["sha256"] == hashlib.sha256(answer.content).hexdigest()
            assert answer.headers["content-disposition"].startswith("attachment")
    assert client.get(f"/api/sessions/{session['id']}/raw/99").status_code == 404
