"""A session is the same whether it is named by its path or by its id."""

from pathlib import Path

import pytest

from clew.archive import open_archive
from clew.render.json import render_json
from clew.sessions import load
from tests.build import SessionBuilder, bash
from tests.recordings import Recording, parameters


def as_json(target: str | Path, root: Path) -> bytes:
    return b"".join(render_json(load(target, [root])))


@pytest.mark.parametrize("recording", parameters())
def test_a_recorded_session_is_the_same_by_path_and_by_id(recording: Recording) -> None:
    for path in (recording.root / "projects").glob("*/*.jsonl"):
        if not path.name.startswith("agent-"):
            assert as_json(path, recording.root) == as_json(path.stem, recording.root)


def test_agents_in_the_folder_of_another_project_are_found_by_path(tmp_path: Path) -> None:
    builder = SessionBuilder().user("go")
    builder.agent("Look", "Look around", lambda run: run.tools(bash("ls", "a")).assistant("seen"))
    path = builder.write(tmp_path)
    elsewhere = path.parent.with_name("-home-dev-code-demo--claude-worktrees-one")
    elsewhere.mkdir()
    path.with_suffix("").rename(elsewhere / path.stem)

    conversation = load(path)

    assert [run.id for run in conversation.agent_runs] == [builder.runs[0].id]
    assert as_json(path, tmp_path) == as_json(builder.session_id, tmp_path)


def test_the_folder_of_a_project_leads_to_the_whole_session(tmp_path: Path) -> None:
    builder = SessionBuilder().user("go")
    builder.agent("Look", "Look around", lambda run: run.assistant("seen"))
    path = builder.write(tmp_path)
    elsewhere = path.parent.with_name("-home-dev-code-other")
    elsewhere.mkdir()
    path.with_suffix("").rename(elsewhere / path.stem)

    assert as_json(path.parent, tmp_path) == as_json(builder.session_id, tmp_path)


def test_a_transcript_below_a_linked_folder_is_found_by_path(tmp_path: Path) -> None:
    path = SessionBuilder().user("hi").assistant("hello").write(tmp_path / "real")
    (tmp_path / "linked").symlink_to(tmp_path / "real")

    conversation = load(tmp_path / "linked" / path.relative_to(tmp_path / "real"))

    assert conversation.session.id == path.stem


def test_a_fork_of_a_fork_names_the_session_it_was_forked_from(tmp_path: Path) -> None:
    first = SessionBuilder("first").marker("mode", mode="normal", timestamp=at(0))
    first.user("hi").assistant("hello")
    second = fork(first, "second", 1).user("more").assistant("sure")
    third = fork(second, "third", 2).user("and more").assistant("ok")
    first.write(tmp_path / "root")
    second.write(tmp_path / "root")
    path = third.write(tmp_path / "root")
    with open_archive(tmp_path / "home") as archive:
        archive.sync([tmp_path / "root"], workers=1)
        archived = archive.conversation(third.session_id)

    assert load(path).session.lineage.forked_from == second.session_id
    assert archived.session.lineage.forked_from == second.session_id
    assert as_json(path, tmp_path / "root") == as_json(third.session_id, tmp_path / "root")


def fork(origin: SessionBuilder, name: str, hour: int) -> SessionBuilder:
    """Go on in a copy that says by its first marker when it began."""
    copy = origin.fork(name).at(at(hour))
    copy.draft.items[0] = {**copy.rows[0], "timestamp": at(hour)}
    return copy


def at(hour: int) -> str:
    return f"2026-11-01T{9 + hour:02}:00:00.000Z"
