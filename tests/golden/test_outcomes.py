"""How a call ended is the same everywhere: in JSON, in lists, in SQL, over HTTP and on pages."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final, TypeAlias

import httpx
import pytest

from clew.archive import open_archive
from clew.cli import main
from clew.store import Home
from clew.view import CallView, Detail, ViewOptions, make_page
from clew.web import Settings
from tests.golden.test_corpus import CORPUS
from tests.recordings import HERE
from tests.unit.view.viewed import items_of, walk
from tests.web.serving import client_for, serving

pytestmark = pytest.mark.slow

ROOTS: Final = {
    "recordings": sorted(HERE.glob("*/*/root")),
    "corpus": [CORPUS] if CORPUS.exists() else [],
}
SQL: Final = """
    SELECT session.id AS session_id, call_id AS id, status, is_error
    FROM tool_call JOIN session ON session.key = tool_call.session_key
"""
API_ERRORS: Final = """
    SELECT session.id, count(*) AS errors
    FROM message JOIN session ON session.key = message.session_key
    WHERE message.kind = 'api_error' GROUP BY session.id
"""

Statuses: TypeAlias = dict[tuple[str, str], str]


@pytest.fixture(params=[name for name, roots in ROOTS.items() if roots])
def home(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give an archive of all sessions at hand."""
    folder = tmp_path / "home"
    monkeypatch.setenv("CLEW_HOME", str(folder))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "none"))
    monkeypatch.setenv("HOME", str(tmp_path))
    with open_archive(folder) as archive:
        archive.sync(ROOTS[request.param])
    return folder


def test_every_surface_says_the_same(
    home: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    def rows(*words: str) -> Any:
        assert main([*words, "--json"]) == 0
        found = json.loads(capsysbinary.readouterr().out)
        return found[next(name for name in found if name not in ("schema", "columns"))]

    stored = rows("sql", SQL)
    statuses = statuses_of(stored)
    errors = Counter({row["id"]: row["errors"] for row in rows("sql", API_ERRORS)})
    errors.update(row["session_id"] for row in stored if row["is_error"])

    assert {*statuses.values()} >= {"done", "failed", "denied", "interrupted"}
    assert [row for row in stored if row["is_error"] != (row["status"] == "failed")] == []
    assert statuses_of(rows("list", "tool-calls", "--limit", "0")) == statuses
    for session in rows("list", "sessions", "--all", "--limit", "0"):
        assert session["errors"] == errors[session["id"]]
    check_api(home, statuses, errors)
    check_pages(home, statuses, errors)


def check_api(home: Path, statuses: Statuses, errors: Counter[str]) -> None:
    """Check lists and conversations as they are sent."""
    settings = Settings(port=0, location=Home(home), roots=(), is_followed=False)
    with serving(settings) as address, client_for(address) as client:
        assert statuses_of(pages_of(client, "/api/tool-calls", "tool_calls")) == statuses
        for session_id in {session for session, _ in statuses}:
            told = client.get(f"/api/sessions/{session_id}/conversation").json()
            calls = told["tool_calls"]
            assert {call["id"]: call["status"] for call in calls} == own(statuses, session_id)
            assert [c for c in calls if c["is_error"] != (c["status"] == "failed")] == []
            assert [c for c in calls if not agrees(c["result"], c["status"])] == []
            assert told["totals"]["errors"] == errors[session_id]


def check_pages(home: Path, statuses: Statuses, errors: Counter[str]) -> None:
    """Check what a page shows of each call, and counts in its header."""
    failed = Counter[str]()
    with open_archive(home) as archive:
        for session_id in {session for session, _ in statuses}:
            conversation = archive.conversation(session_id)
            page = make_page(conversation, ViewOptions(detail=Detail.EVERYTHING))
            assert page.frame.header.errors == errors[session_id]
            known = own(statuses, session_id)
            for call in (item for item in walk(items_of(page)) if isinstance(item, CallView)):
                assert call.status == known[call.id]
                assert call.is_error == (call.status == "failed")
                has_failed = call.is_error or call.state == "tests failed"
                assert (call.tone == "bad") == has_failed or call.tool.endswith("Output")
                if call.status in ("denied", "interrupted"):
                    assert call.state == call.status
            failed.update(call.tool for call in conversation.tool_calls if call.is_error)
        stats = {tool.tool: tool.errors for tool in archive.tool_stats(limit=10_000)}
    assert {tool: count for tool, count in stats.items() if count} == failed


def agrees(result: Any, status: str) -> bool:
    """Tell whether the typed result of an error says how its call ended."""
    if not isinstance(result, dict) or not {"denied", "exit_code", "feedback"} <= result.keys():
        return True
    return (result["denied"], result["interrupted"]) == (
        status == "denied",
        status == "interrupted",
    )


def statuses_of(calls: Iterable[dict[str, Any]]) -> Statuses:
    return {(call["session_id"], call["id"]): call["status"] for call in calls}


def own(statuses: Statuses, session_id: str) -> dict[str, str]:
    return {call: status for (session, call), status in statuses.items() if session == session_id}


def pages_of(client: httpx.Client, path: str, name: str) -> Iterator[dict[str, Any]]:
    """Go through all pages of a list."""
    cursor: dict[str, str] = {}
    while True:
        page = client.get(path, params={"limit": 1000, **cursor}).json()
        yield from page[name]
        if page["next_cursor"] is None:
            return
        cursor = {"cursor": page["next_cursor"]}
