"""Words that a person adds to the result of a call."""

from typing import Any

from clew.conversation import Conversation
from tests.build import SessionBuilder, bash
from tests.unit.conversation.built import conversation_of, message_of, only_call, texts


def with_words(words: str, **fields: Any) -> Conversation:
    builder = SessionBuilder().user("go").tools(bash("make", "built"))
    row = builder.rows[-1]
    row["message"]["content"].append({"type": "text", "text": words})
    return conversation_of(builder.change(**fields).assistant("Done."))


def test_words_beside_a_result_are_steering_after_it() -> None:
    conversation = with_words("and lint it too")

    assert [message.kind for message in conversation.messages] == [
        "prompt",
        "answer",
        "tool_results",
        "steering",
        "answer",
    ]
    assert message_of(conversation, "and lint it too").subtype == "remark"
    assert conversation.totals.prompts == 2
    assert len(conversation.threads) == 1


def test_a_result_with_words_beside_it_is_a_result_still() -> None:
    conversation = with_words("and lint it too")

    call = only_call(conversation)

    assert (call.status, call.result_text) == ("done", "built")
    results = next(m for m in conversation.messages if m.id == call.result_message_id)
    assert (results.text, [block.kind for block in results.blocks]) == ("", ["tool_result"])


def test_what_the_client_puts_beside_a_result_is_nobodys_words() -> None:
    assert texts(with_words("<system-reminder>x</system-reminder>"), "steering") == []
    assert texts(with_words("Be brief.", isMeta=True), "steering") == []
    assert texts(with_words("Be brief.", sourceToolUseID="toolu_1"), "steering") == []
