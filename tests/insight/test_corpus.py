"""Cache breaks of real sessions, counted a second time with nothing but the standard library."""

import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from clew.analytics import find_cache_breaks, request_heads
from clew.conversation import build
from clew.sessions import gather, group_sessions, list_files

CORPUS: Final = Path(__file__).parents[3] / "shared" / "corpus"
FOLDERS: Final = sorted(CORPUS.glob("*/")) if CORPUS.is_dir() else []
pytestmark = pytest.mark.skipif(not CORPUS.is_dir(), reason="no corpus beside the checkout")


def rows_of(path: Path) -> Iterator[dict[str, Any]]:
    for line in path.read_bytes().splitlines():
        try:
            row = json.loads(line)
        except ValueError:
            continue
        if isinstance(row, dict):
            yield row


def root_of(row: dict[str, Any], parents: dict[str, Any]) -> Any:
    """Follow a row's parents to the first row of its agent run."""
    seen = set()
    name = row.get("uuid")
    while name in parents and parents[name] in parents and name not in seen:
        seen.add(name)
        name = parents[name]
    return name


def calls_of(folder: Path) -> tuple[dict[Any, dict[str, Any]], dict[str, list[str]]]:
    """Return the largest counts of each answer by agent run, and the times of compactions."""
    runs: dict[Any, dict[str, Any]] = defaultdict(dict)
    cuts: dict[str, list[str]] = defaultdict(list)
    for path in sorted(folder.rglob("*.jsonl")):
        rows = list(rows_of(path))
        parents = {r["uuid"]: r.get("parentUuid") for r in rows if "uuid" in r}
        for row in rows:
            if row.get("subtype") == "compact_boundary" or row.get("isCompactSummary"):
                cuts[str(path)].append(row["timestamp"])
            count(row, path, parents, runs)
            data = row.get("data") or {}
            if row.get("type") == "progress" and data.get("type") == "agent_progress":
                told = {**(data.get("message") or {}), "isSidechain": True}
                told = {"timestamp": row["timestamp"], **told, "agentId": data.get("agentId")}
                count(told, path, {}, runs)
    return runs, cuts


def count(row: dict[str, Any], path: Path, parents: dict[str, Any], runs: dict[Any, Any]) -> None:
    message = row.get("message")
    if row.get("type") != "assistant" or not isinstance(message, dict):
        return
    usage = message.get("usage")
    if not usage or message.get("model") == "<synthetic>" or not message.get("id"):
        return
    own = row.get("agentId") or root_of(row, parents) if row.get("isSidechain") else None
    key = ("agent", row["agentId"]) if own and row.get("agentId") else (str(path), own)
    nothing = {"at": row["timestamp"], "path": str(path), "read": 0, "write": 0, "input": 0}
    found = runs[key].setdefault(message["id"], nothing)
    for name, field in (
        ("read", "cache_read_input_tokens"),
        ("write", "cache_creation_input_tokens"),
        ("input", "input_tokens"),
    ):
        found[name] = max(found[name], usage.get(field) or 0)


def plain_breaks(folder: Path) -> set[str]:
    runs, cuts = calls_of(folder)
    found = set()
    for answers in runs.values():
        last: dict[str, Any] | None = None
        for name, one in sorted(answers.items(), key=lambda item: item[1]["at"]):
            if last is not None:
                lost = last["read"] - one["read"]
                is_cut = any(last["at"] < at <= one["at"] for at in cuts[one["path"]])
                paid = one["write"] + one["input"]
                if one["read"] < 0.9 * last["read"] and paid >= lost / 2 and not is_cut:
                    found.add(name)
            last = one
    return found


@pytest.mark.parametrize("folder", [pytest.param(one, id=one.name) for one in FOLDERS])
def test_plain_json_finds_the_same_breaks(folder: Path) -> None:
    found = set()
    for session in group_sessions(list_files([folder])):
        material = gather(session)
        breaks = find_cache_breaks(build(material), request_heads(material))
        found |= {one.message_id for one in breaks}

    assert found == plain_breaks(folder)
