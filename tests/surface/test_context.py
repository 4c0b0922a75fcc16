"""`clew context` and `clew usage --cache`, as people use them."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.build import SessionBuilder
from tests.build.usage import Usage
from tests.surface.running import run
from tests.unit.insight.request_rows import answer, blob, request, row, said, sha256, write

pytestmark = pytest.mark.usefixtures("machine")
WARM = Usage(input=10, output=5, cache_read=50_000, cache_write_5m=500)
COLD = Usage(input=10, output=5, cache_read=0, cache_write_5m=51_000)
HELLO = said("user", {"type": "text", "text": "Hello \x1b[31mred\x07"})


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    """Write a session with a pause, a compaction and a control sequence in a path."""
    builder = SessionBuilder().user("one")
    builder.tool("Read", {"file_path": "/w/\x1b]0;x\x07evil.py"}, "x" * 900)
    builder.assistant("1", usage=WARM).wait(900).user("two")
    builder.assistant("2", usage=COLD).compact(summary="Nothing of it.")
    return builder.user("three").assistant("3", usage=WARM).write(tmp_path / "root")


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    """Write a session whose client wrote its request down."""
    rows: list[dict[str, Any]] = [
        blob(HELLO),
        request("r1", [sha256(HELLO), "f" * 64]),
        row("user", 1, HELLO),
        answer(2, "m1", "r1", {"type": "text", "text": "Hi"}),
    ]
    return write(tmp_path, *rows)


def test_the_json_has_samples_breaks_and_compactions(broken: Path) -> None:
    found = json.loads(run("context", str(broken), "--json").out)

    assert found["schema"] == "clew.context/1"
    assert all(sum(one["tokens"].values()) == one["total"] for one in found["samples"])
    assert [(one["turn"], one["cause"]) for one in found["breaks"]] == [(2, "pause_5m")]
    assert found["breaks"][0]["cost_usd"] > 0
    assert [one["lost_files"] for one in found["compactions"]] == [["/w/\x1b]0;x\x07evil.py"]]
    assert "requests" not in found


def test_one_turn_has_its_own_samples(broken: Path) -> None:
    found = json.loads(run("context", str(broken), "--turn", "1", "--json").out)

    assert {one["turn"] for one in found["samples"]} == {1}
    assert found["breaks"] == []


def test_no_control_sequence_reaches_the_terminal(broken: Path, recorded: Path) -> None:
    printed = run("context", str(broken)).out + run("context", str(recorded), "--request").out

    assert "1 cache break" in printed
    assert "evil.py" in printed
    assert "50% proved by hash" in printed
    assert not {"\x1b", "\x07"} & set(printed)


def test_a_request_is_printed_as_it_was_sent(recorded: Path) -> None:
    found = json.loads(run("context", str(recorded), "--request", "--json").out)["requests"]

    assert found[0]["messages"] == [HELLO, {"role": None, "content": None}]
    assert (found[0]["message_id"], found[0]["proved"]) == ("m1", 0.5)
    assert found[0]["missing"] == [{"index": 1, "hash": "f" * 64}]


@pytest.mark.parametrize(
    ("words", "code", "said_so"),
    [
        (["--turn", "99"], 3, "no request in turn 99; its last turn is 3"),
        (["--turn", "0"], 2, "--turn"),
        (["--request"], 3, "did not record its requests"),
    ],
)
def test_what_is_not_there_is_said(broken: Path, words: list[str], code: int, said_so: str) -> None:
    ended = run("context", str(broken), *words)

    assert ended.code == code
    assert said_so in ended.err


def test_a_session_without_token_counts_says_so(tmp_path: Path) -> None:
    path = write(tmp_path, row("user", 1, said("user", "hi")))

    assert "No request in this session has token counts" in run("context", str(path)).out


def test_the_archive_and_the_files_count_the_same_breaks(broken: Path) -> None:
    root = str(broken.parents[2])

    archived = json.loads(run("usage", "--cache", "--json", "--root", root).out)
    direct = json.loads(run("usage", root, "--cache", "--json").out)

    assert archived["schema"] == "clew.cache_breaks/1"
    assert archived["by_cause"] == direct["by_cause"]
    assert [(one["key"], one["breaks"]) for one in archived["by_cause"]] == [("pause_5m", 1)]
    assert archived["by_week"] == direct["by_week"]
    assert archived["cost_usd"] > archived["totals"]["cost_usd"] > 0


def test_breaks_are_printed_by_cause_project_and_week(broken: Path) -> None:
    printed = run("usage", "--cache", "--root", str(broken.parents[2])).out

    assert "Pause over 5 minutes" in printed
    assert "/home/dev/code/demo" in printed


@pytest.mark.parametrize(
    ("name", "matching", "other"),
    [
        ("project", "demo", "elsewhere"),
        ("model", "opus", "haiku"),
        ("agent", "(main thread)", "Explore"),
        ("since", "2020-01-01", "2099-01-01"),
    ],
)
def test_filters_select_cache_breaks(name: str, matching: str, other: str, broken: Path) -> None:
    asked = ("usage", "--cache", "--json", "--root", str(broken.parents[2]), f"--{name}")

    found = [json.loads(run(*asked, value).out) for value in (matching, other)]

    assert [report["totals"]["breaks"] for report in found] == [1, 0]
    assert 0 < found[0]["totals"]["cost_usd"] < found[0]["cost_usd"]


@pytest.mark.parametrize("more", [["--by", "week"], ["--explain", "latest"], ["--sort", "cost"]])
def test_breaks_have_their_own_groups(more: list[str]) -> None:
    ended = run("usage", "--cache", *more)

    assert ended.code == 2
    assert "--cache and" in ended.err
