"""The builder writes what the clients write."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.build import (
    NEWEST,
    Agent,
    Call,
    Row,
    SessionBuilder,
    Usage,
    bash,
    edit,
    image,
    read,
    text,
    thinking,
    tool_use,
    write,
)
from tests.recordings import HERE, recordings

# A session has a slug and a second session id by what came before, not by what a row says.
BY_CHANCE = {"slug", "session_id"}
OLDER = ("1.0.30", "1.0.128", "2.0.14", "2.0.76", "2.1.47", "2.1.150")


def test_rows_hang_on_the_row_before_them() -> None:
    rows = SessionBuilder().user("hi").assistant("hello").user("more").rows

    parents = [row["parentUuid"] for row in rows]

    assert parents == [None, rows[0]["uuid"], rows[1]["uuid"]]


def test_an_answer_is_one_row_per_block_with_one_message_id() -> None:
    rows = SessionBuilder().user("hi").assistant(thinking("hm"), "hello").rows[1:]

    assert [row["message"]["content"][0]["type"] for row in rows] == ["thinking", "text"]
    assert [row["apiBlockIndex"] for row in rows] == [0, 1]
    assert rows[0]["message"]["id"] == rows[1]["message"]["id"]
    assert rows[0]["requestId"] == rows[1]["requestId"]
    assert rows[0]["message"]["usage"] == rows[1]["message"]["usage"]


def test_growing_usage_is_whole_on_the_last_fragment_only() -> None:
    usage = Usage(input=3, output=40)

    rows = SessionBuilder().assistant("one", "two", usage=usage, growing=True).rows

    assert [row["message"]["usage"]["output_tokens"] for row in rows] == [20, 40]
    assert [row["message"]["usage"]["input_tokens"] for row in rows] == [3, 3]


def test_each_result_names_its_call_and_hangs_on_the_fragment_that_made_it() -> None:
    builder = SessionBuilder().tools(bash("ls", "a"), read("/a", "one\n"), say="I look.")

    _, first, second, first_result, second_result = builder.rows

    assert first_result["parentUuid"] == first["uuid"]
    assert second_result["parentUuid"] == second["uuid"]
    assert _result(first_result)["tool_use_id"] == first["message"]["content"][0]["id"]
    assert _result(second_result)["tool_use_id"] == second["message"]["content"][0]["id"]


def test_an_old_client_lets_parallel_results_follow_one_another() -> None:
    builder = SessionBuilder(version="2.0.14").tools(bash("ls", "a"), bash("pwd", "/"))

    _, second, first_result, second_result = builder.rows

    assert first_result["parentUuid"] == second["uuid"]
    assert second_result["parentUuid"] == first_result["uuid"]


def test_a_call_without_a_result_stays_pending() -> None:
    rows = SessionBuilder().tool("Bash", {"command": "sleep 9"}).rows

    assert [row["type"] for row in rows] == ["assistant"]


def test_a_failed_call_keeps_its_error_as_text() -> None:
    row = SessionBuilder().tool("Bash", {"command": "false"}, "Exit code 1", error=True).rows[-1]

    assert _result(row)["is_error"] is True
    assert row["toolUseResult"] == "Error: Exit code 1"


def test_a_denied_call_says_who_refused_it() -> None:
    row = SessionBuilder().tool("Write", {"file_path": "/a"}, denied=True).rows[-1]

    assert row["toolDenialKind"] == "user-rejected"
    assert row["toolUseResult"] == "User rejected tool use"


def test_an_edit_comes_with_its_patch() -> None:
    row = SessionBuilder().tools(edit("/a", "one\ntwo\n", "two", "three")).rows[-1]

    assert row["toolUseResult"]["structuredPatch"] == [
        {
            "oldStart": 1,
            "oldLines": 2,
            "newStart": 1,
            "newLines": 2,
            "lines": [" one", "-two", "+three"],
        }
    ]


def test_a_long_output_goes_to_a_file_of_its_own(tmp_path: Path) -> None:
    builder = SessionBuilder().tool("Bash", {"command": "seq"}, "1\n" * 9000, persisted=True)

    transcript = builder.write(tmp_path)

    row = builder.rows[-1]
    name = Path(row["toolUseResult"]["persistedOutputPath"]).name
    assert _result(row)["content"].startswith("<persisted-output>")
    kept = transcript.with_suffix("") / "tool-results" / name
    assert kept.read_text("utf-8") == "1\n" * 9000


def test_the_clock_is_set_and_moved() -> None:
    builder = SessionBuilder().at("2026-11-03T10:00:00Z").user("hi").wait(9).assistant("hello")

    times = [row["timestamp"] for row in builder.rows]

    assert times == ["2026-11-03T10:00:00.000Z", "2026-11-03T10:00:10.000Z"]


def test_surroundings_change_from_a_row_on() -> None:
    builder = SessionBuilder().user("a").cwd("/b").branch("fix").model("m").version("2.1.150")

    row = builder.assistant("b").rows[-1]

    assert (row["cwd"], row["gitBranch"], row["version"]) == ("/b", "fix", "2.1.150")
    assert row["message"]["model"] == "m"


def test_a_rewind_hangs_the_next_prompt_on_a_remembered_row() -> None:
    builder = SessionBuilder().user("a").assistant("b").remember("here")

    builder.user("c").assistant("d").rewind_to("here").user("e")

    assert builder.rows[-1]["parentUuid"] == builder.uuid_of("here") == builder.rows[1]["uuid"]


def test_a_rewind_to_the_beginning_makes_a_second_root() -> None:
    builder = SessionBuilder().remember("start").user("a").assistant("b")

    builder.rewind_to("start").user("c")

    assert builder.rows[-1]["parentUuid"] is None


def test_a_compaction_starts_a_new_chain_that_names_its_past() -> None:
    builder = SessionBuilder().user("a").assistant("b").compact("auto", pre=9000, post=100)

    _, answer, boundary, summary = builder.rows

    assert boundary["parentUuid"] is None
    assert boundary["logicalParentUuid"] == answer["uuid"]
    assert boundary["compactMetadata"]["preTokens"] == 9000
    assert summary["isCompactSummary"] is True
    assert summary["parentUuid"] == boundary["uuid"]


@pytest.mark.parametrize(
    ("version", "operations"),
    [
        ("2.0.76", ["enqueue", "remove"]),
        ("2.1.150", ["enqueue", "remove", "queued_command"]),
        (NEWEST, ["enqueue", "remove", "queued_command"]),
    ],
)
def test_steering_leaves_the_traces_of_its_version(version: str, operations: list[str]) -> None:
    rows = SessionBuilder(version=version).steer("mind the blue").rows

    traces = [row.get("operation") or row["attachment"]["type"] for row in rows]
    assert traces == operations
    assert ("content" in rows[1]) == (version == NEWEST)


def test_a_client_is_not_made_to_write_what_it_does_not_know() -> None:
    builder = SessionBuilder(version="1.0.30")

    with pytest.raises(ValueError, match=r"client 1\.0\.30 writes no attachment"):
        builder.attachment("date", date="2026-11-01")


def test_raw_glued_and_torn_lines_stand_as_they_were_made() -> None:
    builder = SessionBuilder().raw(b"\x00").user("a").user("b").glue().user("c").torn()

    nul, glued, torn = builder.lines()

    assert nul == b"\x00"
    assert glued.count(b'"uuid"') == 2
    assert builder.content() == nul + b"\n" + glued + b"\n" + torn
    with pytest.raises(json.JSONDecodeError):
        json.loads(torn)


def test_a_fork_has_the_same_rows_in_another_session() -> None:
    builder = SessionBuilder("one").user("a").assistant("b")

    fork = builder.fork("two", marked=True).user("c")

    assert [row["uuid"] for row in fork.rows[:2]] == [row["uuid"] for row in builder.rows]
    assert {row["sessionId"] for row in fork.rows} == {fork.session_id} != {builder.session_id}
    assert fork.rows[0]["forkedFrom"]["sessionId"] == builder.session_id
    assert fork.rows[2]["parentUuid"] == builder.rows[1]["uuid"]
    assert len(builder.rows) == 2


def test_the_clients_totals_count_agent_runs_too() -> None:
    builder = SessionBuilder().user("a").assistant(thinking("hm"), "b")
    builder.agent("Count", "count", lambda run: run.assistant("3", usage=Usage(output=7)))

    totals = builder.cost_state().rows[-1]["modelUsage"]["claude-opus-5-5"]

    answers = [row["message"] for row in _all_rows(builder) if row["type"] == "assistant"]
    outputs = {answer["id"]: answer["usage"]["output_tokens"] for answer in answers}
    assert len(outputs) == 3
    assert totals["outputTokens"] == sum(outputs.values())


def test_progress_belongs_to_the_last_call() -> None:
    builder = SessionBuilder(version="2.1.47").tool("Bash", {"command": "make"})

    row = builder.progress("bash_progress", output="one\n").rows[-1]

    assert row["parentToolUseID"] == builder.rows[0]["message"]["content"][0]["id"]
    assert row["data"] == {"type": "bash_progress", "output": "one\n"}


def test_a_prompt_without_a_terminal_goes_through_the_queue() -> None:
    rows = SessionBuilder(headless=True).user("hi").rows

    assert [row.get("operation") for row in rows] == ["enqueue", "dequeue", None]
    assert (rows[2]["promptSource"], rows[2]["entrypoint"]) == ("sdk", "sdk-cli")


@pytest.mark.parametrize(
    ("version", "place"),
    [(NEWEST, "{session}/subagents/agent-{run}.jsonl"), ("2.0.76", "agent-{run}.jsonl")],
)
def test_an_agent_run_has_a_transcript_of_its_own(tmp_path: Path, version: str, place: str) -> None:
    builder = SessionBuilder(version=version)
    builder.agent("Count", "count files", lambda run: run.tools(bash("ls", "a")).assistant("one"))

    folder = builder.write(tmp_path).parent

    run = builder.runs[0]
    rows = _rows_of(folder / place.format(session=builder.session_id, run=run.id))
    assert [row["type"] for row in rows] == ["user", "assistant", "user", "assistant"]
    assert {(row["isSidechain"], row["agentId"]) for row in rows} == {(True, run.id)}
    assert builder.rows[-1]["toolUseResult"]["agentId"] == run.id


def test_the_oldest_clients_write_agent_runs_among_the_sessions_rows(tmp_path: Path) -> None:
    builder = SessionBuilder(version="2.0.14")
    builder.agent("Count", "count files", lambda run: run.assistant("one"))

    transcript = builder.write(tmp_path)

    rows = _rows_of(transcript)
    assert [row["isSidechain"] for row in rows] == [False, True, True, False]
    assert rows[1]["parentUuid"] is None
    assert rows[3]["parentUuid"] == rows[0]["uuid"]
    assert list(transcript.parent.iterdir()) == [transcript]


def test_a_nested_agent_run_names_its_call_and_its_parent(tmp_path: Path) -> None:
    builder = SessionBuilder()
    builder.agent(
        "Outer", "go", lambda run: run.agent("Inner", "go on", lambda deep: deep.assistant("in"))
    )

    folder = builder.write(tmp_path).with_suffix("") / "subagents"

    inner, outer = builder.runs
    meta = json.loads((folder / f"agent-{inner.id}.meta.json").read_bytes())
    assert meta["parentAgentId"] == outer.id
    assert meta["spawnDepth"] == 2
    assert meta["toolUseId"] == inner.call_id == outer.rows[1]["message"]["content"][0]["id"]


def test_a_background_run_reports_when_it_ends() -> None:
    builder = SessionBuilder()
    builder.agent("Slow", "wait", lambda run: run.assistant("slept"), background=True)

    row = builder.notification("Slow").rows[-1]

    assert builder.rows[1]["toolUseResult"]["status"] == "async_launched"
    assert row["origin"]["kind"] == "task-notification"
    assert f"<task-id>{builder.runs[0].id}</task-id>" in row["message"]["content"]
    assert "<result>slept</result>" in row["message"]["content"]


def test_a_root_gets_the_clients_layout(tmp_path: Path) -> None:
    builder = SessionBuilder(cwd="/home/dev/code/my_app").user("hi").cwd("/elsewhere")

    transcript = builder.write(tmp_path)

    folder = tmp_path / "projects" / "-home-dev-code-my-app"
    assert transcript == folder / f"{builder.session_id}.jsonl"
    assert transcript.read_bytes() == builder.content()


def test_a_named_file_is_written_as_it_is_named(tmp_path: Path) -> None:
    builder = SessionBuilder().agent("Count", "count", lambda run: run.assistant("one"))

    transcript = builder.write(tmp_path / "a.jsonl")

    assert transcript == tmp_path / "a.jsonl"
    assert (tmp_path / "a" / "subagents" / f"agent-{builder.runs[0].id}.jsonl").is_file()


def test_the_same_steps_give_the_same_bytes() -> None:
    one, same, other = _tour(NEWEST, "one"), _tour(NEWEST, "one"), _tour(NEWEST, "other")

    assert one.content() == same.content()
    ids = [{row["uuid"] for row in tour.rows if "uuid" in row} for tour in (one, other)]
    assert not ids[0] & ids[1]


def test_rows_of_the_newest_client_have_the_keys_of_real_ones() -> None:
    real = _real_shapes(NEWEST)

    differences = {
        kind: (required - keys - BY_CHANCE, keys - possible)
        for kind, keys in _shapes(_all_rows(_tour(NEWEST)))
        if kind in real
        for required, possible in [real[kind]]
        if required - keys - BY_CHANCE or keys - possible
    }

    assert differences == {}


def test_most_kinds_of_rows_are_compared_with_real_ones() -> None:
    built = {kind for kind, _ in _shapes(_all_rows(_tour(NEWEST)))}

    # No recording has these rows: its scripted model gives no title and nobody goes away.
    assert built - set(_real_shapes(NEWEST)) == {("system/away_summary",), ("ai-title",)}


@pytest.mark.parametrize("version", OLDER)
def test_rows_of_older_clients_have_the_keys_of_real_ones(version: str) -> None:
    real = _real_shapes(version)
    builder = SessionBuilder(version=version, headless=True)
    builder.user("hi").tools(bash("ls", "a")).assistant("hello")

    compared = [
        (kind, required - keys - BY_CHANCE, keys - possible)
        for kind, keys in _shapes(builder.rows)
        for required, possible in [real[kind]]
    ]

    assert [found for found in compared if found[1] or found[2]] == []


def _tour(version: str, name: str = "tour") -> SessionBuilder:
    """Take every step once."""
    builder = SessionBuilder(name, version=version).permission_mode("default")
    builder.user("hi").snapshot().assistant(thinking("hm"), "hello").turn_duration().last_prompt()
    builder.user("look", image()).tools(
        bash("ls", "a"),
        read("/a", "one\n"),
        write("/b", "two\n"),
        edit("/b", "two\n", "two", "three"),
        Call("Bash", {"command": "false"}, "Exit code 1", error=True),
        say="I look.",
        think="",
    )
    builder.tool("Bash", {"command": "seq"}, "1\n" * 9000, persisted=True)
    builder.tool("Write", {"file_path": "/c"}, denied=True).interrupt(during_tool=True)
    builder.assistant(text("cut off"), tool_use("Bash", {"command": "x"})).interrupt()
    builder.api_error().failure("API Error: too many requests").stop_hook("echo stop")
    builder.command("/model", "opus", stdout="Set model").local_command("/rename", "x", stdout="ok")
    builder.prompt_command("/greet", "World", body="Greet World").bash("ls", stdout="a")
    builder.tools(Agent("Count", "count", _count), Agent("Slow", "wait", _count, background=True))
    builder.notification("Slow").teammate("worker-one", "done").meta("Reminder")
    builder.compact("auto").compact("manual").informational("note").away_summary("back")
    builder.attachment("date", date="2026-11-01", rendered="Today").steer("mind the blue")
    builder.ai_title("Title").custom_title("Title").marker("mode", mode="normal").cost_state()
    return builder


def _count(run: SessionBuilder) -> SessionBuilder:
    failing = Call("Bash", {"command": "false"}, "Exit code 1", error=True)
    return run.tools(bash("ls", "3"), failing, think="hm").assistant("three")


def _all_rows(builder: SessionBuilder) -> list[Row]:
    return builder.rows + [row for run in builder.runs for row in run.rows]


def _real_shapes(version: str) -> dict[tuple[str, ...], tuple[set[str], set[str]]]:
    """Collect which keys real rows of each kind always have, and which they may have."""
    shapes: dict[tuple[str, ...], tuple[set[str], set[str]]] = {}
    for recording in recordings(HERE):
        if recording.version == version:
            rows = [row for path in recording.transcripts() for row in _rows_of(path)]
            for kind, keys in _shapes(rows):
                required, possible = shapes.get(kind, (keys, keys))
                shapes[kind] = (required & keys, possible | keys)
    return shapes


def _shapes(rows: list[Row]) -> Iterator[tuple[tuple[str, ...], set[str]]]:
    """Yield the keys of each row and of the parts inside it, with the kind of the whole."""
    for row in rows:
        kind = _kind(row)
        yield (kind,), set(row)
        for part in ("message", "attachment", "compactMetadata", "error"):
            if isinstance(row.get(part), dict):
                yield (kind, part), set(row[part])
        message = row.get("message", {})
        if "usage" in message:
            yield (kind, "usage"), set(message["usage"])


def _kind(row: Row) -> str:
    kind = str(row["type"])
    match row:
        case {"type": "system", "subtype": subtype}:
            kind += f"/{subtype}"
        case {"type": "attachment", "attachment": {"type": name}}:
            kind += f"/{name}"
        case {"type": "queue-operation", "operation": name}:
            kind += f"/{name}"
        case {"type": "assistant", "message": {"model": model, "content": [block, *_]}}:
            kind += "/synthetic" if model == "<synthetic>" else f"/{block['type']}"
        case {"type": "user", "message": {"content": [{"type": "tool_result"} as block, *_]}}:
            kind += "/failed" if block.get("is_error") else "/result"
        case {"type": "user", "message": {"content": str(words)}} if words.startswith("<"):
            kind += "/" + words[1:].partition(">")[0].partition(" ")[0]
    return kind + ("/run" if "agentId" in row else "") + ("/meta" if row.get("isMeta") else "")


def _result(row: Row) -> Row:
    block: Row = row["message"]["content"][0]
    return block


def _rows_of(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]
