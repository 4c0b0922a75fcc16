import datetime as dt
import hashlib
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from bench.blueprint import draw_blueprint
from bench.generate import cache_folder, generate, generated, parse_size
from clew.entries import Broken, Unknown, decode
from clew.source import read_lines

SIZE = 1_500_000
Entry = dict[str, Any]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A generated root, made once for all tests here."""
    folder = tmp_path_factory.mktemp("bench") / "root"
    generate(folder, SIZE, seed=7)
    return folder


def transcripts(root: Path) -> list[Path]:
    return sorted(root.rglob("*.jsonl"))


def entries(path: Path) -> list[Entry]:
    return [msgspec.json.decode(line, type=Entry) for line in path.read_bytes().splitlines()]


def blocks(path: Path, kind: str) -> Iterator[Entry]:
    for entry in entries(path):
        content = entry.get("message", {}).get("content", "")
        if isinstance(content, list):
            yield from (block for block in content if block["type"] == kind)


def fingerprint(root: Path) -> dict[str, str]:
    files = sorted(path for path in root.rglob("*") if path.is_file())
    return {str(f.relative_to(root)): hashlib.sha256(f.read_bytes()).hexdigest() for f in files}


def test_the_same_seed_gives_the_same_bytes(root: Path, tmp_path: Path) -> None:
    generate(tmp_path / "again", SIZE, seed=7)

    assert fingerprint(tmp_path / "again") == fingerprint(root)


def test_another_seed_gives_other_bytes(root: Path, tmp_path: Path) -> None:
    generate(tmp_path / "other", SIZE, seed=8)

    assert not set(fingerprint(tmp_path / "other")) & set(fingerprint(root))


@pytest.mark.parametrize("size", [1_000_000, 2_000_000])
def test_the_size_is_met_within_five_percent(tmp_path: Path, size: int) -> None:
    generate(tmp_path / "root", size)

    written = sum(path.stat().st_size for path in transcripts(tmp_path / "root"))
    assert abs(written - size) < size * 0.05


def test_a_generated_folder_is_kept_and_made_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLEW_BENCH_DIR", str(tmp_path))
    first = generated(300_000)
    (first / "mark").touch()

    assert generated(300_000) == first
    assert (first / "mark").exists()
    assert [path.name for path in cache_folder().iterdir()] == [first.name]


def test_every_line_is_an_object_with_a_type(root: Path) -> None:
    assert all(isinstance(e["type"], str) for path in transcripts(root) for e in entries(path))


def test_every_line_is_understood(root: Path) -> None:
    lines = (line for path in transcripts(root) for line in read_lines(path))

    bodies = [entry.body for line in lines for entry in decode(line)]

    assert not [body for body in bodies if isinstance(body, (Broken, Unknown))]


def test_every_parent_stands_before_its_child(root: Path) -> None:
    for path in transcripts(root):
        seen = {None}
        for entry in entries(path):
            assert entry.get("parentUuid") in seen
            assert entry.get("logicalParentUuid") in seen
            seen.add(entry.get("uuid"))


def test_ids_are_unique_within_a_transcript(root: Path) -> None:
    for path in transcripts(root):
        uuids = [entry["uuid"] for entry in entries(path) if "uuid" in entry]
        assert len(uuids) == len(set(uuids))


def test_every_tool_use_has_one_result(root: Path) -> None:
    for path in transcripts(root):
        uses = [block["id"] for block in blocks(path, "tool_use")]
        results = [block["tool_use_id"] for block in blocks(path, "tool_result")]

        assert len(set(uses)) == len(uses)
        assert sorted(results) == sorted(uses)


def test_fragments_of_a_message_share_its_input_and_never_lose_output(root: Path) -> None:
    usages: dict[tuple[Path, str], list[Entry]] = defaultdict(list)
    for path in transcripts(root):
        for entry in entries(path):
            if entry["type"] == "assistant":
                usages[path, entry["message"]["id"]].append(entry["message"]["usage"])

    assert max(map(len, usages.values())) > 1
    for usage in usages.values():
        outputs = [snapshot["output_tokens"] for snapshot in usage]
        assert outputs == sorted(outputs)
        assert len({snapshot["cache_read_input_tokens"] for snapshot in usage}) == 1
        assert len({snapshot["cache_creation_input_tokens"] for snapshot in usage}) == 1


def test_a_transcript_belongs_to_one_session_and_one_folder(root: Path) -> None:
    for path in transcripts(root):
        sessions = {e["sessionId"] for e in entries(path) if "sessionId" in e}
        cwds = {e["cwd"].removesuffix("/src") for e in entries(path) if "cwd" in e}

        assert len(sessions) <= 1
        assert len(cwds) <= 1
        if not path.name.startswith("agent-"):
            assert sessions <= {path.stem}


def test_agent_runs_lie_beside_their_session_and_are_known_to_it(root: Path) -> None:
    runs = [path for path in transcripts(root) if path.parent.name == "subagents"]

    assert runs
    for run in runs:
        agent = run.stem.removeprefix("agent-")
        session = run.parent.parent.with_suffix(".jsonl")
        assert {entry["agentId"] for entry in entries(run)} == {agent}
        assert session.exists()
        prompt = entries(run)[0]["message"]["content"]
        assert prompt == "Warmup" or agent in session.read_text(encoding="utf-8")


def test_larger_sets_have_more_files_but_not_as_many_more() -> None:
    small, large = draw_blueprint(parse_size("100MB")), draw_blueprint(parse_size("1GB"))

    assert (small.files, large.files) == (330, 2299)
    assert len(large.projects) > len(small.projects)


def test_most_sessions_are_small_and_a_few_hold_most_bytes() -> None:
    blueprint = draw_blueprint(parse_size("100MB"))

    weights = sorted(slot.weight for slots in blueprint.projects for slot in slots)
    assert sum(weights[-len(weights) // 10 :]) > blueprint.weight / 2


@pytest.mark.parametrize(
    ("text", "size"),
    [("100MB", 100_000_000), ("1.5gb", 1_500_000_000), ("64 KiB", 65_536), ("12", 12)],
)
def test_sizes_are_read_with_their_unit(text: str, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["", "MB", "1TBs", "-1MB"])
def test_what_is_no_size_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a size"):
        parse_size(text)


def test_a_file_is_as_old_as_its_last_entry(root: Path) -> None:
    found = 0
    for path in transcripts(root):
        times = [entry["timestamp"] for entry in entries(path) if "timestamp" in entry]
        if times:
            found += 1
            last = dt.datetime.fromisoformat(times[-1]).timestamp()
            assert path.stat().st_mtime == pytest.approx(last, abs=0.01)

    assert found
