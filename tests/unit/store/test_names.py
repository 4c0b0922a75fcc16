"""Names: what ties entries to each other, as prints."""

from clew.conversation import build
from clew.store.names import (
    pack_prints,
    past_names,
    shares_print,
    tail_names,
    to_prints,
)
from tests.build import SessionBuilder, bash
from tests.unit.conversation.built import material_of


def test_rows_name_themselves_their_parents_and_their_calls() -> None:
    session = SessionBuilder().user("Look").tools(bash("ls", "a"))
    material = material_of(session)
    conversation = build(material)

    names = past_names(material, conversation, len(conversation.messages), set())

    assert {row["uuid"] for row in session.rows} <= names
    assert conversation.tool_calls[0].id in names
    assert conversation.messages[1].id in names


def test_a_tail_does_not_name_the_row_it_hangs_on() -> None:
    session = SessionBuilder().user("Look").change(parentUuid="before").assistant("Yes.")
    material = material_of(session)

    assert "before" not in tail_names(material, build(material))


def test_another_row_that_hangs_there_does_name_it() -> None:
    session = SessionBuilder().user("Look").change(parentUuid="before")
    material = material_of(session.assistant("Yes.").change(parentUuid="before"))

    assert "before" in tail_names(material, build(material))


def test_prints_tell_whether_a_name_is_known() -> None:
    packed = pack_prints(to_prints(["one", "two", None, ""]))

    assert shares_print(to_prints(["three", "two"]), packed)
    assert not shares_print(to_prints(["three", None]), packed)
