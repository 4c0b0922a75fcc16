"""Fragments are joined into messages, and every other row is told for what it is."""

import pytest

from clew.conversation import CacheMiss
from tests.build import SessionBuilder, bash, image, text, thinking
from tests.unit.conversation.built import (
    answer,
    conversation_of,
    conversation_of_rows,
    message_of,
    prompt,
    result,
    row,
    texts,
    use,
)


def test_all_fragments_of_an_answer_are_one_message() -> None:
    builder = SessionBuilder().user("hi").assistant(thinking("hm"), "hello", "there")

    _, message = conversation_of(builder).messages

    assert [block.kind for block in message.blocks] == ["thinking", "text", "text"]
    assert message.text == "hello\nthere"
    assert message.entry_ids == tuple(row["uuid"] for row in builder.rows[1:])
    assert [place.line for place in message.lines] == [2, 3, 4]


def test_rows_between_fragments_do_not_part_an_answer() -> None:
    conversation = conversation_of_rows(
        prompt("p", None, "go", 0),
        answer("a1", "p", [use("c1")], 1, message_id="m"),
        result("r1", "a1", "c1", "one", 2),
        answer("a2", "a1", [use("c2")], 3, message_id="m"),
        result("r2", "a2", "c2", "two", 4),
    )

    assert [m.id for m in conversation.messages] == ["p", "m", "r1", "r2"]
    assert [call.message_id for call in conversation.tool_calls] == ["m", "m"]


def test_blocks_stand_at_their_place_in_the_answer_whatever_order_they_are_written_in() -> None:
    conversation = conversation_of_rows(
        prompt("p", None, "go"),
        answer("a1", "p", "third", 1, message_id="m", apiBlockIndex=2),
        answer("a2", "a1", "first", 2, message_id="m", apiBlockIndex=0),
        answer("a3", "a2", "second", 3, message_id="m", apiBlockIndex=1),
    )

    assert message_of(conversation, "first\nsecond\nthird").id == "m"


def test_without_a_place_fragments_follow_the_ones_they_hang_on() -> None:
    conversation = conversation_of_rows(
        answer("a3", "a2", [use("c")], 3, message_id="m"),
        prompt("p", None, "go", 0),
        answer("a1", "p", "first", 1, message_id="m"),
        answer("a2", "a1", "second", 2, message_id="m"),
        result("r", "a3", "c", "done", 4),
    )

    message = conversation.messages[1]

    assert [block.kind for block in message.blocks] == ["text", "text", "tool_use"]
    assert message.parent_id == "p"


def test_fragments_in_a_circle_are_kept() -> None:
    conversation = conversation_of_rows(
        answer("a1", "a2", "first", 1, message_id="m"),
        answer("a2", "a1", "second", 2, message_id="m"),
    )

    assert texts(conversation, "answer") == ["first\nsecond"]


def test_a_block_that_is_written_again_counts_once() -> None:
    conversation = conversation_of_rows(
        answer("a1", None, [text("one")], 1, message_id="m"),
        answer("a2", "a1", [text("one"), use("c")], 2, message_id="m"),
        answer("a3", "a2", [text("one"), use("c"), text("two")], 3, message_id="m"),
    )

    assert [block.text for block in conversation.messages[0].blocks] == ["one", "Bash", "two"]


def test_equal_texts_at_different_places_are_two_blocks() -> None:
    conversation = conversation_of_rows(
        answer("a1", None, "again", 1, message_id="m", apiBlockIndex=0),
        answer("a2", "a1", "again", 2, message_id="m", apiBlockIndex=1),
    )

    assert texts(conversation, "answer") == ["again\nagain"]


def test_an_answer_whose_content_is_a_string_is_text() -> None:
    conversation = conversation_of_rows(answer("a", None, []))
    row = answer("a", None, [])
    row["message"]["content"] = "plain"

    conversation = conversation_of_rows(row)

    assert texts(conversation, "answer") == ["plain"]


def test_an_answer_without_an_id_is_named_after_its_row() -> None:
    conversation = conversation_of_rows(
        answer("a", None, "one", message_id=""), answer("b", "a", "two", message_id="")
    )

    assert [m.id for m in conversation.messages] == ["a", "b"]


def test_an_answer_that_claims_the_id_of_another_row_gets_one_of_its_own() -> None:
    conversation = conversation_of_rows(
        prompt("p", None, "hi"), answer("a", "p", "hello", 1, message_id="p")
    )

    assert [m.id for m in conversation.messages] == ["p", "p:answer"]


def test_the_stop_reason_is_the_one_that_is_told() -> None:
    conversation = conversation_of_rows(
        answer("a1", None, "one", 1, message_id="m", stop_reason="end_turn"),
        answer("a2", "a1", "two", 2, message_id="m", stop_reason=None),
    )

    assert conversation.messages[0].stop_reason == "end_turn"


def test_an_answer_lasts_from_its_first_to_its_last_row() -> None:
    conversation = conversation_of_rows(
        answer("a1", None, "one", 5, message_id="m"), answer("a2", "a1", "two", 9, message_id="m")
    )

    (message,) = conversation.messages

    assert message.started_at == "2026-11-01T09:00:05.000Z"
    assert message.ended_at == "2026-11-01T09:00:09.000Z"


def test_thinking_that_is_only_signed_is_kept_without_words() -> None:
    message = conversation_of(SessionBuilder().assistant(thinking(), "hello")).messages[0]

    block = message.blocks[0]

    assert (block.kind, block.text) == ("thinking", "")
    assert block.signature


def test_words_the_client_made_up_are_no_answer_of_a_model() -> None:
    row = answer("a", None, "No response requested.")
    row["message"]["model"] = "<synthetic>"

    conversation = conversation_of_rows(row)

    assert conversation.messages[0].subtype == "synthetic"
    assert conversation.messages[0].usage is None
    assert conversation.totals.answers == 0


def test_an_answer_of_the_client_that_tells_of_a_failure_is_an_error() -> None:
    builder = SessionBuilder().user("hi").failure("Rate limit reached", error="rate_limit")

    message = conversation_of(builder).messages[-1]

    assert (message.kind, message.error) == ("api_error", "rate_limit")
    assert message.text == "Rate limit reached"


def test_a_stream_that_was_broken_off_is_marked() -> None:
    conversation = conversation_of_rows(answer("a", None, "half", isAbortedMidStream=True))

    assert conversation.messages[0].is_aborted


@pytest.mark.parametrize(
    ("builder", "kind", "subtype"),
    [
        (SessionBuilder().user("hi"), "prompt", None),
        (SessionBuilder().meta("note"), "injection", "meta"),
        (SessionBuilder().tools(bash("ls", "a")), "tool_results", None),
        (SessionBuilder().interrupt(), "interrupt", None),
        (SessionBuilder().command("/cost", stdout="$1"), "command_output", None),
        (SessionBuilder().bash("ls", stdout="a"), "bash_output", None),
        (SessionBuilder().teammate("lead", "hello"), "teammate", None),
        (SessionBuilder().compact("auto"), "compaction_summary", None),
        (SessionBuilder().system("away_summary", content="x"), "system", "away_summary"),
        (SessionBuilder().stop_hook("lint"), "hook", "stop_hook_summary"),
        (SessionBuilder().local_command("/cost", stdout="1"), "command_output", "local_command"),
        (SessionBuilder().attachment("date", date="today"), "attachment", "date"),
        (SessionBuilder().attachment("hook_success", hookName="x"), "hook", "hook_success"),
        (SessionBuilder().attachment("async_hook_response"), "hook", "async_hook_response"),
        (SessionBuilder().attachment("never_seen"), "attachment", "never_seen"),
        (SessionBuilder().row(row("never-seen", "u", None)), "unknown", "never-seen"),
        (SessionBuilder().raw(b'{"type":"user","uuid":"u'), "unknown", "broken"),
    ],
)
def test_every_row_is_told_for_what_it_is(
    builder: SessionBuilder, kind: str, subtype: str | None
) -> None:
    message = conversation_of(builder).messages[-1]

    assert (message.kind, message.subtype) == (kind, subtype)


def test_prompts_are_told_from_what_was_put_into_user_rows() -> None:
    builder = (
        SessionBuilder()
        .command("/model", "opus", stdout="Set model")
        .user("Fix the parser")
        .prompt_command("/review", "all", body="Review everything")
        .bash("ls", stdout="a.py")
        .meta("<system-reminder>Be brief</system-reminder>")
        .user("Thanks")
    )

    conversation = conversation_of(builder)

    assert texts(conversation, "prompt") == ["Fix the parser", "Thanks"]
    assert texts(conversation, "command") == ["/model opus", "/review all"]
    assert texts(conversation, "bash_input") == ["ls"]


def test_the_answer_to_a_mistyped_command_is_no_prompt() -> None:
    conversation = conversation_of_rows(
        prompt("p", None, "/nosuch", 1), prompt("q", "p", "Unknown slash command: nosuch", 1)
    )

    assert texts(conversation, "prompt") == ["/nosuch"]
    assert texts(conversation, "command_output") == ["Unknown slash command: nosuch"]


def test_the_body_of_a_command_in_a_resumed_copy_is_no_prompt() -> None:
    conversation = conversation_of_rows(
        prompt("p", None, "<command-name>/greet</command-name>", 1),
        prompt("q", "p", "Greet the world.", 1),
        answer("a", "q", "Hello, world.", 2),
        prompt("r", "a", "Thanks", 3),
    )

    assert texts(conversation, "prompt") == ["Thanks"]
    assert texts(conversation, "injection") == ["Greet the world."]


@pytest.mark.parametrize(("seconds", "kind"), [(0.01, "injection"), (0.011, "prompt")])
def test_what_follows_a_command_later_than_a_client_would_write_it_was_typed(
    seconds: float, kind: str
) -> None:
    conversation = conversation_of_rows(
        prompt("p", None, "<command-name>/greet</command-name>", 1),
        prompt("q", "p", "Go on", 1 + seconds),
    )

    assert texts(conversation, kind) == ["Go on"]


def test_a_prompt_keeps_what_was_set_when_it_was_sent() -> None:
    builder = SessionBuilder(version="2.1.20").cwd("/work").branch("fix").permission_mode("plan")

    message = conversation_of(builder.user("hi").change(planContent="1. Look")).messages[0]

    assert (message.cwd, message.git_branch, message.version) == ("/work", "fix", "2.1.20")
    assert (message.permission_mode, message.plan) == ("plan", "1. Look")
    assert message.thinking_metadata is not None


def test_a_row_outside_a_repository_has_no_branch() -> None:
    (message,) = conversation_of_rows(prompt("p", None, "hi", gitBranch="", cwd="")).messages

    assert (message.cwd, message.git_branch, message.version) == (None, None, None)


def test_a_prompt_keeps_its_pictures() -> None:
    message = conversation_of(SessionBuilder().user("look", image(b"12345"))).messages[0]

    picture = message.blocks[1]

    assert (picture.kind, picture.media_type, picture.size_bytes) == ("image", "image/png", 5)


def test_two_records_on_one_line_are_two_messages() -> None:
    builder = SessionBuilder().user("hi").assistant("hello").glue()

    conversation = conversation_of(builder)

    assert texts(conversation, "prompt", "answer") == ["hi", "hello"]
    assert len({message.lines[0].offset for message in conversation.messages}) == 2


def test_a_torn_last_line_is_kept_in_its_place() -> None:
    builder = SessionBuilder().user("hi").assistant("hello").user("more").torn()

    message = conversation_of(builder).messages[-1]

    assert (message.kind, message.subtype) == ("unknown", "broken")
    assert message.error


def test_nul_bytes_after_a_crash_are_shown_as_what_they_are() -> None:
    builder = SessionBuilder().user("hi").raw(b"\x00" * 512).assistant("hello")

    conversation = conversation_of(builder)

    assert [m.kind for m in conversation.messages] == ["prompt", "unknown", "answer"]
    assert conversation.messages[1].error == "512 bytes, all NUL or blank"


def test_a_row_of_an_unknown_type_without_a_uuid_is_shown_as_it_stands() -> None:
    conversation = conversation_of_rows(prompt("p", None, "hi"), {"type": "new-thing", "x": 1})

    message = conversation.messages[-1]

    assert message.id.startswith("s:")
    assert message.blocks[0].data == '{"type":"new-thing","x":1}'


def test_a_line_of_many_megabytes_is_one_message() -> None:
    conversation = conversation_of(SessionBuilder().user("x" * 6_000_000))

    assert len(conversation.messages[0].text) == 6_000_000


def test_half_a_surrogate_pair_does_no_harm() -> None:
    raw = b'{"type":"user","uuid":"u","message":{"role":"user","content":"half \\ud83d pair"}}'

    conversation = conversation_of_rows(raw)

    assert texts(conversation, "prompt")[0].startswith("half ")


def test_an_answer_carries_why_the_prompt_cache_did_not_help() -> None:
    builder = SessionBuilder().user("go").assistant("one", "two")
    miss = {"type": "tools_changed", "cache_missed_input_tokens": 23300}
    builder.rows[-1]["message"]["diagnostics"] = {"cache_miss_reason": miss}
    builder.user("again").assistant("three")
    builder.rows[-1]["message"]["diagnostics"] = {"cache_miss_reason": None}

    missed, other = (m for m in conversation_of(builder).messages if m.kind == "answer")

    assert missed.cache_miss == CacheMiss("tools_changed", 23300)
    assert other.cache_miss is None


def test_an_answer_lasts_from_its_first_fragment_to_its_last() -> None:
    first = answer("a1", "p", "one", 1, message_id="m")
    last = answer("a2", "a1", "two", 9, message_id="m")

    message = conversation_of_rows(prompt("p", None, "go", 0), first, last).messages[1]

    assert (message.started_at, message.ended_at) == (first["timestamp"], last["timestamp"])


def test_a_system_row_keeps_its_level() -> None:
    notice = row("system", "s", "p", 1, subtype="informational", content="low", level="warning")

    conversation = conversation_of_rows(prompt("p", None, "go", 0), notice)

    assert [message.level for message in conversation.messages] == [None, "warning"]
