"""Conversations of recorded sessions, against what the scripted model sent and people counted."""

from collections import Counter
from functools import lru_cache
from typing import Any

import pytest

from clew.conversation import Conversation, Message, ModelUsage, build
from clew.sessions import gather, group_sessions, link_neighbours
from clew.source import discover
from tests.golden.facts import (
    EXPLAINED,
    UNWRITTEN,
    conversations,
    count_facts,
    expected_facts,
)
from tests.invariants import check
from tests.recordings import Recording, parameters, recordings

EVERY = pytest.mark.parametrize("recording", parameters())
# Blocks that only the provider reads, or runs, are shown as what they are.
KINDS = {
    "redacted_thinking": "thinking",
    "server_tool_use": "tool_use",
    "web_search_tool_result": "tool_result",
}


@lru_cache
def found_in(name: str) -> list[Conversation]:
    return conversations(next(recording for recording in recordings() if recording.id == name))


def sent(recording: Recording) -> dict[str, dict[str, Any]]:
    """Give the answers of the server that a client writes down, by id."""
    told = recording.expected["server"]["messages"]
    kept = [m for m in told if m["kind"] == "main" and m["complete"] and m["blocks"]]
    return {message["msg_id"]: message for message in kept}


def answers(recording: Recording) -> list[Message]:
    """Give all answers of the model, with those that a fork or a resumed copy repeats."""
    messages = [m for conversation in found_in(recording.id) for m in conversation.messages]
    return [m for m in messages if m.role == "assistant" and m.model != "<synthetic>"]


@EVERY
def test_every_answer_of_the_model_is_found(recording: Recording) -> None:
    found = {message.id for message in answers(recording)}

    missing = [name for name in sent(recording) if name not in found]

    assert len(missing) == UNWRITTEN.get(recording.id, 0)


@EVERY
def test_no_answer_is_made_up(recording: Recording) -> None:
    told = {message["msg_id"] for message in recording.expected["server"]["messages"]}

    found = {message.id for message in answers(recording)}

    assert found <= told


@EVERY
def test_every_answer_counts_once_over_all_sessions(recording: Recording) -> None:
    counted = Counter(m.id for m in answers(recording) if m.usage and not is_inherited(m.usage))

    assert counted == Counter({message.id for message in answers(recording)})


@EVERY
def test_usage_is_what_the_server_sent_or_says_that_it_is_less(recording: Recording) -> None:
    told = sent(recording)

    for message in answers(recording):
        if message.id in told and message.usage and not is_inherited(message.usage):
            found, wanted = tokens(message.usage), tokens_sent(told[message.id])
            exact = message.usage.quality == "exact"
            assert found == wanted if exact else all(map(int.__le__, found, wanted))


@EVERY
def test_blocks_and_stop_reasons_are_those_the_server_sent(recording: Recording) -> None:
    told = sent(recording)

    for message in answers(recording):
        if message.id in told:
            wanted = [block.partition(":")[0] for block in told[message.id]["blocks"]]
            kinds = [block.kind for block in message.blocks]
            assert kinds == [KINDS.get(kind, kind) for kind in wanted]
            assert message.stop_reason in (None, told[message.id]["stop"])


@EVERY
def test_facts_are_those_that_people_counted(recording: Recording) -> None:
    found = count_facts(recording, found_in(recording.id))
    wanted = expected_facts(recording)

    explained = {name: number for name, (number, _) in EXPLAINED.get(recording.id, {}).items()}

    assert {name: found[name] for name in wanted} == wanted | explained
    assert not explained.items() & wanted.items()


@EVERY
def test_every_agent_run_hangs_on_its_call(recording: Recording) -> None:
    runs = [run for c in found_in(recording.id) for run in c.agent_runs if not run.is_hidden]

    assert all(run.tool_call_id for run in runs)


@EVERY
def test_invariants_hold(recording: Recording) -> None:
    files = discover(recording.root).files if recording.root.exists() else []

    for session in group_sessions(files):
        material = link_neighbours(gather(session), session, files)
        check(material, build(material))


def test_the_newest_client_is_read_as_people_count_but_for_the_rows_it_took_out() -> None:
    odd = [name for name in EXPLAINED if name.startswith("2.1.325/")]

    assert odd == ["2.1.325/transcript-gc"]


def test_agents_that_start_agents_are_nested() -> None:
    (conversation,) = found_in("2.1.325/subagent-nested")
    outer, inner = sorted(conversation.agent_runs, key=lambda run: run.depth)

    assert (outer.depth, inner.depth) == (1, 2)
    assert inner.parent_run_id == outer.id
    assert {outer.link, inner.link} == {"meta"}


def test_agents_of_a_workflow_hang_on_the_call_that_ran_it() -> None:
    (conversation,) = found_in("2.1.325/workflow")

    assert {run.kind for run in conversation.agent_runs} == {"workflow"}
    assert {run.link for run in conversation.agent_runs} == {"workflow"}
    assert len({run.tool_call_id for run in conversation.agent_runs}) == 1


def test_a_teammate_in_the_same_process_is_an_agent_run() -> None:
    (conversation,) = found_in("2.1.325/team")

    (run,) = conversation.agent_runs

    assert (run.kind, run.name, run.color) == ("teammate", "worker-one", "blue")


def test_warm_ups_are_hidden_and_hang_on_nothing() -> None:
    runs = [run for c in found_in("2.0.76/subagent") for run in c.agent_runs]

    hidden = [run for run in runs if run.is_hidden]

    assert {run.kind for run in hidden} == {"warmup"}
    assert {run.tool_call_id for run in hidden} == {None}


def test_a_call_that_was_cut_off_by_a_crash_is_told_as_interrupted() -> None:
    (conversation,) = found_in("2.1.325/crash")

    assert [call.status for call in conversation.tool_calls] == ["interrupted"]


def is_inherited(usage: ModelUsage) -> bool:
    return usage.quality.startswith("inherited")


def tokens(usage: ModelUsage) -> tuple[int, ...]:
    written = usage.cache_write_5m_tokens + usage.cache_write_1h_tokens
    written += usage.cache_write_unsplit_tokens
    return usage.input_tokens, usage.output_tokens, written, usage.cache_read_tokens


def tokens_sent(message: dict[str, Any]) -> tuple[int, ...]:
    usage = message["usage"]
    written, read = usage["cache_creation_input_tokens"], usage["cache_read_input_tokens"]
    return usage["input_tokens"], usage["output_tokens"], written, read
