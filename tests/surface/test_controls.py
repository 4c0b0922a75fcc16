"""No command sends a terminal a control character of a transcript, a file name or a word."""

import csv
import io
import json
import re
from pathlib import Path

import pytest

from tests.build import Call, SessionBuilder, bash, read
from tests.surface.running import on_terminal, run

pytestmark = pytest.mark.slow

# Copy to the clipboard, clear, reset, ring, delete, and the one-character forms of such.
EVIL = "\x1b]52;c;ZXZpbA==\x07 \x1b[2J \x1bc \x00 \x7f \x9b2J \x9d52;c;ZQ==\x9c \x85 end"
NAME = "evil\x1b]52;c;ZXZpbA==\x07\x7f\x9b2J"
# What our own tables, bars and pages send.
OURS = re.compile(r"\x1b\[(?:[\d;]*m|\?25[lh]|2K|1A)")
CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")

COMMANDS = [
    "",
    "list",
    "list --json",
    "list --csv",
    "list projects",
    "list tool-calls",
    "list tool-calls --json",
    "list tool-calls --csv",
    "list agent-runs",
    "list files --csv",
    "show --no-pager",
    "show --no-pager --detail everything",
    "show --format markdown",
    "show --format html",
    "show --format page",
    "show --json",
    "show --redact --format markdown",
    "search end in:all",
    "search end in:all --json",
    "search nothing-like-it\x1b]52;c;ZQ==\x07",
    "usage",
    "usage --by project",
    "usage --by session --json",
    "check",
    "check --json",
    "sync --json",
    "archive status",
    "archive verify",
    "archive verify --json",
    "export jsonl -o OUT",
    "export markdown -o OUT",
    "export json -o OUT --json",
    "share --since 2000-01-01 --dry-run",
    f"show {NAME}",
    f"show ./{NAME}.jsonl",
    f"check {NAME}",
    f"sync --root {NAME}",
    f"{NAME}",
    f"list --{NAME}",
    f"list --since {NAME}",
]


@pytest.fixture(autouse=True)
def root(machine: Path) -> Path:
    """Give a root in which everything that can be named holds controls."""
    builder = SessionBuilder("one", cwd=f"/home/dev/{NAME}", branch=EVIL).user(f"Say {EVIL}")
    builder.tools(bash(f"echo {EVIL}", EVIL, description=EVIL), read(f"/home/dev/{NAME}", EVIL))
    builder.tools(Call(f"mcp__{NAME}__x", {EVIL: EVIL}, EVIL), Call("Read", {"file_path": NAME}))
    path = builder.assistant(EVIL).ai_title(EVIL).write(machine)
    with path.open("ab") as stream:
        stream.write(b'{"type":"user","uuid":"\x1b]52;c;ZQ==\x07 torn\n{"type":"\\u001b]52;x"}\n')
    (path.parent / f"{NAME}.jsonl").write_bytes(path.read_bytes())
    (path.parent / f"{NAME}-2.jsonl").mkdir()
    return machine


@pytest.mark.parametrize("line", COMMANDS)
def test_a_terminal_gets_no_control_character(line: str, tmp_path: Path) -> None:
    words = [word.replace("OUT", str(tmp_path / "out")) for word in line.split(" ") if word]

    shown = OURS.sub("", on_terminal(*words))

    assert not CONTROL.findall(shown), repr(shown)


SQL = "SELECT 'a' || char(27) || ']52;c;ZQ==' || char(7, 0, 127, 155, 13, 10, 9) || 'z' AS x"


@pytest.mark.parametrize("form", [[], ["--csv"], ["--json"]])
def test_a_terminal_gets_no_control_character_of_a_query(form: list[str]) -> None:
    shown = on_terminal("sql", SQL, *form)

    assert not CONTROL.findall(OURS.sub("", shown).replace("\r\n", "\n"))
    assert "]52;c;ZQ==" in shown or not form


def test_a_file_of_csv_gets_the_text_as_it_is() -> None:
    rows = list(csv.reader(io.StringIO(run("sql", SQL, "--csv").out, newline="")))

    assert rows[1][0].startswith("a\x1b]52;c;ZQ==\x07\x00\x7f\x9b")


def test_json_has_the_text_as_it_is_in_escapes() -> None:
    out = run("sql", SQL, "--json").out

    assert not CONTROL.findall(out)
    assert json.loads(out)["rows"] == [{"x": "a\x1b]52;c;ZQ==\x07\x00\x7f\x9b\r\n\tz"}]
