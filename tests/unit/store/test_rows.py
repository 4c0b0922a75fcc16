"""A conversation's rows, as they are written to the database."""

from clew.conversation import build
from clew.store.rows import material_rows, to_rows
from tests.build import SessionBuilder
from tests.unit.conversation.built import material_of
from tests.unit.conversation.runs import agent_file, session_with, started

TURN, EPOCH, IS_COMPACTED = 9, 10, 11


def test_only_messages_before_the_last_compaction_are_compacted() -> None:
    builder = SessionBuilder().user("one").compact("auto").user("two").compact("auto").user("three")
    material = material_of(builder)

    rows = to_rows(material_rows(material), build(material)).tables["message"]

    assert [(row[EPOCH], row[IS_COMPACTED]) for row in rows] == [
        (0, 1),
        *[(1, 1)] * 3,
        *[(2, 0)] * 3,
    ]


def test_nothing_is_compacted_in_a_session_without_compactions() -> None:
    material = material_of(SessionBuilder().user("one").assistant("a"))

    rows = to_rows(material_rows(material), build(material)).tables["message"]

    assert [row[IS_COMPACTED] for row in rows] == [0, 0]


def test_a_run_has_the_totals_that_its_client_reported() -> None:
    totals = {"totalTokens": 900, "totalToolUseCount": 4, "totalDurationMs": 8000.4}
    rows = started(toolUseResult={"status": "completed", "agentId": "a1", **totals})
    material = session_with(rows, agent_file())

    (run,) = to_rows(material_rows(material), build(material)).tables["agent_run"]

    assert run[-3:] == (900, 4, 8000)
