"""Sessions among their neighbours: forks, copies, continuations, teammates, titles."""

from pathlib import Path

import pytest

from clew.conversation import Conversation, Lineage, build
from clew.sessions import gather, group_sessions, link_neighbours, survey
from clew.source import discover
from tests.build import SessionBuilder, Usage
from tests.invariants import check


def placed(root: Path, builder: SessionBuilder) -> Conversation:
    """Build a session as it stands among the others of its root."""
    files = discover(root).files
    sessions = {session.session_id: session for session in group_sessions(files)}
    session = sessions[builder.session_id]
    material = link_neighbours(gather(session), session, files)
    conversation = build(material)
    check(material, conversation)
    return conversation


def test_a_lone_session_has_no_lineage(tmp_path: Path) -> None:
    builder = SessionBuilder().user("hi").assistant("hello")
    builder.write(tmp_path)

    assert placed(tmp_path, builder).session.lineage == Lineage()


@pytest.mark.parametrize("marked", [True, False])
def test_a_fork_knows_its_origin_and_counts_only_its_own(tmp_path: Path, *, marked: bool) -> None:
    origin = SessionBuilder("origin").marker("mode", mode="normal", timestamp=at(0)).user("hi")
    origin.assistant("hello", usage=Usage(output=100))
    fork = origin.fork("fork", marked=marked)
    fork.draft.items[0] = {**fork.rows[0], "timestamp": at(50)}
    fork.wait(60).user("another way").assistant("sure", usage=Usage(output=7))
    origin.user("more").assistant("yes", usage=Usage(output=20))
    origin.write(tmp_path)
    fork.write(tmp_path)

    first, second = placed(tmp_path, origin), placed(tmp_path, fork)

    assert first.session.lineage == Lineage()
    assert second.session.lineage == Lineage(forked_from=origin.session_id)
    assert first.totals.usage.output_tokens == 120
    assert second.totals.usage.output_tokens == 7
    assert [m.usage.quality for m in second.messages if m.usage] == ["inherited", "exact"]


def test_a_resumed_copy_knows_what_it_goes_on_from(tmp_path: Path) -> None:
    first = SessionBuilder("first", version="1.0.30").user("hi")
    first.assistant("hello", usage=Usage(output=100))
    second = resumed("second", first).user("more").assistant("sure", usage=Usage(output=7))
    third = resumed("third", second).user("and more").assistant("ok", usage=Usage(output=3))
    for builder in (first, second, third):
        builder.write(tmp_path)

    conversations = [placed(tmp_path, builder) for builder in (first, second, third)]

    resumed_from = [conversation.session.lineage.resumed_from for conversation in conversations]
    assert resumed_from == [None, first.session_id, second.session_id]
    assert [c.totals.usage.output_tokens for c in conversations] == [100, 7, 3]


def test_a_session_whose_first_row_hangs_on_another_s_last_goes_on_from_it(tmp_path: Path) -> None:
    first = SessionBuilder("first").user("hi").assistant("hello")
    second = SessionBuilder("second").wait(60).user("more").assistant("sure")
    second.rows[0]["parentUuid"] = first.rows[-1]["uuid"]
    first.write(tmp_path)
    second.write(tmp_path)

    assert placed(tmp_path, second).session.lineage.resumed_from == first.session_id
    assert placed(tmp_path, first).session.lineage == Lineage()


def test_a_compaction_whose_past_is_in_another_session_goes_on_from_it(tmp_path: Path) -> None:
    first = SessionBuilder("first").user("hi").assistant("hello")
    second = SessionBuilder("second").wait(60).compact("auto").user("more")
    second.rows[0]["logicalParentUuid"] = first.rows[-1]["uuid"]
    first.write(tmp_path)
    second.write(tmp_path)

    assert placed(tmp_path, second).session.lineage.resumed_from == first.session_id


def test_a_session_that_says_where_it_goes_on_is_known_there(tmp_path: Path) -> None:
    second = SessionBuilder("second").user("more")
    first = SessionBuilder("first").user("hi")
    first.marker("continued-in", continuedInSessionId=second.session_id)
    first.write(tmp_path)
    second.write(tmp_path)

    assert placed(tmp_path, first).session.lineage.continued_in == second.session_id
    assert placed(tmp_path, second).session.lineage.resumed_from == first.session_id


def test_a_teammate_knows_its_lead(tmp_path: Path) -> None:
    spawned = {"status": "teammate_spawned", "agent_id": "worker@crew", "name": "worker"}
    lead = SessionBuilder("lead").user("go").tool("Task", {}, "ok", tool_use_result=spawned)
    mate = SessionBuilder("mate").teammate("team-lead", "Start")
    mate.change(teamName="crew", agentName="worker")
    lead.write(tmp_path)
    mate.write(tmp_path)

    assert placed(tmp_path, mate).session.lineage.teammate_of == lead.session_id
    assert placed(tmp_path, lead).session.lineage == Lineage()


def test_an_old_title_is_found_in_a_neighbour_s_file(tmp_path: Path) -> None:
    builder = SessionBuilder("one", version="1.0.60").user("hi").assistant("hello")
    other = SessionBuilder("two", version="1.0.60")
    other.summary("A greeting", leaf=builder.rows[-1]["uuid"])
    builder.write(tmp_path)
    other.write(tmp_path)

    session = placed(tmp_path, builder).session

    assert (session.title, session.title_source) == ("A greeting", "summary")


def test_sessions_of_other_projects_have_no_say(tmp_path: Path) -> None:
    origin = SessionBuilder("origin", cwd="/one").user("hi").assistant("hello")
    copied = SessionBuilder("copy", cwd="/two").wait(60)
    copied.draft.items = [{**row, "sessionId": copied.session_id} for row in origin.rows]
    origin.write(tmp_path)
    copied.write(tmp_path)

    assert placed(tmp_path, copied).session.lineage == Lineage()


def test_a_survey_tells_what_others_may_want_to_know(tmp_path: Path) -> None:
    builder = SessionBuilder(version="1.0.60").user("hi").assistant("hello").summary("A title")
    builder.write(tmp_path)
    (file,) = discover(tmp_path).files

    known = survey(file)

    uuids = tuple(row["uuid"] for row in builder.rows if "uuid" in row)
    assert known.session_id == builder.session_id
    assert list(known.claims) == [builder.rows[1]["message"]["id"]]
    assert (known.first_rows, known.last_rows) == (uuids, uuids)
    assert known.titles == {uuids[-1]: "A title"}


def at(second: int) -> str:
    return f"2026-11-01T09:00:{second:02}.000Z"


def resumed(name: str, earlier: SessionBuilder) -> SessionBuilder:
    """Copy a session as old clients do when they resume it: new uuids, new times, same answers."""
    builder = earlier.fork(name)
    now = builder.draft.now = earlier.wait(60).draft.now
    time = now.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    parent = None
    for number, row in enumerate(builder.rows):
        row.update(uuid=f"{name}-{number}", parentUuid=parent, timestamp=time)
        parent = row["uuid"]
    builder.draft.parent = parent
    return builder
