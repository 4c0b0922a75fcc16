"""Counting straight from the files: what the archive counts, without one."""

import datetime as dt
import importlib
import json
import os
from pathlib import Path
from typing import Final

import pytest

from clew.analytics import GROUPS, FilterSet, ScanOptions, UsageRow, label_sessions, scan, summarise
from clew.analytics.file_scan import ScanTask, scan_file
from clew.analytics.pricer import Pricer
from clew.archive import open_archive
from clew.entries import Assistant, decode_all
from clew.errors import PathNotFoundError
from clew.source import read_lines
from tests.build import SessionBuilder, Usage, bash
from tests.recordings import Recording, parameters, recordings
from tests.unit.analytics.counting import NOW, count, count_files, session

CORPUS: Final = Path(__file__).parents[4] / "shared" / "corpus"
EVERY = pytest.mark.parametrize("recording", parameters())


def compare(home: Path, roots: list[Path]) -> None:
    """Count both ways, by everything there is to group by."""
    scans = [scan(roots, ScanOptions(letters=13, with_agents=agents)) for agents in (False, True)]
    with open_archive(home) as archive:
        archive.sync(roots, now=NOW, workers=1)
        for by in GROUPS:
            found = scans[by == "agent"]
            cold = summarise(found.sums, by, dt.UTC, None, found.client_costs)
            assert cold == archive.usage(by=by)


def totals(root: Path) -> UsageRow:
    """Count what stands below a root; some recordings left nothing."""
    return count_files(root).totals if root.exists() else UsageRow(key="total")


def written_answers(recording: Recording) -> set[str]:
    """Give the ids of the model's answers in the transcripts of a recording."""
    lines = (line for path in recording.transcripts() for line in read_lines(path))
    messages = (e.body.message for e in decode_all(lines) if isinstance(e.body, Assistant))
    return {message.id for message in messages if message.model != "<synthetic>"}


@EVERY
def test_a_recording_is_counted_as_the_archive_counts_it(
    recording: Recording, tmp_path: Path
) -> None:
    compare(tmp_path, [recording.root] if recording.root.exists() else [])


def test_real_transcripts_are_counted_as_the_archive_counts_them(tmp_path: Path) -> None:
    compare(tmp_path, [CORPUS] if CORPUS.is_dir() else [])


@EVERY
def test_tokens_are_those_that_the_server_sent(recording: Recording) -> None:
    messages = recording.expected["server"]["messages"]
    told = {message["msg_id"]: message["usage"] for message in messages}
    sent = [told[name] for name in written_answers(recording)]

    found = totals(recording.root)

    written = found.cache_write_5m_tokens + found.cache_write_1h_tokens
    assert found.model_calls == len(sent)
    assert found.input_tokens == sum(usage["input_tokens"] for usage in sent)
    assert found.cache_read_tokens == sum(usage["cache_read_input_tokens"] for usage in sent)
    assert written == sum(usage["cache_creation_input_tokens"] for usage in sent)
    missing = sum(usage["output_tokens"] for usage in sent) - found.output_tokens
    assert missing == 0 if found.quality == "exact" else missing >= 0


@EVERY
def test_totals_do_not_change_when_all_is_there_twice(recording: Recording, tmp_path: Path) -> None:
    again = tmp_path / "again"
    for path in recording.transcripts():
        copy = again / path.relative_to(recording.root)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(path.read_bytes())
    roots = [root for root in (recording.root, again) if root.exists()]

    found = scan(roots, ScanOptions()).sums

    assert summarise(found, "model", dt.UTC).totals == totals(recording.root)


def test_other_processes_count_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    roots = [one.root for one in recordings() if one.root.exists()]
    monkeypatch.setattr(importlib.import_module("clew.analytics.parallel"), "_BATCH", 1 << 16)

    alone, together = scan(roots, workers=1), scan(roots, workers=3)

    for by in ("session", "project", "model"):
        assert summarise(together.sums, by, dt.UTC) == summarise(alone.sums, by, dt.UTC)


def test_pieces_cut_anywhere_count_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = session().tools(bash("ls", "x" * 3000)).assistant("Done.", usage=Usage(output=9))
    long.write(tmp_path)
    whole = count_files(tmp_path)

    for size in (1, 7, 100, 1000):
        monkeypatch.setattr(importlib.import_module("clew.source.lines"), "_PIECE_SIZE", size)
        assert count_files(tmp_path) == whole


def test_a_row_glued_behind_another_is_counted(tmp_path: Path) -> None:
    plain = session().assistant("One.", usage=Usage(output=10))
    plain.user("More.").assistant("Two.", usage=Usage(output=500)).glue()

    assert count(tmp_path, plain).totals.output_tokens == 510


def test_a_row_with_a_misfit_is_counted(tmp_path: Path) -> None:
    odd = session().assistant("One.", usage=Usage(output=10)).change(gitBranch=7)

    assert count(tmp_path, odd).totals.output_tokens == 10


def test_a_search_is_counted_however_short_its_result(tmp_path: Path) -> None:
    found = {"query": "q", "results": [], "durationSeconds": 1, "searchCount": 2}
    talk = session(version="2.0.76").tool(
        "WebSearch", {"query": "q"}, "none", tool_use_result=found
    )

    assert count(tmp_path, talk).totals.web_searches == 2


def test_lines_that_something_else_wrote_with_spaces_count_the_same(tmp_path: Path) -> None:
    first = session("first").assistant("One.", usage=Usage(output=10)).cost_state({"x": 1.0})
    second = first.ai_title("Named").fork("second", marked=True)
    plain = count(tmp_path, first, second, by="session")

    for path in tmp_path.rglob("*.jsonl"):
        rows = [json.dumps(json.loads(line)) for line in path.read_text().splitlines()]
        path.write_text("\n".join(rows) + "\n")

    assert count(tmp_path, by="session") == plain
    assert scan([tmp_path]).labels[first.session_id].title == "Named"


def test_what_is_no_transcript_counts_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "projects" / "-home-dev"
    folder.mkdir(parents=True)
    (folder / "bad.jsonl").write_bytes(b'\x00\xff{"usage"\n[]\n"type":"assistant"\n{"type":"assi')

    assert count(tmp_path).totals == UsageRow(key="total")


def test_a_named_transcript_counts_with_its_agents_alone(tmp_path: Path) -> None:
    old = {"version": "2.0.60"}
    mine, other = session("mine", **old), session("other", **old)
    for builder in (mine, other):
        builder.agent("Look", "Look.", lambda run: run.assistant("Seen.", usage=Usage(output=40)))
    path = mine.write(tmp_path)
    other.write(tmp_path)

    found = scan([path])

    assert {calls.session_id for calls in found.sums} == {mine.session_id}
    assert sum(calls.calls for calls in found.sums) == 2


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    found = scan_file(ScanTask(str(tmp_path / "gone.jsonl")), Pricer())

    assert found.problem == "No such file or directory"


def test_a_file_whose_name_is_no_text_is_counted(tmp_path: Path) -> None:
    folder = tmp_path / "projects" / "-home-dev"
    folder.mkdir(parents=True)
    path = folder / os.fsdecode(b"odd-\xff.jsonl")
    path.write_bytes(session().assistant("Done.").content())

    for workers in (1, 2):
        (calls,) = scan([tmp_path], workers=workers).sums
        assert calls.session_id.encode().startswith(b"odd-")
        assert calls.calls == 1


def test_a_path_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PathNotFoundError):
        scan([tmp_path / "nowhere"])


def two_sessions() -> dict[str, SessionBuilder]:
    """Give sessions that differ in all that can be filtered by."""
    first = session("a", cwd="/home/dev/a").assistant("One.")
    second = SessionBuilder("b", cwd="/home/dev/b", branch="fix/b").at("2026-11-02T09:00:00Z")
    second.model("claude-haiku-4-5").user("Go.").tools(bash("ls"))
    second.agent("Look", "Look.", lambda run: run.assistant("Seen."), agent="Explore")
    return {first.session_id: first, second.session_id: second}


@pytest.mark.parametrize(
    ("filters", "sessions"),
    [
        (FilterSet(), ["a", "b"]),
        (FilterSet(model="opus"), ["a"]),
        (FilterSet(model="Haiku 4.5"), ["b"]),
        (FilterSet(project="/home/dev"), ["a", "b"]),
        (FilterSet(project="/home/dev/a"), ["a"]),
        (FilterSet(project="DEV/B"), ["b"]),
        (FilterSet(branch="fix/*"), ["b"]),
        (FilterSet(tool="bash"), ["b"]),
        (FilterSet(tool="WebSearch"), []),
        (FilterSet(agent="explore"), ["b"]),
        (FilterSet(agent="(main*"), ["a", "b"]),
        (FilterSet(session=session("b").session_id[:8]), ["b"]),
        (FilterSet(since="2026-11-02T00:00:00.000Z"), ["b"]),
        (FilterSet(until="2026-11-02T00:00:00.000Z"), ["a"]),
    ],
)
def test_filters_mean_the_same_with_and_without_an_archive(
    tmp_path: Path, filters: FilterSet, sessions: list[str]
) -> None:
    built = two_sessions()

    rows = count(tmp_path, *built.values(), by="session", filters=filters).rows

    assert sorted(row.key for row in rows) == sorted(session(name).session_id for name in sessions)


@pytest.mark.parametrize(
    "filters", [FilterSet(since="2026-11-02T11:30:00.000Z"), FilterSet(tool="Bash")]
)
def test_blocks_begin_when_they_did_whatever_is_asked_for(
    tmp_path: Path, filters: FilterSet
) -> None:
    early = SessionBuilder("early").at("2026-11-02T09:00:00Z").user("Go.").assistant("One.")
    late = SessionBuilder("late").at("2026-11-02T12:00:00Z").user("Go.").tools(bash("ls"))

    (row,) = count(tmp_path, early, late, by="block", filters=filters).rows

    assert row.key == "2026-11-02T09:00+00:00"


def test_a_session_is_on_the_branch_of_its_last_row(tmp_path: Path) -> None:
    moved = session(branch="main").assistant("One.").branch("fix").user("Wait.")

    assert count(tmp_path, moved, filters=FilterSet(branch="fix")).totals.model_calls == 1
    assert count(tmp_path, filters=FilterSet(branch="main")).totals.model_calls == 0


def test_a_session_of_which_only_agents_are_left_is_on_their_branch(tmp_path: Path) -> None:
    gone = session(branch="fix").agent("Look", "Look.", lambda run: run.assistant("Seen."))
    gone.write(tmp_path).unlink()

    assert count(tmp_path, filters=FilterSet(branch="fix")).totals.model_calls == 1


def test_the_tools_of_a_run_that_only_progress_tells_of_are_known(tmp_path: Path) -> None:
    told = session(version="2.1.47").agent("Look", "Look.", lambda run: run.tools(bash("ls")))
    (run,) = told.runs
    for row in run.rows:
        told.progress("agent_progress", call_id=run.call_id, message=row, agentId=run.id)
    told.write(tmp_path)
    for path in tmp_path.rglob("agent-*.jsonl"):
        path.unlink()

    assert count(tmp_path, filters=FilterSet(tool="Bash")).totals.model_calls > 0


def test_only_the_calls_of_an_agent_are_counted_when_it_is_asked_for(tmp_path: Path) -> None:
    built = two_sessions()

    report = count(tmp_path, *built.values(), by="agent", filters=FilterSet(agent="Explore"))

    assert [(row.key, row.model_calls) for row in report.rows] == [("Explore", 1)]


@pytest.mark.parametrize("version", ["2.1.325", "2.0.60", "1.0.128"])
def test_the_agent_is_named_whatever_tells_its_name(tmp_path: Path, version: str) -> None:
    old = session(version=version)
    old.agent("Look", "Look.", lambda run: run.assistant("Seen."), agent="Explore")

    rows = count(tmp_path, old, by="agent").rows

    assert {row.key for row in rows} == {"(main thread)", "Explore"}


def test_sessions_are_labelled_by_what_their_transcripts_say(tmp_path: Path) -> None:
    titled = session(cwd="/home/dev/up").assistant("Done.").ai_title("Fix it").custom_title("Mine")

    titled.write(tmp_path)

    label = scan([tmp_path]).labels[titled.session_id]
    assert (label.title, label.project) == ("Mine", "/home/dev/up")


def test_the_title_that_a_person_gave_stays(tmp_path: Path) -> None:
    titled = session().assistant("Done.").custom_title("Mine").ai_title("Fix it")

    titled.write(tmp_path)

    assert scan([tmp_path]).labels[titled.session_id].title == "Mine"


def test_a_session_without_a_title_is_called_by_its_first_prompt(tmp_path: Path) -> None:
    untitled = SessionBuilder("untitled").user("Mend the fence").assistant("Done.")
    untitled.write(tmp_path)
    found = scan([tmp_path])

    label = label_sessions(found, [untitled.session_id])[untitled.session_id]

    assert label.title == "Mend the fence"


@pytest.mark.parametrize("version", ["2.0.76", "2.1.81"])
def test_a_session_of_which_only_agents_are_left_is_titled_as_in_the_archive(
    tmp_path: Path, version: str
) -> None:
    gone = session(version=version)
    gone.agent("Look", "Look around.", lambda run: run.assistant("Seen."))
    gone.agent("Wait", "Wait.", lambda run: run.assistant("Waited."))
    gone.write(tmp_path / "root").unlink()

    (label,) = label_sessions(scan([tmp_path / "root"]), [gone.session_id]).values()
    with open_archive(tmp_path / "home") as archive:
        archive.sync([tmp_path / "root"], now=NOW)
        kept = archive.session_labels()[gone.session_id]

    assert label == kept
    assert label.title.startswith("Look")


def test_no_more_than_the_beginning_is_read_for_a_title(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    late = SessionBuilder().meta("-").remember("start").user("Paint the fence")
    late.tools(bash("ls", "x" * 3000)).rewind_to("start").user("Mend the fence").assistant("Done.")
    late.write(tmp_path)
    monkeypatch.setattr(importlib.import_module("clew.analytics.titles"), "_HEAD", 2000)

    (label,) = label_sessions(scan([tmp_path]), [late.session_id]).values()

    assert label.title == "Paint the fence"


def test_below_a_greeting_more_is_read_for_a_title(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    late = session().tools(bash("ls", "x" * 3000)).user("Mend the fence").assistant("Done.")
    late.write(tmp_path)
    monkeypatch.setattr(importlib.import_module("clew.analytics.titles"), "_HEAD", 2000)

    (label,) = label_sessions(scan([tmp_path]), [late.session_id]).values()

    assert label.title == "Mend the fence"
