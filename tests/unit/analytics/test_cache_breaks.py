"""Cache breaks: which requests are some, why, and what they cost."""

from pathlib import Path
from typing import Any

import pytest

from clew.analytics import (
    CacheBreak,
    Pricer,
    cost_of_break,
    describe_cause,
    find_cache_breaks,
    request_heads,
)
from clew.conversation import ModelUsage, build
from clew.sessions import find, gather
from tests.build import SessionBuilder
from tests.build.usage import Usage
from tests.unit.insight.request_rows import SESSION, answer, material_of, request, row, said

WARM = Usage(input=10, output=5, cache_read=50_000, cache_write_5m=500)
COLD = Usage(input=10, output=5, cache_read=0, cache_write_5m=51_000)


def breaks_of(builder: SessionBuilder, folder: Path) -> list[CacheBreak]:
    material = gather(find(builder.write(folder / "s.jsonl"))[0])
    return list(find_cache_breaks(build(material), request_heads(material)))


def two(first: Usage, second: Usage, pause: float = 1) -> SessionBuilder:
    builder = SessionBuilder().user("one").assistant("1", usage=first)
    return builder.wait(pause).user("two").assistant("2", usage=second)


@pytest.mark.parametrize(
    ("pause", "cause"),
    [(1, "unexplained"), (290, "unexplained"), (310, "pause_5m"), (3_700, "pause_1h")],
)
def test_a_pause_lets_the_cache_expire(tmp_path: Path, pause: float, cause: str) -> None:
    found = breaks_of(two(WARM, COLD, pause), tmp_path)

    assert [(one.cause, one.tokens) for one in found] == [(cause, 50_000)]
    assert found[0].source == ("" if cause == "unexplained" else "inferred")


@pytest.mark.parametrize(
    ("read", "write", "is_break"),
    [
        (45_000, 5_000, False),  # 90 % were read
        (44_999, 5_001, True),
        (10_000, 19_999, False),  # less than half of the loss was paid again
        (10_000, 20_000, True),
        (60_000, 9_000, False),
    ],
)
def test_a_break_loses_a_tenth_and_pays_half_of_it_again(
    tmp_path: Path, read: int, write: int, *, is_break: bool
) -> None:
    found = breaks_of(two(WARM, Usage(0, 5, read, write)), tmp_path)

    assert bool(found) is is_break


def test_another_model_has_another_cache(tmp_path: Path) -> None:
    builder = SessionBuilder().user("one").assistant("1", usage=WARM)
    builder.wait(7_000).model("claude-sonnet-5-5").user("two").assistant("2", usage=COLD)

    assert [one.cause for one in breaks_of(builder, tmp_path)] == ["model_changed"]


def test_a_compaction_is_no_break(tmp_path: Path) -> None:
    builder = SessionBuilder().user("one").assistant("1", usage=WARM)
    builder.compact("What happened so far.").user("two").assistant("2", usage=COLD)

    assert breaks_of(builder, tmp_path) == []


def test_each_agent_run_has_its_own_cache(tmp_path: Path) -> None:
    small = Usage(input=3, output=5, cache_read=0, cache_write_5m=9_000)
    builder = SessionBuilder().user("one").assistant("1", usage=WARM)
    builder.agent("Look", "Look", lambda run: run.assistant("here", usage=small))
    builder.assistant("2", usage=WARM)

    assert breaks_of(builder, tmp_path) == []


def test_the_first_request_is_no_break(tmp_path: Path) -> None:
    assert breaks_of(SessionBuilder().user("one").assistant("1", usage=COLD), tmp_path) == []


def test_a_break_costs_what_reading_would_have_saved() -> None:
    found = CacheBreak(
        message_id="m",
        at="2026-11-01T00:00:00Z",
        model="claude-sonnet-4-5",
        tokens=1_000_000,
        cache_write_5m_tokens=999_000,
        input_tokens=1_000,
    )
    usage = ModelUsage(input_tokens=1_000, output_tokens=9, cache_write_5m_tokens=999_000)
    pricer = Pricer()

    paid, _ = pricer.price(usage, found.model, found.at)
    read, _ = pricer.price(
        ModelUsage(output_tokens=9, cache_read_tokens=1_000_000), found.model, found.at
    )

    assert paid is not None
    assert read is not None
    assert cost_of_break(found, usage, pricer) == paid - read > 0


def test_a_model_without_a_price_has_no_cost() -> None:
    found = CacheBreak(message_id="m", at="2026-11-01T00:00:00Z", model="unheard-of", tokens=5)

    assert cost_of_break(found, ModelUsage(input_tokens=5), Pricer()) is None


@pytest.mark.parametrize(
    ("cause", "label"),
    [("pause_5m", "Pause over 5 minutes"), ("container_moved", "Container moved")],
)
def test_causes_have_names(cause: str, label: str) -> None:
    assert describe_cause(cause) == label


def _request(number: int, effort: str, shape: str) -> list[dict[str, Any]]:

    params = {"model": "claude-opus-5-5", "output_config": {"effort": effort}}
    made = request(f"r{number}", [], params=params)
    return [made | {"shapeHash": shape}]


@pytest.mark.parametrize(
    ("effort", "shape", "cause"),
    [
        ("high", "a", "parameters_changed"),
        ("medium", "b", "tools_changed"),
        ("medium", "c", "system_changed"),
        ("medium", "a", "unexplained"),
    ],
)
def test_what_changed_in_the_request_is_the_cause(
    tmp_path: Path, effort: str, shape: str, cause: str
) -> None:

    shapes = {
        "a": {"system": "s", "tools": ["t"]},
        "b": {"system": "s", "tools": ["u"]},
        "c": {"system": "x", "tools": ["t"]},
    }
    rows = [
        {"type": "api-request-shape", "sessionId": SESSION, "shapeHash": name, "shape": value}
        for name, value in shapes.items()
    ]
    rows += _request(1, "medium", "a") + _request(2, effort, shape)
    rows.append(row("user", 1, said("user", "one")))
    rows.append(answer(2, "m1", "r1", {"type": "text", "text": "1"}, cache_read_input_tokens=9_000))
    rows.append(row("user", 3, said("user", "two")))
    rows.append(
        answer(4, "m2", "r2", {"type": "text", "text": "2"}, cache_creation_input_tokens=9_000)
    )
    material = material_of(tmp_path, *rows)

    found = list(find_cache_breaks(build(material), request_heads(material)))

    assert [one.cause for one in found] == [cause]


@pytest.mark.parametrize(
    ("reason", "cause", "source"),
    [
        ("tools_changed", "tools_changed", "api"),
        ("previous_message_not_found", "previous_message_not_found", "api"),
        ("unavailable", "unavailable", "api"),
        ("<script>", "unavailable", "api"),
    ],
)
def test_what_the_api_says_comes_first(
    tmp_path: Path, reason: str, cause: str, source: str
) -> None:

    miss = {"cache_miss_reason": {"type": reason, "cache_missed_input_tokens": 700}}
    broken = answer(4, "m2", "r2", {"type": "text", "text": "2"}, cache_creation_input_tokens=900)
    broken["message"]["diagnostics"] = miss
    material = material_of(
        tmp_path,
        row("user", 1, said("user", "one")),
        answer(2, "m1", "r1", {"type": "text", "text": "1"}, cache_creation_input_tokens=900),
        row("user", 3, said("user", "two")),
        broken,
    )

    found = list(find_cache_breaks(build(material), request_heads(material)))

    assert [(one.cause, one.source, one.tokens) for one in found] == [(cause, source, 700)]
