"""`clew check`: what it finds, how bad it is, and what it tells."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from inline_snapshot import snapshot

from clew.cli import main
from tests.surface.running import on_terminal

SESSION = "0b7c2f9e-1111-4222-8333-444455556666"
NOON = "2025-01-02T12:00:00.000Z"


def row(kind: str, uuid: str, parent: str | None = None, **more: Any) -> str:
    base = {"type": kind, "uuid": uuid, "parentUuid": parent, "sessionId": SESSION}
    full = {**base, "timestamp": NOON, "version": "2.0.14", **more}
    return json.dumps(full, separators=(",", ":"))


def user(uuid: str, parent: str | None = None, content: Any = "hi", **more: Any) -> str:
    return row("user", uuid, parent, message={"role": "user", "content": content}, **more)


def call(uuid: str, call_id: str, **arguments: Any) -> str:
    block = {"type": "tool_use", "id": call_id, "name": "Bash", "input": arguments}
    return row("assistant", uuid, message={"role": "assistant", "content": [block]})


def result(uuid: str, call_id: str, **more: Any) -> str:
    block = {"type": "tool_result", "tool_use_id": call_id, "content": "done"}
    return user(uuid, None, [block], **more)


class Checked:
    """What a run of `clew check --json` gave."""

    def __init__(self, code: int, out: str) -> None:
        self.code = code
        self.report = json.loads(out)

    def found(self) -> list[tuple[str, str, int, list[int]]]:
        """Give severity, kind, count and lines of each kind of problem."""
        return [
            (p["severity"], p["kind"], p["count"], [e["line"] for e in p["examples"]])
            for p in self.report["problems"]
        ]


class Folder:
    """A folder of transcripts that can be checked."""

    def __init__(self, path: Path, capture: pytest.CaptureFixture[str]) -> None:
        self.path = path
        self._capture = capture

    def write(self, *lines: str | bytes, name: str = SESSION, end: bytes = b"\n") -> "Folder":
        raws = [line if isinstance(line, bytes) else line.encode() for line in lines]
        (self.path / f"{name}.jsonl").write_bytes(b"\n".join(raws) + end)
        return self

    def check(self, *options: str) -> Checked:
        code = main(["check", "--json", str(self.path), *options])
        return Checked(code, self._capture.readouterr().out)

    def print(self, *options: str) -> str:
        main(["check", str(self.path), *options])
        return self._capture.readouterr().out


@pytest.fixture
def folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Folder:
    return Folder(tmp_path, capsys)


ERRORS: dict[str, list[str | bytes]] = {
    "broken": [user("a"), "{oops}"],
    "glued": [user("a"), user("b", "a") + user("c", "b")],
    "torn": [user("a"), user("b", "a")[:40], user("c", "a")],
    "cycle": [user("a"), user("b", "c"), user("c", "b")],
}
WARNINGS: dict[str, list[str | bytes]] = {
    "duplicate_uuid": [user("a"), user("a")],
    "encoding": [user("a"), user("b", "a", "??").encode().replace(b"??", b"\xff")],
    "missing_field": [user("a"), user("")],
    "nul": [user("a"), b"\x00\x00" + user("b", "a").encode()],
    "unknown_type": [user("a"), row("brand-new", "b", "a")],
    "wrong_shape": [user("a"), user("b", "a", isMeta=7)],
}
NOTES: dict[str, list[str | bytes]] = {
    "blank": [user("a"), "", user("b", "a")],
    "call_without_result": [user("a"), call("b", "toolu_1")],
    "clock_back": [user("a"), user("b", "a", timestamp="2025-01-02T11:59:59.999Z")],
    "foreign_session": [user("a"), user("b", "a", sessionId="another")],
    "missing_parent": [user("a"), user("b", "gone")],
    "orphan_result": [user("a"), result("b", "toolu_1")],
    "unknown_field": [user("a"), user("b", "a", brandNew=1)],
}


@pytest.mark.parametrize("kind", ERRORS)
def test_an_error_ends_with_4(folder: Folder, kind: str) -> None:
    checked = folder.write(*ERRORS[kind]).check()

    assert checked.found() == [("error", kind, 1, [2])]
    assert checked.code == 4


@pytest.mark.parametrize("kind", WARNINGS)
def test_a_warning_ends_with_0(folder: Folder, kind: str) -> None:
    checked = folder.write(*WARNINGS[kind]).check()

    assert checked.found() == [("warning", kind, 1, [2])]
    assert checked.code == 0


@pytest.mark.parametrize("kind", NOTES)
def test_what_is_normal_in_real_files_is_a_note(folder: Folder, kind: str) -> None:
    checked = folder.write(*NOTES[kind]).check()

    assert checked.found() == [("note", kind, 1, [2])]
    assert checked.code == 0


CLEAN: list[str | bytes] = [user("a"), user("b", "a")]


@pytest.mark.parametrize(
    ("fail_on", "lines", "code"),
    [
        ("error", ERRORS["broken"], 4),
        ("error", WARNINGS["encoding"], 0),
        ("warning", ERRORS["broken"], 4),
        ("warning", WARNINGS["encoding"], 4),
        ("warning", NOTES["unknown_field"], 0),
        ("drift", ERRORS["broken"], 4),
        ("drift", WARNINGS["encoding"], 4),
        ("drift", NOTES["unknown_field"], 4),
        ("drift", NOTES["blank"], 0),
        ("drift", CLEAN, 0),
    ],
)
def test_fail_on_decides_what_ends_with_4(
    folder: Folder, fail_on: str, lines: list[str | bytes], code: int
) -> None:
    assert folder.write(*lines).check("--fail-on", fail_on).code == code


def test_a_last_line_without_newline_is_a_note(folder: Folder) -> None:
    checked = folder.write(user("a"), user("b", "a"), end=b"").check()

    assert checked.found() == [("note", "unfinished", 1, [2])]


def test_a_last_line_that_is_still_being_written_is_a_note(folder: Folder) -> None:
    checked = folder.write(user("a"), user("b", "a")[:40], end=b"").check()

    assert checked.found() == [("note", "unfinished", 1, [2])]
    assert checked.code == 0


def test_a_sidecar_that_is_no_json_is_a_warning(folder: Folder) -> None:
    folder.write(user("a"))
    (folder.path / "agent-a1b2c3d.meta.json").write_text("{", "utf-8")

    assert folder.check().found() == [("warning", "broken_sidecar", 1, [0])]


def test_a_time_that_is_none_is_a_warning(folder: Folder) -> None:
    checked = folder.write(user("a"), user("b", "a", timestamp="noon")).check()

    assert checked.found() == [("warning", "wrong_shape", 1, [2])]


def test_a_uuid_that_is_there_twice_leads_to_the_first(folder: Folder) -> None:
    folder.write(user("z"), user("a"), user("a"))

    assert "jsonl:3  as on line 2\n" in folder.print()


def test_a_parent_in_another_file_is_not_missing(folder: Folder) -> None:
    folder.write(user("a", "elsewhere"))
    folder.write(user("elsewhere", agentId="a1b2c3d"), name="agent-a1b2c3d")

    assert folder.check().found() == []


def test_a_call_and_its_result_may_stand_in_two_files(folder: Folder) -> None:
    folder.write(call("a", "toolu_1"))
    folder.write(result("b", "toolu_1"), name="agent-a1b2c3d")

    assert folder.check().found() == []


def test_a_child_may_stand_before_its_parent(folder: Folder) -> None:
    assert folder.write(user("b", "a"), user("a")).check().found() == []


def test_a_broken_line_keeps_its_place_in_the_chain(folder: Folder) -> None:
    torn = user("b", "a").removesuffix("}")

    checked = folder.write(user("a"), torn, user("c", "b")).check()

    assert [kind for _, kind, _, _ in checked.found()] == ["torn"]


def test_a_copy_under_another_name_keeps_its_session(folder: Folder) -> None:
    folder.write(user("a"), user("b", "a"), user("c", "b", sessionId="another"), name="copy")

    assert folder.check().found() == [("note", "foreign_session", 1, [3])]


def test_new_fields_of_tools_are_drift(folder: Folder) -> None:
    bash = call("a", "toolu_1", command="ls", newFlag=1)
    answer = result("b", "toolu_1", toolUseResult={"stdout": "", "stderr": "", "newKey": 1})

    checked = folder.write(bash, answer).check()

    expected = {"2.0.14": {"tool/Bash.input.newFlag": 1, "tool/Bash.result.newKey": 1}}
    assert checked.report["drift"] == expected


def test_more_than_1000_problems_are_counted_and_1000_listed(folder: Folder) -> None:
    checked = folder.write(*[""] * 1200, user("a")).check()

    [(_, kind, count, lines)] = checked.found()
    assert (kind, count, len(lines)) == ("blank", 1200, 1000)


def test_the_report_has_this_shape(folder: Folder) -> None:
    marker = json.dumps({"type": "summary", "summary": "s", "leafUuid": "a", "newKey": 1})
    turn = row("system", "b", "a", subtype="turn_duration", durationMs=5)

    report = folder.write(user("a"), turn, marker, "{oops}").check().report

    assert report.pop("paths") == [str(folder.path)]
    assert list(report)[-1] == "round_trip"
    assert report == snapshot(
        {
            "schema": "clew.check/1",
            "files": {"total": 1, "by_kind": {"session": 1}, "size_bytes": 464},
            "lines": 4,
            "entries": 4,
            "entries_by_type": {"(broken)": 1, "summary": 1, "system/turn_duration": 1, "user": 1},
            "versions": {"2.0.14": 2},
            "problems": [
                {
                    "kind": "broken",
                    "severity": "error",
                    "meaning": "a line that is not JSON; bytes preserved",
                    "count": 1,
                    "files": 1,
                    "examples": [
                        {
                            "file": "0b7c2f9e-1111-4222-8333-444455556666.jsonl",
                            "line": 4,
                            "offset": 457,
                            "text": "JSON is malformed: expected '\"' (byte 1)",
                        }
                    ],
                },
                {
                    "kind": "unknown_field",
                    "severity": "note",
                    "meaning": "a field that this version does not know",
                    "count": 1,
                    "files": 1,
                    "examples": [
                        {
                            "file": "0b7c2f9e-1111-4222-8333-444455556666.jsonl",
                            "line": 3,
                            "offset": 391,
                            "text": "summary.newKey",
                        }
                    ],
                },
            ],
            "drift": {"2.0.14": {"summary.newKey": 1}},
            "round_trip": {"files": 1, "identical": 1, "different": []},
        }
    )


def test_the_table_reads_well(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    turn = row("system", "b", "a", subtype="turn_duration", durationMs=5)
    folder.write(user("a"), turn, user("c", "gone", newKey=1), *["{oops}"] * 5, name="s")

    lines = [line.rstrip() for line in folder.print().splitlines()]

    assert lines == snapshot(
        [
            "1 file · 634 bytes · 8 lines · 8 entries · 1 version",
            "Files by kind: session 1",
            "",
            "Entries by type",
            "  type      entries  subtypes",
            "  (broken)        5",
            "  user            2",
            "  system          1  turn_duration 1",
            "",
            "Entries by version",
            "  2.0.14  3",
            "",
            "Drift: types and fields unknown to this version of clew",
            "  type or field  count  versions",
            "  user.newKey        1  2.0.14",
            "",
            "Problems",
            "  severity  count  files  problem",
            "  error         5      1  broken: a line that is not JSON; bytes preserved",
            "  note          1      1  missing_parent: a parent that is in none of the files",
            "  note          1      1  unknown_field: a field that this version does not know",
            "",
            "error: broken",
            "    s.jsonl:4  JSON is malformed: expected '\"' (byte 1)",
            "    s.jsonl:5  JSON is malformed: expected '\"' (byte 1)",
            "    s.jsonl:6  JSON is malformed: expected '\"' (byte 1)",
            "    … and 2 more",
            "",
            "Round trip: 1 of 1 file identical, byte for byte",
            "5 errors, 0 warnings, 2 notes (`--verbose` for all)",
        ]
    )


def test_a_narrow_terminal_shows_whole_names_with_what_is_said_below(folder: Folder) -> None:
    folder.write(user("a"), "{oops}")

    lines = on_terminal("check", str(folder.path), columns=60).replace("\r", "").splitlines()

    place = lines.index(f"    {SESSION}.jsonl:2")
    assert "JSON is malformed: expected '\"' (byte 1)" in lines[place + 1]


def test_a_narrow_terminal_shows_the_end_of_a_long_path(folder: Folder) -> None:
    deep = folder.path / "projects" / ("-a-project-" * 5)
    deep.mkdir(parents=True)
    (deep / f"{SESSION}.jsonl").write_text(user("a", "gone") + "\n", "utf-8")

    lines = on_terminal("check", str(folder.path), "-v", columns=80).replace("\r", "").splitlines()

    [place] = [line for line in lines if ".jsonl:1" in line]
    assert re.sub(r"\x1b\[\d*m", "", place).endswith(f"-/{SESSION}.jsonl:1  parentUuid")
    assert len(re.sub(r"\x1b\[\d*m", "", place)) == 80


def test_the_table_names_places_of_notes_when_asked(folder: Folder) -> None:
    folder.write(user("a", "gone"))

    assert f"{SESSION}.jsonl:1" not in folder.print()
    assert f"{SESSION}.jsonl:1  parentUuid" in folder.print("--verbose")


def test_control_characters_never_reach_the_terminal(folder: Folder) -> None:
    odd_key: dict[str, Any] = {"\x1b]0;title\x07": 1}
    folder.write(
        row("\x1b[31mred\u202e", "a"),
        user("c", **odd_key),
        user("b", version="\x1b[2J"),
        "{oops}",
        name="s\x1b[31m",
    )

    shown = folder.print("--verbose")

    assert all(char.isprintable() or char == "\n" for char in shown)
    assert "s\\x1b[31m.jsonl:4" in shown
