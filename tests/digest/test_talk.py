"""Which words of a session are those of its user and its model."""

from clew.digest.talk import find_spoken, speaker_of, without_injections
from tests.build import SessionBuilder, bash
from tests.unit.conversation.built import conversation_of


def session() -> SessionBuilder:
    return (
        SessionBuilder()
        .user("Fix the retry bug")
        .tools(bash("make", "All is built"), say="I build it first")
        .meta("Injected words")
        .bash("ls", stdout="a file")
        .command("/cost", stdout="It was cheap")
        .teammate("mira", "Do as I say")
        .agent("look", "Look at it", lambda run: run.assistant("The agent says so"))
        .steer("Use a cache")
        .assistant("It is fixed")
    )


def test_prompts_and_answers_of_the_main_thread_are_spoken() -> None:
    spoken = find_spoken(conversation_of(session()))

    assert [(one.reference, one.speaker, one.text) for one in spoken] == [
        ("m1", "user", "Fix the retry bug"),
        ("m2", "assistant", "I build it first"),
        ("m3", "user", "Use a cache"),
        ("m4", "assistant", "It is fixed"),
    ]


def test_other_threads_and_compaction_summaries_are_not() -> None:
    builder = SessionBuilder().user("First").assistant("Yes").remember("here")
    builder.user("The way not taken").assistant("Gone").rewind_to("here")
    builder.compact(summary="All that was said").user("The way taken").assistant("Here")

    texts = [one.text for one in find_spoken(conversation_of(builder))]

    assert texts == ["First", "Yes", "The way taken", "Here"]


def test_injected_text_is_removed_from_a_prompt() -> None:
    inner = "Say <system-reminder>that</system-reminder> too"

    assert without_injections("Go <system-reminder>x</system-reminder>on").split() == ["Go", "on"]
    assert without_injections(f"a <system-reminder>{inner}</system-reminder> b").split() == [
        "a",
        "b",
    ]
    assert without_injections("a <bash-stdout>never closed").split() == ["a"]
    assert without_injections("a < b and <b>") == "a < b and <b>"


def test_a_failed_request_is_nobody_speaking() -> None:
    conversation = conversation_of(SessionBuilder().user("Go").failure("Too many requests"))

    assert [speaker_of(message) for message in conversation.messages] == ["user", ""]
