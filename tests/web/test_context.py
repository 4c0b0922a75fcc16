"""The page and the API of a session's context: what is on them, and that all of it is escaped."""

import html
import json
import re
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.build import SessionBuilder
from tests.build.usage import Usage
from tests.unit.insight.request_rows import SESSION, answer, blob, request, row, said, sha256
from tests.web.serving import client_for, serving, settings_for
from tests.web.test_pages import show

EVIL = "<script>alert(1)</script>"
SENT = said("user", {"type": "text", "text": f"Hello {EVIL}"})
WARM = Usage(input=10, output=5, cache_read=50_000, cache_write_5m=500)
COLD = Usage(input=10, output=5, cache_read=0, cache_write_5m=51_000)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[httpx.Client, str]]:
    """Serve a session with a break and a compaction, and one with a request row."""

    root = tmp_path_factory.mktemp("root")
    builder = SessionBuilder().user(f"one {EVIL}")
    builder.tool("Read", {"file_path": f"/w/{EVIL}.py"}, "x" * 900)
    builder.assistant("1", usage=WARM).wait(900).user("two").assistant("2", usage=COLD)
    builder.compact(summary="Nothing.").user("three").assistant("3", usage=WARM)
    path = builder.write(root)
    rows: list[dict[str, Any]] = [
        blob(SENT),
        request("r-1", [sha256(SENT)], params={"model": EVIL}),
        row("user", 1, SENT),
        answer(2, "m1", "r-1", {"type": "text", "text": "Hi"}),
    ]
    lines = "".join(json.dumps(one, separators=(",", ":")) + "\n" for one in rows)
    (path.parent / f"{SESSION}.jsonl").write_text(lines, "utf-8")
    home = tmp_path_factory.mktemp("home")
    with serving(settings_for(home, root)) as address, client_for(address) as client:
        yield client, builder.session_id


def test_the_page_draws_parts_breaks_and_compactions(built: tuple[httpx.Client, str]) -> None:
    client, session = built

    found = show(client, f"/sessions/{session}/context")

    assert re.findall(r'<polygon class="p-(\w+)"', found)[:1] == ["system"]
    assert 'class="compaction" x1=' in found
    assert "Pause over 5 minutes: 15 min" in found
    assert "1 of 1 file" in found
    assert f'href="/sessions/{session}/context"' in show(client, f"/sessions/{session}").replace(
        "&#x2f;", "/"
    )


def test_nothing_of_a_transcript_is_markup(built: tuple[httpx.Client, str]) -> None:
    client, session = built

    pages = show(client, f"/sessions/{session}/context")
    pages += show(client, f"/sessions/{SESSION}/context?request=r-1")

    assert EVIL not in pages
    assert EVIL in html.unescape(pages)


def test_a_request_is_shown_as_it_was_sent(built: tuple[httpx.Client, str]) -> None:
    client, _ = built

    found = show(client, f"/sessions/{SESSION}/context?request=r-1")
    told = client.get(f"/api/sessions/{SESSION}/context", params={"request": "r-1"}).json()

    assert "100 % proved by hash" in found
    assert [one["messages"] for one in told["requests"]] == [[SENT]]


def test_the_api_has_what_the_page_draws(built: tuple[httpx.Client, str]) -> None:
    client, session = built

    told = client.get(f"/api/sessions/{session}/context").json()
    turn = client.get(f"/api/sessions/{session}/context", params={"turn": 2}).json()

    assert [one["cause"] for one in told["breaks"]] == ["pause_5m"]
    assert {one["turn"] for one in turn["samples"]} == {2}
    assert told["compactions"][0]["lost_files"] == [f"/w/{EVIL}.py"]


@pytest.mark.parametrize("query", ["request=nope", "run=nope"])
def test_what_a_session_does_not_have_is_not_found(
    built: tuple[httpx.Client, str], query: str
) -> None:
    client, session = built

    assert client.get(f"/sessions/{session}/context?{query}").status_code == 404


def test_a_compaction_says_on_the_session_page_what_it_lost(
    built: tuple[httpx.Client, str],
) -> None:
    client, session = built

    found = show(client, f"/sessions/{session}")

    assert "1 file and 2 prompts not in the summary" in html.unescape(found)
    assert EVIL not in found
    assert re.search(r'<path class="context" d="M', found)


def test_the_usage_page_says_what_breaks_cost(built: tuple[httpx.Client, str]) -> None:
    client, session = built

    found = show(client, "/usage").replace("&#x2f;", "/")
    told = client.get("/api/usage/cache").json()

    assert "Cache breaks" in found
    assert f"/sessions/{session}/context" in found
    assert [(one["key"], one["breaks"]) for one in told["by_cause"]] == [("pause_5m", 1)]
