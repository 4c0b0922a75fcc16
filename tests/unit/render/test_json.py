"""A conversation's JSON."""

import json
import re
from itertools import product
from pathlib import Path
from typing import Any

import msgspec
import pytest

from clew.conversation import Block, Conversation, Message, Session, ToolCall
from clew.parts import Words
from clew.render import render_json
from clew.render.json import render_page_json
from clew.sessions import load
from clew.view import Detail, SessionPage, ViewOptions, make_page
from tests.build import Call, SessionBuilder, Usage, bash, edit, image
from tests.conftest import Golden
from tests.recordings import HERE, Recording, parameters
from tests.unit.render.cases import CASES, built
from tests.unit.render.shapes import ITEMS, PIXEL, message, page_of

KEYS = {
    "session": """id title title_source project cwd git_branch versions models started_at ended_at
        duration_ms active_ms first_prompt slug team entrypoint lineage""",
    "messages": """id kind role agent_run_id parent_id thread_ids turn epoch entry_ids request_id
        model stop_reason started_at ended_at is_meta is_sidechain error usage blocks lines cwd
        git_branch version permission_mode thinking_metadata todos plan source_tool_call_id
        is_transcript_only is_deleted is_aborted pair_id subtype level content cache_miss""",
    "tool_calls": """id tool message_id agent_run_id status input result_text result is_error
        started_at ended_at duration_ms started_run_id permission denial_kind""",
    "agent_runs": """id agent description kind tool_call_id parent_run_id link depth status prompt
        models usage reported started_at ended_at""",
    "threads": "id is_main message_ids forked_at",
    "turns": "index prompt_id message_ids duration_ms usage tool_call_count",
    "epochs": "index boundary_id trigger tokens_before tokens_after",
    "totals": """usage cost_usd unpriced_models messages prompts answers tool_calls errors
        thinking_blocks agent_runs""",
    "problems": "file line offset kind text",
}
USAGE = """input_tokens output_tokens cache_read_tokens cache_write_5m_tokens
    cache_write_1h_tokens web_searches web_fetches service_tier inference_geo speed iterations
    quality cost_usd"""
BLOCK = "kind text tool_call_id caller signature media_type size_bytes"


def rendered(conversation: Conversation) -> dict[str, Any]:
    """Render, and read with a strict reader."""
    return msgspec.json.decode(b"".join(render_json(conversation)), type=dict[str, Any])


def of(session: SessionBuilder, folder: Path) -> dict[str, Any]:
    """Build, render and read again."""
    return rendered(built(session, folder))


def missing(names: str, found: Any) -> set[str]:
    """Give the names that are not keys of a value, or of the first of several."""
    value = found[0] if isinstance(found, list) else found
    return set(names.split()) - set(value)


def test_a_small_session_is_as_it_was_looked_at(tmp_path: Path, golden: Golden) -> None:
    session = SessionBuilder("small").user("hi").tools(bash("ls", "a.txt")).assistant("hello")

    value = of(session, tmp_path)

    golden("show/small/conversation.json", json.dumps(value, indent=1, ensure_ascii=False) + "\n")


@pytest.mark.parametrize("case", CASES)
def test_every_promised_key_is_there(case: str, tmp_path: Path) -> None:
    value = of(CASES[case](), tmp_path)

    assert value["schema"] == "clew.conversation/1"
    assert {name: missing(KEYS[name], value[name]) for name in KEYS if value[name]} == {
        name: set() for name in KEYS if value[name]
    }
    assert missing(USAGE, value["totals"]["usage"]) == set()
    assert missing(BLOCK, value["messages"][0]["blocks"]) == set()


@pytest.mark.parametrize("recording", parameters(HERE))
def test_our_own_keys_are_in_snake_case_and_times_are_utc(recording: Recording) -> None:
    for path in recording.transcripts():
        value = rendered(load(path))

        names = [key for name in KEYS for item in _items(value[name]) for key in item]
        assert [name for name in names if not re.fullmatch("[a-z0-9_]+", name)] == []
        times = [message["started_at"] for message in value["messages"]]
        assert [time for time in times if time is not None and not time.endswith("Z")] == []


def _items(value: Any) -> list[dict[str, Any]]:
    return value if isinstance(value, list) else [value]


@pytest.mark.parametrize("recording", parameters(HERE))
def test_a_page_comes_back_from_its_json(recording: Recording) -> None:
    for conversation, detail in product(map(load, recording.transcripts()), Detail):
        page = make_page(conversation, ViewOptions(detail=detail))

        raw = render_page_json(page)

        assert msgspec.json.decode(raw, type=SessionPage) == page


def test_a_page_names_its_schema_and_keeps_its_pictures() -> None:
    value = msgspec.json.decode(render_page_json(page_of(ITEMS["picture"])))

    assert value["schema"] == "clew.page/1"
    [words, image] = value["sections"][0]["items"][0]["body"]
    assert (words["part"], image["part"], image["data"]) == ("prose", "image", PIXEL)


def test_half_a_character_in_a_page_becomes_a_mark() -> None:
    value = msgspec.json.decode(render_page_json(page_of(message("prompt", Words("a\ud800b")))))

    assert value["sections"][0]["items"][0]["body"][0]["text"] == "a\ufffdb"


def test_what_is_unknown_is_null() -> None:
    lonely = Message(id="m", kind="prompt", role="user")

    value = rendered(Conversation(session=Session(id="s"), messages=(lonely,)))

    assert value["session"]["title"] is None
    assert value["session"]["duration_ms"] is None
    assert value["messages"][0]["started_at"] is None
    assert value["messages"][0]["usage"] is None


def test_a_result_is_typed_with_names_in_snake_case(tmp_path: Path) -> None:
    changed = edit("/a.py", "x\n", "x", "y")

    [call] = of(SessionBuilder().user("go").tools(changed), tmp_path)["tool_calls"]

    assert call["input"]["new_string"] == "y"
    assert call["result"]["structured_patch"][0]["new_lines"] == 1
    assert call["result"]["original_file"] == "x\n"


def test_a_failed_call_has_an_error_for_a_result(tmp_path: Path) -> None:
    failed = Call("Bash", {"command": "false"}, "Exit code 1\nno", error=True)

    [call] = of(SessionBuilder().user("go").tools(failed), tmp_path)["tool_calls"]

    assert (call["status"], call["is_error"], call["result"]["exit_code"]) == ("failed", True, 1)


def test_a_pending_call_has_no_result(tmp_path: Path) -> None:
    session = SessionBuilder().user("go").tools(Call("Bash", {"command": "sleep 9"}))

    [call] = of(session, tmp_path)["tool_calls"]

    assert (call["status"], call["result"]) == ("pending", None)


def test_cost_is_that_of_the_tokens_and_is_summed_over_turns_and_totals(tmp_path: Path) -> None:
    usage = Usage(input=1000, output=100)
    session = SessionBuilder().model("claude-sonnet-4-5")
    session.user("one").assistant("a", usage=usage).user("two").assistant("b", usage=usage)

    value = of(session, tmp_path)

    costs = [m["usage"]["cost_usd"] for m in value["messages"] if m["usage"]]
    assert costs == [0.0045, 0.0045]
    assert [turn["usage"]["cost_usd"] for turn in value["turns"]] == costs
    assert value["totals"]["cost_usd"] == 0.009
    assert value["totals"]["unpriced_models"] == []


def test_a_model_without_a_price_costs_null_and_is_named(tmp_path: Path) -> None:
    session = SessionBuilder().model("somebody-else-9").user("hi").assistant("hello")

    totals = of(session, tmp_path)["totals"]

    assert totals["cost_usd"] is None
    assert totals["unpriced_models"] == ["somebody-else-9"]


def test_answers_of_another_session_are_shown_but_not_summed(tmp_path: Path) -> None:
    first = SessionBuilder("first").user("hi").assistant("hello", usage=Usage(output=10))
    first.write(tmp_path / f"{first.session_id}.jsonl")
    second = first.fork("second", marked=True).user("more")

    value = of(second, tmp_path)

    [answer] = [m for m in value["messages"] if m["kind"] == "answer"]
    assert answer["usage"]["quality"] == "inherited"
    assert answer["usage"]["cost_usd"] > 0
    assert value["totals"]["cost_usd"] == 0


def test_cache_writes_of_unknown_length_count_as_short_ones(tmp_path: Path) -> None:
    session = SessionBuilder().user("hi").assistant("hello", usage=Usage(cache_write_5m=70))
    del session.rows[-1]["message"]["usage"]["cache_creation"]

    usage = of(session, tmp_path)["totals"]["usage"]

    assert usage["cache_write_5m_tokens"] == 70
    assert usage["cache_write_unsplit_tokens"] == 70


def test_pictures_are_told_by_size_without_their_bytes(tmp_path: Path) -> None:
    session = SessionBuilder().user("look", image(b"hello")).assistant("I see.")

    block = of(session, tmp_path)["messages"][0]["blocks"][1]

    assert (block["kind"], block["size_bytes"]) == ("image", 5)
    assert "data" not in block


def test_half_a_surrogate_pair_does_not_break_it() -> None:
    half = "a\ud800b"
    message = Message(id="m", kind="prompt", role="user", text=half, blocks=(Block("text", half),))

    value = rendered(Conversation(session=Session(id="s", title=half), messages=(message,)))

    assert value["messages"][0]["text"] == value["session"]["title"] == "a\ufffdb"


DEEP = "[" * 5000 + "]" * 5000


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b'{"a": "\\ud800"}', {"a": "\ufffd"}),
        (b'{"a": "\xff"}', {"a": "\ufffd"}),
        (b'{"a": 1e999}', {"a": None}),
        (b'{"a": 123456789012345678901234567890}', {"a": 123456789012345678901234567890}),
        (b"{oops", "{oops"),
        (DEEP.encode(), DEEP),
    ],
    ids=["surrogate", "no UTF-8", "endless", "long", "broken", "deep"],
)
def test_an_input_that_readers_may_refuse_is_mended(raw: bytes, expected: Any) -> None:
    call = ToolCall(id="c", tool="Odd", message_id="m", input=msgspec.Raw(raw))

    [shown] = rendered(Conversation(session=Session(id="s"), tool_calls=(call,)))["tool_calls"]

    assert shown["input"] == expected


def test_a_result_that_is_nested_too_deeply_is_kept_as_text() -> None:
    call = ToolCall(
        id="c", tool="Odd", message_id="m", status="done", result=msgspec.Raw(DEEP.encode())
    )

    [shown] = rendered(Conversation(session=Session(id="s"), tool_calls=(call,)))["tool_calls"]

    assert DEEP in json.dumps(shown["result"])
