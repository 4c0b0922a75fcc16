"""Sessions on disk: which files make one, and what its neighbours know of it."""

import os
from pathlib import Path

import pytest

from clew.conversation import build
from clew.errors import NotFoundError, PathNotFoundError, SessionNotFoundError
from clew.sessions import (
    SessionFiles,
    find,
    gather,
    group_sessions,
    list_files,
    load,
)
from clew.source import LATEST, FileKind, discover
from tests.build import SessionBuilder, bash


def touch(path: Path, seconds: float) -> None:
    """Set when a file was last written."""
    os.utime(path, (seconds, seconds))


def sessions_in(root: Path) -> dict[str, SessionFiles]:
    return {session.session_id: session for session in group_sessions(discover(root).files)}


def looking(name: str = "session", version: str = "2.1.325") -> SessionBuilder:
    builder = SessionBuilder(name, version=version).user("go")
    return builder.agent("Look", "Look around", lambda run: run.assistant("seen"))


def test_a_session_is_its_transcript_with_all_that_stands_beside_it(tmp_path: Path) -> None:
    builder = looking().tool("Bash", {"command": "seq"}, "1\n" * 9000, persisted=True)
    path = builder.write(tmp_path)

    session = sessions_in(tmp_path)[builder.session_id]

    assert session.files[0].path == path
    assert [file.kind for file in session.files[1:]] == [
        FileKind.AGENT,
        FileKind.META,
        FileKind.TOOL_RESULT,
    ]
    assert session.size == sum(file.size for file in session.files)


def test_flat_agent_files_go_to_the_session_their_rows_name(tmp_path: Path) -> None:
    one, two = looking("one", "2.0.76"), looking("two", "2.0.76")
    one.write(tmp_path)
    two.write(tmp_path)

    sessions = sessions_in(tmp_path)

    assert sessions.keys() == {one.session_id, two.session_id}
    for builder in (one, two):
        agents = [file.agent_id for file in sessions[builder.session_id].files[1:]]
        assert agents == [builder.runs[0].id]


def test_a_flat_agent_file_without_its_session_is_a_session_of_its_own(tmp_path: Path) -> None:
    builder = looking(version="2.0.76")
    builder.write(tmp_path).unlink()

    (session,) = sessions_in(tmp_path).values()

    assert session.session_id == builder.session_id
    assert [file.kind for file in session.files] == [FileKind.AGENT]


def test_a_flat_agent_file_that_names_no_session_is_known_by_its_own_name(tmp_path: Path) -> None:
    path = tmp_path / "projects" / "-p" / "agent-a123456.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"not a row\n")

    assert list(sessions_in(tmp_path)) == ["agent-a123456"]


def test_files_without_a_transcript_are_no_session(tmp_path: Path) -> None:
    folder = tmp_path / "projects" / "-p" / "11111111-2222-4333-8444-555555555555"
    folder.mkdir(parents=True)
    (folder / "custom-title.json").write_bytes(b'{"customTitle":"Mine"}')

    assert sessions_in(tmp_path) == {}


def test_sessions_come_with_the_one_written_last_first(tmp_path: Path) -> None:
    one, two = SessionBuilder("one").user("1"), SessionBuilder("two").user("2")
    touch(one.write(tmp_path), 1_000)
    touch(two.write(tmp_path), 2_000)

    assert list(sessions_in(tmp_path)) == [two.session_id, one.session_id]


def test_a_session_in_two_folders_is_one_session(tmp_path: Path) -> None:
    builder = SessionBuilder(cwd="/old").user("hi")
    builder.write(tmp_path)
    moved = SessionBuilder(cwd="/new").user("hi").assistant("hello")
    moved.write(tmp_path)

    conversation = load(builder.session_id, [tmp_path])

    assert [m.text for m in conversation.messages] == ["hi", "hello"]
    assert len(conversation.duplicates) == 1


def test_projects_that_share_an_encoded_folder_stay_apart(tmp_path: Path) -> None:
    one = SessionBuilder("one", cwd="/srv/über").user("1")
    two = SessionBuilder("two", cwd="/srv/ñber").user("2")
    assert one.write(tmp_path).parent == two.write(tmp_path).parent

    projects = {load(builder.session_id, [tmp_path]).session.project for builder in (one, two)}

    assert projects == {"/srv/über", "/srv/ñber"}


def test_gathering_reads_transcripts_and_sidecars(tmp_path: Path) -> None:
    builder = looking().tool("Bash", {"command": "seq"}, "1\n" * 9000, persisted=True)
    path = builder.write(tmp_path)
    (path.with_suffix("") / "custom-title.json").write_bytes(b'{"customTitle":"Mine"}')
    folder = path.with_suffix("") / "workflows"
    folder.mkdir()
    (folder / "wf_1.json").write_bytes(b'{"workflowName":"Repair"}')

    material = gather(sessions_in(tmp_path)[builder.session_id])

    assert [t.agent_id for t in material.transcripts] == ["", builder.runs[0].id]
    assert material.metas[builder.runs[0].id].description == "Look"
    assert list(material.tool_results.values()) == ["1\n" * 9000]
    assert material.workflows["wf_1"].workflow_name == "Repair"
    assert material.custom_title == "Mine"


def test_gathering_may_read_from_elsewhere(tmp_path: Path) -> None:
    builder = looking()
    builder.write(tmp_path)
    session = sessions_in(tmp_path)[builder.session_id]
    kept = {file.path: file.path.read_bytes() for file in session.files}
    for path in kept:
        path.unlink()

    material = gather(session, lambda file: iter([kept[file.path][:9], kept[file.path][9:]]))

    assert build(material).agent_runs[0].link == "meta"


def test_a_file_that_went_away_is_left_out(tmp_path: Path) -> None:
    builder = looking()
    path = builder.write(tmp_path)
    session = sessions_in(tmp_path)[builder.session_id]
    for file in session.files[1:]:
        file.path.unlink()

    conversation = build(gather(session))

    assert path.exists()
    assert [run.status for run in conversation.agent_runs] == ["missing"]
    assert len(conversation.messages) == 3


def test_sidecars_that_are_no_json_are_passed_over(tmp_path: Path) -> None:
    builder = looking()
    path = builder.write(tmp_path)
    for meta in path.with_suffix("").rglob("*.meta.json"):
        meta.write_bytes(b"{torn")

    assert load(path).agent_runs[0].link == "result"


@pytest.mark.parametrize("length", [4, 8, 36])
def test_a_session_is_found_by_its_id_or_the_beginning_of_it(tmp_path: Path, length: int) -> None:
    builder = SessionBuilder().user("hi")
    path = builder.write(tmp_path)

    session, files = find(builder.session_id[:length], [tmp_path])

    assert session.session_id == builder.session_id
    assert [file.path for file in files] == [path]


def test_an_id_that_is_the_beginning_of_another_is_found(tmp_path: Path) -> None:
    for name in ("abc", "abcd"):
        SessionBuilder(name).user(name).write(tmp_path / "projects" / "-p" / f"{name}.jsonl")

    assert find("abc", [tmp_path])[0].session_id == "abc"


def test_a_beginning_that_fits_several_sessions_is_refused(tmp_path: Path) -> None:
    for name in ("abc", "abx"):
        SessionBuilder(name).user(name).write(tmp_path / "projects" / "-p" / f"{name}.jsonl")

    with pytest.raises(
        SessionNotFoundError, match="2 session ids start with 'ab': abc, abx; use a longer prefix"
    ):
        find("ab", [tmp_path])


def test_an_unknown_id_is_refused(tmp_path: Path) -> None:
    SessionBuilder().user("hi").write(tmp_path)

    with pytest.raises(SessionNotFoundError, match="no session"):
        find("zzz", [tmp_path])


def test_the_latest_session_is_the_one_written_last(tmp_path: Path) -> None:
    one, two = SessionBuilder("one").user("1"), SessionBuilder("two").user("2")
    touch(one.write(tmp_path), 2_000)
    touch(two.write(tmp_path), 1_000)

    assert find(LATEST, [tmp_path])[0].session_id == one.session_id


def test_an_agent_at_work_makes_its_session_the_latest(tmp_path: Path) -> None:
    one, two = looking("one"), SessionBuilder("two").user("2")
    touch(one.write(tmp_path), 1_000)
    touch(two.write(tmp_path), 2_000)
    for file in sessions_in(tmp_path)[one.session_id].files[1:]:
        touch(file.path, 3_000)

    assert find(LATEST, [tmp_path])[0].session_id == one.session_id


def test_there_is_no_latest_session_where_there_is_none(tmp_path: Path) -> None:
    with pytest.raises(SessionNotFoundError):
        find(LATEST, [tmp_path])


def test_a_path_leads_to_its_session_and_the_files_around_it(tmp_path: Path) -> None:
    builder, other = looking(), SessionBuilder("other").user("2")
    path, beside = builder.write(tmp_path), other.write(tmp_path)

    session, files = find(path)

    assert session.session_id == builder.session_id
    assert len(session.files) == 3
    assert beside in {file.path for file in files}


def test_the_path_of_an_agent_leads_to_its_run(tmp_path: Path) -> None:
    builder = looking()
    folder = builder.write(tmp_path).with_suffix("") / "subagents"

    conversation = load(next(folder.glob("*.jsonl")))

    assert [run.id for run in conversation.agent_runs] == [builder.runs[0].id]
    assert conversation.session.id == builder.session_id


def test_a_folder_with_one_session_leads_to_it(tmp_path: Path) -> None:
    builder = SessionBuilder().user("hi")
    folder = builder.write(tmp_path).parent

    assert load(folder).session.id == builder.session_id
    assert load(tmp_path).session.id == builder.session_id


def test_a_folder_with_several_sessions_is_refused(tmp_path: Path) -> None:
    SessionBuilder("one").user("1").write(tmp_path)
    SessionBuilder("two").user("2").write(tmp_path)

    with pytest.raises(NotFoundError):
        find(tmp_path)


def test_a_path_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PathNotFoundError):
        find(tmp_path / "gone.jsonl")


def test_a_linked_project_folder_is_read(tmp_path: Path) -> None:
    builder = SessionBuilder().user("hi")
    builder.write(tmp_path / "elsewhere")
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "projects").symlink_to(tmp_path / "elsewhere" / "projects")

    assert find(builder.session_id, [tmp_path / "root"])[0].session_id == builder.session_id


def test_roots_are_those_of_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    builder = SessionBuilder().user("hi")
    path = builder.write(tmp_path / "configured")
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "configured"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))

    assert [file.path for file in list_files()] == [path]


def test_a_file_that_two_roots_share_is_listed_once(tmp_path: Path) -> None:
    path = SessionBuilder().user("hi").write(tmp_path)

    assert [file.path for file in list_files([tmp_path, tmp_path / "projects"])] == [path]


def test_loading_gives_all_at_once(tmp_path: Path) -> None:
    builder = looking().tools(bash("ls", "a")).assistant("done")
    path = builder.write(tmp_path)

    conversation = load(os.fspath(path))

    assert conversation.session.id == builder.session_id
    assert conversation.totals.agent_runs == 1
