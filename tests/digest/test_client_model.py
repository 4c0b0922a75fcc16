"""The installed client as a model: a scripted program that reads, writes and prints like it."""

import datetime as dt
import os
import signal
import sys
import time
from pathlib import Path

import msgspec
import pytest

from clew.archive import Archive, Order
from clew.digest import ModelRequest
from clew.digest_models import ClientModel, ModelError, client_folder
from clew.source import OWN_MARK, discover
from clew.store import Home
from tests.build import SessionBuilder

NOW = dt.datetime(2026, 11, 16, 12, tzinfo=dt.UTC)
REQUEST = ModelRequest(
    instructions="Write a digest.", text="a session", schema={}, max_output_tokens=500
)
PROGRAM = """#!{python}
import json, os, pathlib, re, sys, time
text = sys.stdin.read()
root = pathlib.Path(os.environ["CLAUDE_CONFIG_DIR"])
project = root / "projects" / re.sub("[^A-Za-z0-9]", "-", os.getcwd())
project.mkdir(parents=True, exist_ok=True)
seen = {{"argv": sys.argv[1:], "stdin": text, "cwd": os.getcwd(), "files": os.listdir("."),
    "nested": os.environ.get("CLAUDECODE"), "most": os.environ["CLAUDE_CODE_MAX_OUTPUT_TOKENS"]}}
(root / "seen.json").write_text(json.dumps(seen))
message = {{"role": "user", "content": text}}
line = {{"type": "user", "message": message, "uuid": "u1", "parentUuid": None,
    "sessionId": "5a2ff9d8-8e3f-4c0f-9d71-0c7b9fbd0001", "cwd": os.getcwd(),
    "timestamp": "2026-11-16T11:00:00.000Z", "version": "2.1.0"}}
with open(project / (line["sessionId"] + ".jsonl"), "a") as out:
    out.write(json.dumps(line) + "\\n")
{rest}
"""
PRINT = "print(json.dumps({}))"
ANSWER = PRINT.format(
    '{"type": "result", "subtype": "success", "is_error": False, "result": "{}",'
    ' "total_cost_usd": 0.00125, "usage": {"input_tokens": 3, "output_tokens": 7,'
    ' "cache_read_input_tokens": 20}}'
)


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    return {
        **os.environ,
        "PATH": str(tmp_path / "bin"),
        "CLAUDE_CONFIG_DIR": str(tmp_path / "claude"),
        "XDG_DATA_HOME": str(tmp_path / "data"),
        "CLAUDECODE": "1",
    }


def install(tmp_path: Path, rest: str) -> None:
    program = tmp_path / "bin" / "claude"
    program.parent.mkdir()
    program.write_text(PROGRAM.format(python=sys.executable, rest=rest))
    program.chmod(0o755)


def ask(tmp_path: Path, environ: dict[str, str], seconds: float = 60) -> str:
    folder = client_folder(environ, tmp_path)
    return ClientModel(environ, folder, "haiku", seconds).ask(REQUEST).text


def test_the_client_answers_without_tools_and_context(
    tmp_path: Path, environ: dict[str, str]
) -> None:
    install(tmp_path, ANSWER)
    model = ClientModel(environ, client_folder(environ, tmp_path), "haiku")

    reply = model.ask(REQUEST)

    assert (reply.text, reply.model) == ("{}", "claude-code:haiku")
    assert reply.cost_nano_usd == 1_250_000
    assert (reply.input_tokens, reply.output_tokens) == (23, 7)
    seen = msgspec.json.decode((tmp_path / "claude" / "seen.json").read_bytes())
    assert seen["stdin"] == f"{OWN_MARK}\na session"
    assert {"--tools=", "--strict-mcp-config", "--setting-sources="} <= set(seen["argv"])
    assert "--model=haiku" in seen["argv"]
    assert "a session" not in " ".join(seen["argv"])
    assert seen["files"] == []
    assert (seen["nested"], seen["most"]) == (None, "500")


def test_the_sessions_of_digests_are_seen_nowhere(tmp_path: Path, environ: dict[str, str]) -> None:
    install(tmp_path, ANSWER)
    SessionBuilder("mine").user("Add tests").assistant("Done.").write(tmp_path / "claude")
    ask(tmp_path, environ)

    archive = Archive(Home(tmp_path / "home"))
    archive.sync([tmp_path / "claude"], now=NOW, workers=1)

    assert len(list((tmp_path / "claude").rglob("*.jsonl"))) == 2
    listed = archive.sessions(order=Order(with_hidden=True))
    assert [session.id for session in listed] == [SessionBuilder("mine").session_id]
    assert {file.session_id for file in archive.archived_files()} == {
        SessionBuilder("mine").session_id
    }


def test_another_session_in_the_same_directory_is_seen(
    tmp_path: Path, environ: dict[str, str]
) -> None:
    install(tmp_path, ANSWER)
    ask(tmp_path, environ)
    mine = SessionBuilder("mine", cwd=str(client_folder(environ, tmp_path))).user("Hello there")
    mine.write(tmp_path / "claude")

    found = discover(tmp_path / "claude").files

    assert [file.session_id for file in found if file.session_id] == [mine.session_id]


def test_a_session_that_has_only_begun_is_left_for_later(
    tmp_path: Path, environ: dict[str, str]
) -> None:
    install(tmp_path, ANSWER)
    ask(tmp_path, environ)
    (path,) = (tmp_path / "claude").rglob("*.jsonl")
    path.write_text('{"type":"queue-operation"}\n')

    assert not [file for file in discover(tmp_path / "claude").files if file.session_id]


@pytest.mark.parametrize(
    ("rest", "words", "cost"),
    [
        (
            PRINT.format(
                '{"is_error": True, "result": "Invalid\\x1b API key", "total_cost_usd": 0}'
            ),
            "`claude` refused the request: Invalid API key; run `claude` once",
            0,
        ),
        ("sys.exit('error: unknown option --tools=')", "unknown option --tools=", None),
        ("while True: print('x' * 99999, end='')", "was ended after 8,192 KiB", None),
        ("os.kill(os.getpid(), 9)", "ended too early or cannot be read", None),
        ("sys.stdout.buffer.write(os.urandom(9999))", "ended too early or cannot be read", None),
        ("print('[' * 99999)", "ended too early or cannot be read", None),
        (PRINT.format('{"result": None}'), "ended too early or cannot be read", None),
        ("sys.stderr.write('no ' * 999999); sys.exit(1)", "refused the request: no no", None),
        ("print('hello')", "ended too early or cannot be read", None),
        ("pass", "ended too early or cannot be read", None),
    ],
)
def test_a_client_that_fails_is_explained(
    tmp_path: Path, environ: dict[str, str], rest: str, words: str, cost: int | None
) -> None:
    install(tmp_path, rest)

    with pytest.raises(ModelError) as raised:
        ask(tmp_path, environ)

    assert words in str(raised.value)
    assert raised.value.cost_nano_usd == cost


def test_a_client_that_hangs_is_ended_with_its_children(
    tmp_path: Path, environ: dict[str, str]
) -> None:
    pid = tmp_path / "pid"
    install(
        tmp_path,
        f"import subprocess; child = subprocess.Popen([sys.executable, '-c', 'import time;"
        f" time.sleep(600)']); pathlib.Path({str(pid)!r}).write_text(str(child.pid)); child.wait()",
    )

    with pytest.raises(ModelError, match="claude-code:haiku did not answer within 3 seconds"):
        ask(tmp_path, environ, seconds=3)

    wait_for_end(int(pid.read_text()))


def test_a_client_that_complains_for_ever_is_ended(tmp_path: Path, environ: dict[str, str]) -> None:
    install(tmp_path, "while True: sys.stderr.write('no ' * 9999)")

    with pytest.raises(ModelError, match="did not answer within 3 seconds") as raised:
        ask(tmp_path, environ, seconds=3)

    assert raised.value.cost_nano_usd is None


def test_what_a_client_leaves_behind_does_not_hold_its_answer_up(
    tmp_path: Path, environ: dict[str, str]
) -> None:
    pid = tmp_path / "pid"
    install(
        tmp_path,
        f"import subprocess; child = subprocess.Popen(['sleep', '600'], start_new_session=True);"
        f" pathlib.Path({str(pid)!r}).write_text(str(child.pid)); {ANSWER}",
    )
    environ["PATH"] += os.pathsep + os.environ["PATH"]

    try:
        assert ask(tmp_path, environ) == "{}"
    finally:
        os.kill(int(pid.read_text()), signal.SIGKILL)


@pytest.mark.parametrize("cost", ["-1", "1e300", "1e999"])
def test_a_cost_that_is_none_is_not_known(
    tmp_path: Path, environ: dict[str, str], cost: str
) -> None:
    install(tmp_path, f'print(\'{{"result": "{{}}", "total_cost_usd": {cost}}}\')')

    folder = client_folder(environ, tmp_path)
    try:
        found = ClientModel(environ, folder).ask(REQUEST).cost_nano_usd
    except ModelError as error:
        found = error.cost_nano_usd

    assert found is None


def test_a_client_that_cannot_be_run_is_explained(tmp_path: Path, environ: dict[str, str]) -> None:
    install(tmp_path, "")
    (tmp_path / "bin" / "claude").write_bytes(b"\0" * 100)

    with pytest.raises(ModelError, match="cannot run `claude`: ") as raised:
        ask(tmp_path, environ)

    assert raised.value.cost_nano_usd == 0


def wait_for_end(pid: int) -> None:
    """Wait until a process has ended; it may be a zombie until its new parent looks."""
    while True:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
        except FileNotFoundError:
            return
        if state == "Z":
            return
        time.sleep(0.01)


def test_a_machine_without_the_client(tmp_path: Path, environ: dict[str, str]) -> None:
    with pytest.raises(ModelError, match="`claude` is not installed"):
        ask(tmp_path, environ)
