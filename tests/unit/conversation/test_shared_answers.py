from clew.conversation import Material, Transcript, TranscriptKind
from tests.build import Row
from tests.unit.conversation.built import (
    answer,
    conversation_of,
    lines_of,
    message_of,
    only_run,
    problems_of,
    prompt,
    result,
    threads_of,
    transcript_of,
    use,
)
from tests.unit.conversation.runs import session_with, started


def test_an_agent_that_starts_with_its_parents_context_repeats_no_answer() -> None:
    fields = {"isSidechain": True, "agentId": "a1"}
    rows = started(toolUseResult={"agentId": "a1"})
    copy = answer("copy", None, rows[1]["message"]["content"], 2, message_id="msg-a", **fields)
    content = lines_of(
        {"type": "fork-context-ref", "agentId": "a1", "parentLastUuid": "a"},
        copy,
        prompt("x", "copy", "List all files", 3, **fields),
        answer("y", "x", "report", 4, output=5, **fields),
    )
    forked = transcript_of(content, "agent-a1", TranscriptKind.AGENT, "a1")

    conversation = conversation_of(session_with(rows, forked))

    assert [(c.id, c.of) for c in conversation.duplicates] == [("copy", "msg-a")]
    assert only_run(conversation).message_ids == ("x", "msg-y")
    assert conversation.totals.usage.output_tokens == 15


def test_a_copy_that_does_not_say_where_its_block_stands_is_a_copy() -> None:
    rows = [prompt("p", None, "go", 0), answer("a", "p", "done", 1, apiBlockIndex=1)]
    copy = answer("copy", None, "done", 2, message_id="msg-a", isSidechain=True, agentId="a1")
    forked = transcript_of(lines_of(copy), "agent-a1", TranscriptKind.AGENT, "a1")

    conversation = conversation_of(session_with(rows, forked))

    assert [(c.id, c.of) for c in conversation.duplicates] == [("copy", "msg-a")]
    assert message_of(conversation, "done").entry_ids == ("a",)


def test_the_rest_of_a_main_answer_in_an_agents_file_belongs_to_the_main_thread() -> None:
    fields = {"isSidechain": True, "agentId": "a1"}
    rest = lines_of(answer("y", None, "the rest", 2, message_id="msg-a", output=10, **fields))
    forked = transcript_of(rest, "agent-a1", TranscriptKind.AGENT, "a1")

    conversation = conversation_of(session_with(started(), forked))

    message = message_of(conversation, "the rest")
    assert (message.id, message.agent_run_id) == ("msg-a", None)
    assert message.entry_ids == ("a", "y")
    assert conversation.threads[0].message_ids[:2] == ("p", "msg-a")
    assert conversation.totals.usage.output_tokens == 10


def suggestion(*rows: Row) -> Transcript:
    content = lines_of(*({**row, "isSidechain": True, "agentId": "x"} for row in rows))
    return transcript_of(content, "agent-x", TranscriptKind.SUGGESTION, "x")


def test_an_answer_that_only_a_suggestion_file_holds_stands_on_the_main_thread() -> None:
    thought = [{"type": "thinking", "thinking": "hm", "signature": "s"}]
    rows = [
        prompt("p", None, "go", 0),
        answer("a1", "p", thought, 1, message_id="m", stop_reason=None, output=1),
        prompt("q", "a2", "and now?", 9),
        answer("b", "q", "done", 10),
    ]
    run = suggestion(
        answer("copy", "p", thought, 1, message_id="m", stop_reason=None, output=1),
        answer("a2", "copy", "here it is", 2, message_id="m", output=7),
        prompt("s", "a2", "[SUGGESTION MODE: guess", 3),
        answer("t", "s", "a guess", 4, output=5),
    )

    conversation = conversation_of(session_with(rows, run))

    assert threads_of(conversation) == [["go", "here it is", "and now?", "done"]]
    assert [(m.id, m.usage.output_tokens) for m in conversation.messages if m.usage] == [
        ("m", 7),
        ("msg-t", 5),
        ("msg-b", 10),
    ]
    assert only_run(conversation).message_ids == ("s", "msg-t")
    assert [(c.id, c.of) for c in conversation.duplicates] == [("copy", "m")]
    assert problems_of(conversation) == []


def test_rows_above_a_main_row_belong_to_the_main_thread_whatever_file_holds_them() -> None:
    rows = [prompt("p", None, "go", 0), prompt("q", "r", "go on", 9)]
    run = suggestion(
        answer("a", "p", [use("c")], 1),
        result("r", "a", "c", "done", 2),
        prompt("s", "r", "[SUGGESTION MODE: guess", 3),
    )

    conversation = conversation_of(session_with(rows, run))

    assert [m.id for m in conversation.messages if m.agent_run_id is None] == [
        "p",
        "msg-a",
        "r",
        "q",
    ]
    assert only_run(conversation).message_ids == ("s",)


def test_a_copy_that_knows_how_an_answer_ended_completes_its_count() -> None:
    rows = [
        prompt("p", None, "go", 0),
        answer("a", "p", "said", 1, message_id="m", stop_reason=None, output=1),
    ]
    run = suggestion(answer("copy", "p", "said", 2, message_id="m", output=9))

    (message,) = [m for m in conversation_of(session_with(rows, run)).messages if m.usage]

    assert message.usage is not None
    assert (message.usage.output_tokens, message.usage.quality) == (9, "exact")


def test_agents_that_share_an_answer_share_its_usage() -> None:
    def file(own: str, second: float) -> Transcript:
        fields = {"isSidechain": True, "agentId": own}
        rows = [
            answer(f"{own}-1", None, "shared", second, message_id="m", **fields),
            answer(f"{own}-2", f"{own}-1", f"own of {own}", second + 1, **fields),
        ]
        return transcript_of(lines_of(*rows), f"agent-{own}", TranscriptKind.AGENT, own)

    conversation = conversation_of(Material("s", (file("a1", 1), file("a2", 5))))

    assert [m.text for m in conversation.messages] == ["shared", "own of a1", "own of a2"]
    assert conversation.totals.usage.output_tokens == 30
