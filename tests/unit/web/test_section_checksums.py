"""A number for each section, which changes when the section does."""

from clew.view import ViewOptions, make_frame, make_index, make_layout
from clew.web.pages.session import name_of
from clew.web.section_checksums import section_checksums
from tests.build import SessionBuilder
from tests.unit.conversation.built import conversation_of


def words(builder: SessionBuilder) -> tuple[int, ...]:
    index = make_index(conversation_of(builder))
    layout = make_layout(index, ViewOptions())
    return section_checksums(layout, make_frame(index, ViewOptions(), layout).turns)


def talk() -> SessionBuilder:
    return SessionBuilder().user("one").assistant("yes").user("two").assistant("indeed")


def test_a_section_that_grows_has_another_number() -> None:
    before, after = words(talk()), words(talk().assistant("more"))

    assert before[0] == after[0]
    assert before[-1] != after[-1]


def test_a_result_changes_the_number() -> None:
    pending = talk().tool("Bash", {"command": "ls"})
    finished = talk().tool("Bash", {"command": "ls"}, "a file")

    assert words(pending)[-1] != words(finished)[-1]


def test_the_line_above_a_long_turn_changes_with_what_comes_at_its_end() -> None:
    long = SessionBuilder().user("one")
    for number in range(200):
        long.tool("Bash", {"command": f"echo {number}"}, "said")
    before = words(long)
    after = words(long.tool("Bash", {"command": "ls"}, "a file"))

    assert len(before) == len(after) > 2
    assert before[0] != after[0]
    assert before[1:-1] == after[1:-1]


def test_a_message_in_the_place_of_another_changes_the_number() -> None:
    before = words(SessionBuilder("one").user("one"))
    after = words(SessionBuilder("other").user("one"))

    assert len(before) == len(after) == 1
    assert before != after


def test_what_an_agent_run_does_counts_where_the_run_stands() -> None:
    def short(run: SessionBuilder) -> None:
        run.assistant("done")

    def long(run: SessionBuilder) -> None:
        run.tool("Bash", {"command": "ls"}, "a file").assistant("done")

    before = words(talk().agent("look", "please", short))
    after = words(talk().agent("look", "please", long))

    assert before[0] == after[0]
    assert before[1] != after[1]


def test_names_are_found_behind_anchors() -> None:
    index = make_index(conversation_of(talk()))
    message = index.conversation.messages[0]

    assert name_of(index, f"m-{message.id}") == message.id
    assert name_of(index, f"m-{message.entry_ids[0]}") in {message.id, message.entry_ids[0]}
    assert name_of(index, "m-none") is None
