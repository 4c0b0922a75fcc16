"""Files through several sessions."""

from pathlib import Path

from clew.replay import Certainty, at_message, at_time, join_histories, shown_versions
from tests.build import SessionBuilder, bash, edit, read, write
from tests.unit.replay.replayed import FILE, conversation_of, replay_of


def first() -> SessionBuilder:
    return SessionBuilder("one").at("2026-11-01T09:00:00Z").user("Go.").tools(write(FILE, "a\n"))


def second() -> SessionBuilder:
    builder = SessionBuilder("two").at("2026-11-02T09:00:00Z").user("Go.")
    return builder.tools(edit(FILE, "a\n", "a", "b")).assistant("Done.")


def test_versions_of_all_sessions_are_in_order(tmp_path: Path) -> None:
    replays = [replay_of(second(), tmp_path), replay_of(first(), tmp_path)]

    history = join_histories(replays)[FILE]

    assert [version.after.text for version in history.versions] == ["a\n", "b\n"]
    assert len(history.changes) == 2


def test_between_sessions_a_file_is_stale(tmp_path: Path) -> None:
    replays = [replay_of(first(), tmp_path), replay_of(second(), tmp_path)]

    def at(time: str) -> tuple[Certainty, str | None]:
        found = at_time(replays, FILE, time)
        return found.state, found.text

    assert at("2026-10-01T00:00:00.000Z") == (Certainty.UNKNOWN, None)
    assert at("2026-11-01T12:00:00.000Z") == (Certainty.STALE, "a\n")
    assert at(replays[1].versions[0].at) == (Certainty.EXACT, "b\n")
    assert at("2026-12-01T00:00:00.000Z") == (Certainty.STALE, "b\n")


def test_a_session_beside_another_makes_its_files_stale(tmp_path: Path) -> None:
    beside = SessionBuilder("beside").at("2026-11-02T08:59:00Z").user("Go.")
    beside.tools(read(FILE, "a\n")).wait(9000).assistant("Done.")
    replays = [replay_of(beside, tmp_path), replay_of(second(), tmp_path)]

    assert at_time(replays, FILE, replays[1].versions[0].at).state is Certainty.STALE


def test_a_time_within_a_session_knows_its_commands(tmp_path: Path) -> None:
    builder = first().wait(60).tools(bash("make")).wait(60).assistant("Done.")
    replay = replay_of(builder, tmp_path)

    assert at_time([replay], FILE, "2026-11-01T09:00:30.000Z").state is Certainty.EXACT
    assert at_time([replay], FILE, "2026-11-01T09:01:50.000Z").state is Certainty.STALE


def test_a_moment_names_its_call(tmp_path: Path) -> None:
    conversation = conversation_of(second(), tmp_path)
    replay = replay_of(second(), tmp_path)

    found = at_message(replay, FILE, conversation.messages[-1].id)

    assert found is not None
    assert (found.text, found.call_id) == ("b\n", conversation.tool_calls[0].id)
    assert found.session_id == conversation.session.id


def test_reads_that_show_nothing_new_are_left_out(tmp_path: Path) -> None:
    builder = first().tools(read(FILE, "a\n")).tools(bash("make")).tools(read(FILE, "z\n"))

    versions = shown_versions(replay_of(builder, tmp_path).versions)

    assert [(version.action, version.after.text) for version in versions] == [
        ("create", "a\n"),
        ("read", "z\n"),
    ]
