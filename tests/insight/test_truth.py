"""Requests against what a server received, where the recordings of that are at hand."""

import json
from pathlib import Path
from typing import Any, Final

import pytest

from clew.analytics import find_cache_breaks, request_heads
from clew.conversation import build
from clew.insight import RequestLog, make_context
from clew.insight.context import stream_context
from clew.sessions import find, gather

TRUTH: Final = Path(__file__).parents[3] / "shared" / "truth"
NAMES: Final = ("req-chain", "req-agents", "cache-causes")
pytestmark = pytest.mark.skipif(not TRUTH.is_dir(), reason="there are no requests")


def received(name: str) -> dict[str, list[Any]]:
    """Read the messages of each request that led to an answer, as the server received them."""
    known: dict[str, Any] = {}
    found = {}
    for line in (TRUTH / name / "requests.jsonl").read_bytes().splitlines():
        told = json.loads(line)
        known.update(told["new_messages"])
        if told["kind"] != "compact":
            found[told["answer"]] = [unmarked(known[key]) for key in told["messages"]]
    return found


def unmarked(value: Any) -> Any:
    """Leave out where the cache ends."""
    if isinstance(value, list):
        return [unmarked(one) for one in value]
    if not isinstance(value, dict):
        return value
    return {key: unmarked(one) for key, one in value.items() if key != "cache_control"}


def material_of(name: str) -> Any:
    return gather(find(next((TRUTH / name / "root" / "projects").glob("*/*.jsonl")))[0])


@pytest.mark.parametrize("name", NAMES)
def test_every_request_is_as_the_server_received_it(name: str) -> None:
    rebuilt = {one.message_id: one for one in RequestLog(material_of(name)).rebuild()}
    expected = received(name)

    assert {answer: unmarked(rebuilt[answer].messages) for answer in expected} == expected
    assert {(one.proved, len(one.missing)) for one in rebuilt.values()} == {(1.0, 0)}


@pytest.mark.parametrize("name", NAMES)
def test_the_json_of_all_requests_is_the_same(name: str) -> None:
    material = material_of(name)
    report = make_context(build(material), material)

    found = json.loads(b"".join(stream_context(report, None, with_requests=True)))

    requests = {one["message_id"]: unmarked(one["messages"]) for one in found["requests"]}
    expected = received(name)
    assert {answer: requests[answer] for answer in expected} == expected
    assert not any(sample["is_estimated"] for sample in found["samples"])


def test_the_api_states_the_causes_of_breaks() -> None:
    material = material_of("cache-causes")
    path = next((TRUTH / "cache-causes" / "root" / "projects").glob("*/*.jsonl"))
    stated = {}
    for line in path.read_bytes().splitlines():
        row = json.loads(line)
        reason = ((row.get("message") or {}).get("diagnostics") or {}).get("cache_miss_reason")
        if reason:
            stated[row["message"]["id"]] = reason["type"]

    found = find_cache_breaks(build(material), request_heads(material))

    assert {one.message_id: one.cause for one in found} == stated
