"""Requests rebuilt from rows: found by hash, proved, and honest about what is missing."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clew.insight import RequestLog
from clew.sessions import find, gather
from tests.unit.insight.request_rows import answer, blob, log_of, request, row, said, sha256

TEXT = {"type": "text", "text": "Hello"}
RESULT = {"type": "tool_result", "tool_use_id": "t1", "content": "one"}
OTHER = {"type": "tool_result", "tool_use_id": "t2", "content": "two"}


def test_a_request_is_the_beginning_of_another_and_more(tmp_path: Path) -> None:
    first, second, third = (said("user", dict(TEXT, text=word)) for word in "abc")
    rows = [blob(message) for message in (first, second, third)]
    log = log_of(
        tmp_path,
        *rows,
        request("r1", [sha256(first), sha256(second)]),
        request("r2", [sha256(third)], base="r1", keep=1),
        answer(1, "m1", "r2", TEXT),
    )

    rebuilt = [one for one in log.rebuild() if one.message_id == "m1"]

    assert [one.messages for one in rebuilt] == [[first, third]]
    assert [(one.id, one.proved, one.missing) for one in rebuilt] == [("r2", 1.0, [])]


@pytest.mark.parametrize("content", ["Grüße 🙂 \u2028 \x01 <b>", '\x7f\\"/', "1e-7"])
def test_a_prompt_is_found_as_words_and_as_a_block(tmp_path: Path, content: str) -> None:
    as_block = said("user", {"type": "text", "text": content})
    rows = [row("user", 1, said("user", content)), answer(2, "m1", "r1", TEXT)]

    words = log_of(tmp_path, request("r1", [sha256(said("user", content))]), *rows)
    block = log_of(tmp_path, request("r1", [sha256(as_block)]), *rows)

    assert next(words.rebuild()).messages == [said("user", content)]
    assert next(block.rebuild()).proved == 1.0


def test_results_of_parallel_calls_are_one_message(tmp_path: Path) -> None:
    joined = said("user", RESULT, OTHER)
    log = log_of(
        tmp_path,
        row("user", 1, said("user", RESULT)),
        row("user", 2, said("user", OTHER)),
        request("r1", [sha256(joined)]),
        answer(3, "m1", "r1", TEXT),
    )

    assert next(log.rebuild()).messages == [joined]


def test_the_fragments_of_an_answer_are_one_message(tmp_path: Path) -> None:
    thought = {"type": "thinking", "thinking": "hm", "signature": "s"}
    call = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"b": 1.50, "a": [1, None]}}
    whole = said("assistant", thought, call)
    log = log_of(
        tmp_path,
        answer(1, "m1", "r0", thought),
        answer(2, "m1", "r0", call),
        request("r1", [sha256(whole)]),
        answer(3, "m2", "r1", TEXT),
    )

    rebuilt = {one.message_id: one for one in log.rebuild()}

    assert rebuilt["m2"].messages == [whole]


@pytest.mark.parametrize("number", ["1e-07", "1.0", "1E5", "0.10", "100000000000000000000000"])
def test_numbers_are_hashed_as_they_are_written(tmp_path: Path, number: str) -> None:
    text = f'{{"content":[{{"input":{{"n":{number}}},"type":"tool_use"}}],"role":"assistant"}}'
    name = hashlib.sha256(text.encode()).hexdigest()
    rows = [request("r1", [name]), blob({"x": 0}, name), answer(1, "m1", "r1", TEXT)]
    path = tmp_path / "s.jsonl"
    lines = [json.dumps(one, separators=(",", ":")) for one in rows]
    lines[1] = lines[1].replace('{"x":0}', text)
    path.write_text("\n".join(lines) + "\n", "utf-8")

    log = RequestLog(gather(find(path)[0]))

    assert next(log.rebuild()).proved == 1.0


def test_where_the_cache_ends_is_no_part_of_a_message(tmp_path: Path) -> None:
    marked = said("user", dict(TEXT, cache_control={"type": "ephemeral"}))
    places = [{"path": ["messages", 0, "content", 0], "value": {"type": "ephemeral"}}]
    log = log_of(
        tmp_path,
        row("user", 1, said("user", "Hello")),
        request("r1", [sha256(said("user", TEXT))], cacheControl=places),
        blob(marked, sha256(said("user", TEXT))),
        answer(2, "m1", "r1", TEXT),
    )

    assert next(log.rebuild()).proved == 1.0


def test_a_message_that_no_row_has_is_missing(tmp_path: Path) -> None:
    known = said("user", TEXT)
    log = log_of(
        tmp_path,
        blob(known),
        request("r1", [sha256(known), "f" * 64]),
        answer(1, "m1", "r1", TEXT),
    )

    rebuilt = next(log.rebuild())

    assert rebuilt.messages == [known, {"role": None, "content": None}]
    assert rebuilt.proved == 0.5
    assert [(one.index, one.hash) for one in rebuilt.missing] == [(1, "f" * 64)]


def test_a_blob_that_was_changed_proves_nothing(tmp_path: Path) -> None:
    log = log_of(
        tmp_path,
        blob(said("user", "[masked]"), "e" * 64),
        request("r1", ["e" * 64], withheld=["messages"]),
        answer(1, "m1", "r1", TEXT),
    )

    rebuilt = next(log.rebuild())

    assert rebuilt.messages == [said("user", "[masked]")]
    assert (rebuilt.proved, rebuilt.missing, rebuilt.is_cut) == (0.0, [], True)


def test_what_an_unknown_request_kept_is_missing(tmp_path: Path) -> None:
    known = said("user", TEXT)
    rows = [blob(known), request("r2", [sha256(known)], base="gone", keep=2)]

    rebuilt = next(log_of(tmp_path, *rows, answer(1, "m1", "r2", TEXT)).rebuild())

    assert [(one.index, one.hash) for one in rebuilt.missing] == [(0, None), (1, None)]
    assert rebuilt.messages[2] == known


@pytest.mark.parametrize("tail", ["x", 7, {"a": 1}, [1, 2], None])
def test_a_tail_of_another_shape_is_missing(tmp_path: Path, tail: Any) -> None:
    log = log_of(tmp_path, request("r1", tail), answer(1, "m1", "r1", TEXT))

    rebuilt = next(log.rebuild())

    assert rebuilt.is_cut
    assert rebuilt.proved == 0.0


def test_a_request_without_an_answer_is_listed(tmp_path: Path) -> None:
    known = said("user", TEXT)
    log = log_of(tmp_path, blob(known), request("r1", [sha256(known)]))

    assert [(one.id, one.message_id) for one in log.rebuild()] == [("r1", None)]


CHAINS = st.lists(
    st.tuples(st.integers(-1, 8), st.integers(0, 6), st.lists(st.integers(0, 5), max_size=4)),
    min_size=1,
    max_size=9,
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(CHAINS)
def test_any_chain_is_what_the_rule_says(
    tmp_path: Path, chain: list[tuple[int, int, list[int]]]
) -> None:
    words = [said("user", dict(TEXT, text=str(number))) for number in range(6)]
    rows: list[Any] = [blob(message) for message in words]
    expected: list[list[dict[str, Any]]] = []
    for number, (base, wanted, tail) in enumerate(chain):
        based = base if 0 <= base < number else -1
        keep = min(wanted, len(expected[based])) if based >= 0 else 0
        kept = expected[based][:keep] if based >= 0 else []
        expected.append([*kept, *(words[one] for one in tail)])
        name = f"r{based}" if based >= 0 else ""
        rows.append(request(f"r{number}", [sha256(words[one]) for one in tail], name, keep))

    assert [one.messages for one in log_of(tmp_path, *rows).rebuild()] == expected
