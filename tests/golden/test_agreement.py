"""One session, one number: every surface tells the same tokens, cost, quality and counts."""

import datetime as dt
import json
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, Final

import httpx
import pytest

from clew.analytics import ScanOptions, bill_all, bill_messages, scan, summarise
from clew.archive import open_archive
from clew.cli.app import main
from clew.conversation import Conversation, build, sum_quality
from clew.render import render_json
from clew.samples import samples_root
from clew.sessions import gather, group_sessions, link_neighbours
from clew.source import discover
from clew.store import Home
from clew.web import Settings
from tests.golden.test_corpus import CORPUS
from tests.recordings import HERE, recordings
from tests.web.serving import client_for, serving

pytestmark = pytest.mark.slow

Figures = dict[str, Any]
BySession = dict[str, Figures]

USED: Final = (
    "input_tokens",
    "output_tokens",
    "cache_read_tokens",
    "cache_write_5m_tokens",
    "cache_write_1h_tokens",
    "web_searches",
    "web_fetches",
    "quality",
    "cost_usd",
)
COUNTED: Final = ("messages", "prompts", "answers", "tool_calls", "agent_runs")
NOTHING: Final[Figures] = {**dict.fromkeys(USED, 0), "quality": "exact", "cost_usd": 0.0}
ROWS: Final = """
SELECT session.id, session.message_count AS messages, session.prompt_count AS prompts,
       session.answer_count AS answers, session.tool_call_count AS tool_calls,
       session.agent_run_count AS agent_runs, count(call.model) AS model_calls,
       coalesce(sum(input_tokens), 0) AS input_tokens,
       coalesce(sum(output_tokens), 0) AS output_tokens,
       coalesce(sum(cache_read_tokens), 0) AS cache_read_tokens,
       coalesce(sum(cache_write_5m_tokens + cache_write_unsplit_tokens), 0)
         AS cache_write_5m_tokens,
       coalesce(sum(cache_write_1h_tokens), 0) AS cache_write_1h_tokens,
       coalesce(sum(web_searches), 0) AS web_searches,
       coalesce(sum(web_fetches), 0) AS web_fetches,
       CASE WHEN count(call.model) > count(cost_nano_usd) AND count(cost_nano_usd) = 0 THEN NULL
            ELSE coalesce(sum(cost_nano_usd), 0) END AS cost_nano_usd,
       CASE WHEN EXISTS (SELECT 1 FROM missing_transcript AS lost
                         WHERE lost.session_key = session.key AND lost.is_inherited = 0)
            THEN 'lower_bound' ELSE coalesce(max(quality), (
         SELECT max(quality) FROM model_call WHERE session_key = session.key), 'exact') END
         AS quality
FROM session
LEFT JOIN model_call AS call ON call.session_key = session.key AND call.is_inherited = 0
GROUP BY session.key
"""
# The scripted model of the recordings uses its ids again: each has an archive of its own.
ROOTS: Final = [
    *(pytest.param(r.root, id=r.id) for r in recordings(HERE) if r.root.exists()),
    pytest.param(
        CORPUS,
        id="corpus",
        marks=pytest.mark.skipif(not CORPUS.exists(), reason="no real transcripts here"),
    ),
]
SERVED: Final = [
    pytest.param(samples_root(), id="samples"),
    pytest.param(HERE / "2.0.14" / "fork" / "root", id="2.0.14/fork"),
    ROOTS[-1],
]


@pytest.mark.parametrize("root", ROOTS)
def test_every_surface_tells_the_same_of_every_session(
    root: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("CLEW_HOME", str(tmp_path))
    with open_archive(tmp_path) as archive:
        archive.sync([root])
    told = partial(tell, capsys)

    rows = {row["id"]: row for row in told("sql", ROWS)["rows"]}
    listed = {one["id"]: one for one in told("list", "--all", "--limit", "0")["sessions"]}
    usage = told("usage", "--by", "session")["rows"]
    shown = {conversation.session.id: conversation for conversation in read(root)}

    wanted = {name: figures_of_rows(row) for name, row in rows.items()}
    assert {name: figures_of_list(one) for name, one in listed.items()} == wanted
    assert {name: figures_of(one) for name, one in shown.items()} == wanted
    check_usage(usage, rows, wanted)
    check_usage(count_files(root), rows, wanted)


@pytest.mark.parametrize("root", SERVED)
def test_the_api_tells_the_same_of_every_session(root: Path, tmp_path: Path) -> None:
    with open_archive(tmp_path) as archive:
        archive.sync([root])
        answer = archive.query(ROWS)
        found = [dict(zip(answer.columns, row, strict=True)) for row in answer.rows]
    rows: BySession = {str(row["id"]): row for row in found}
    wanted = {name: figures_of_rows(row) for name, row in rows.items()}

    settings = Settings(port=0, location=Home(tmp_path), roots=(root,), is_followed=False)
    with serving(settings) as address, client_for(address) as client:
        for name, figures in wanted.items():
            assert figures_of_list(get(client, f"/api/sessions/{name}")) == figures
            totals = get(client, f"/api/sessions/{name}/conversation")["totals"]
            assert pick(totals["usage"], totals) == figures
        check_usage(get(client, "/api/usage", by="session")["rows"], rows, wanted)


def tell(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    """Run a command, and read what it prints."""
    assert main([*words, "--no-sync", "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def read(root: Path) -> Iterator[Conversation]:
    """Build all sessions from their files."""
    files = discover(root).files
    for session in group_sessions(files):
        yield build(link_neighbours(gather(session), session, files))


def figures_of_rows(row: Figures) -> Figures:
    nano = row["cost_nano_usd"]
    cost = None if nano is None else round(nano / 10**9, 9)
    return pick({**row, "cost_usd": cost}, row)


def figures_of_list(session: Figures) -> Figures:
    assert session["usage"]["cost_usd"] == session["cost_usd"]
    return pick(session["usage"], session)


def figures_of(conversation: Conversation) -> Figures:
    totals = json.loads(b"".join(render_json(conversation)))["totals"]
    bill = bill_all(conversation.messages, bill_messages(conversation))
    assert totals["cost_usd"] == bill.usd
    assert totals["usage"]["quality"] == sum_quality(
        (bill.quality, conversation.totals.usage.quality)
    )
    return pick(totals["usage"], totals)


def pick(used: Figures, counted: Figures) -> Figures:
    """Take what is compared."""
    figures = {name: used[name] for name in USED}
    cost = figures["cost_usd"]
    figures["cost_usd"] = None if cost is None else round(cost, 9)
    return {**figures, **{name: counted[name] for name in COUNTED}}


def count_files(root: Path) -> list[Figures]:
    """Count straight from the files, as `clew usage PATH` does."""
    found = scan([root], ScanOptions())
    report = summarise(found.sums, "session", dt.UTC, None, found.client_costs, found.hours)
    return [{name: getattr(row, name) for name in row.__struct_fields__} for row in report.rows]


def check_usage(usage: Iterable[Figures], rows: BySession, wanted: BySession) -> None:
    """Compare a report by session; those without calls of their own are not in it."""
    counted = {row["key"]: row for row in usage}
    assert counted.keys() <= wanted.keys()
    for name, figures in wanted.items():
        used = {key: figures[key] for key in USED}
        if name in counted:
            assert {key: counted[name][key] for key in USED} == used
            assert counted[name]["model_calls"] == rows[name]["model_calls"]
        else:
            assert used == {**NOTHING, "quality": figures["quality"]}
            assert figures["quality"] in ("exact", "inherited", "inherited_lower_bound")


def get(client: httpx.Client, path: str, **parameters: str) -> Any:
    found = client.get(path, params=parameters)
    found.raise_for_status()
    return found.json()
