"""Hooks: added to Claude Code's settings and removed from them, and what they do when they run."""

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from clew.archive import open_archive
from clew.cli import main
from clew.push import EVENTS, plan_install, plan_remove, read_hooks
from clew.push.hooks import HookSettingsError, apply_change

pytestmark = pytest.mark.slow

COMMAND = "/opt/clew/bin/clew"
CWD = "/home/dev/shop"
LIMIT_SECONDS = 120

FILES = {
    "empty": "{}",
    "spaced": "{ }\n",
    "plain": '{\n  "model": "opus"\n}\n',
    "four spaces": '{\n    "model": "opus",\n    "n": 1.50\n}',
    "tabs": '{\n\t"model": "opus"\n}\n',
    "windows": '\ufeff{\r\n  "model": "opus"\r\n}\r\n',
    "one line": '{"model": "opus", "hooks": {"Stop": []}}',
    "no events": '{\n  "hooks": {},\n  "model": "opus"\n}\n',
    "empty event": '{\n  "hooks": {\n    "Stop": [ ]\n  }\n}\n',
    "others": """\
{
  "hooks": {
    "Stop": [
      { "matcher": "", "hooks": [ { "type": "command", "command": "say done" } ] }
    ],
    "Notification": [{"hooks": []}]
  },
  "unknown": {"b": 1, "a": [1, 2,  3]}
}
""",
    "alike": '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "my hook Stop"}]}]}}',
    "repeated": '{"hooks": 1, "hooks": {"Stop": []}}',
}
BROKEN = {
    "comments": '{\n  // mine\n  "model": "opus"\n}',
    "torn": '{"model": "op',
    "list": "[]",
    "hooks are a list": '{"hooks": []}',
    "event is null": '{"hooks": {"Stop": null}}',
    "event of words": '{"hooks": {"Stop": ["say done"]}}',
    "not text": "\x00",
}


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give the settings file of a machine of its own, which does not exist yet."""
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    monkeypatch.setenv("CLEW_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path / "claude" / "settings.json"


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_as_before_when_its_hooks_are_removed(settings: Path, name: str) -> None:
    settings.parent.mkdir()
    settings.write_bytes(FILES[name].encode())
    settings.chmod(0o640)

    apply_change(plan_install(settings, COMMAND))
    assert [hook.command for hook in read_hooks(settings)] == [
        f"{COMMAND} hook {event}" for event in EVENTS
    ]
    assert without_ours(settings) == pruned(json.loads(FILES[name].removeprefix("\ufeff")))
    assert plan_install(settings, COMMAND).is_empty

    apply_change(plan_remove(settings))
    assert settings.read_bytes() == FILES[name].encode()
    assert settings.stat().st_mode & 0o777 == 0o640
    assert plan_remove(settings).is_empty


@pytest.mark.parametrize("name", FILES)
def test_what_others_changed_meanwhile_stays(settings: Path, name: str) -> None:
    settings.parent.mkdir()
    settings.write_bytes(FILES[name].encode())
    apply_change(plan_install(settings, "/old/clew"))
    apply_change(plan_install(settings, COMMAND))
    value = json.loads(settings.read_text("utf-8-sig"))
    mine = {"type": "command", "command": "say hello"}
    value["hooks"]["Stop"][-1]["hooks"].insert(0, mine)
    value["hooks"]["SessionEnd"].append({"hooks": [mine]})
    settings.write_text(json.dumps(value, indent=4))

    apply_change(plan_remove(settings))

    left = json.loads(settings.read_text())
    assert mine in left["hooks"]["Stop"][-1]["hooks"]
    assert left["hooks"]["SessionEnd"][-1] == {"hooks": [mine]}
    assert all(hook.command is None for hook in read_hooks(settings))
    assert settings.read_text().startswith("{\n    ")


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_not_understood_is_not_changed(settings: Path, name: str) -> None:
    settings.parent.mkdir()
    settings.write_text(BROKEN[name])

    with pytest.raises(HookSettingsError):
        plan_install(settings, COMMAND)
    assert main(["hooks", "install", "--yes"]) == 1
    assert settings.read_text() == BROKEN[name]


def test_a_file_that_was_created_is_removed(settings: Path) -> None:
    assert main(["hooks", "install", "--yes"]) == 0
    assert settings.exists()
    assert main(["hooks", "remove", "--yes", "--json"]) == 0
    assert not settings.parent.exists()

    settings.parent.mkdir()
    apply_change(plan_install(settings, COMMAND))
    settings.write_text(settings.read_text() + "\n")
    apply_change(plan_remove(settings))
    assert list(settings.parent.iterdir()) == []


def test_a_link_stays_and_its_target_is_written(settings: Path, tmp_path: Path) -> None:
    target = tmp_path / "dotfiles" / "claude.json"
    target.parent.mkdir()
    target.write_text("{}")
    settings.parent.mkdir()
    settings.symlink_to(target)

    apply_change(plan_install(settings, COMMAND))
    assert "SessionEnd" in target.read_text()
    apply_change(plan_remove(settings))
    assert settings.is_symlink()
    assert target.read_text() == "{}"


def test_a_file_that_changed_since_it_was_shown_is_not_written(settings: Path) -> None:
    change = plan_install(settings, COMMAND)
    settings.parent.mkdir()
    settings.write_text('{"model": "opus"}')

    with pytest.raises(HookSettingsError, match="changed meanwhile"):
        apply_change(change)
    assert settings.read_text() == '{"model": "opus"}'


def test_commands_show_the_change_and_ask(
    settings: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["hooks", "install"]) == 2
    assert not settings.exists()
    assert main(["hooks", "install", "--yes"]) == 0
    assert '+    "SessionEnd": [' in capsys.readouterr().out
    assert main(["hooks", "install", "--yes"]) == 0
    assert capsys.readouterr().out == "Already installed.\n"
    assert main(["hooks", "status", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [hook["event"] for hook in found["hooks"] if hook["command"]] == list(EVENTS)
    settings.write_text(json.dumps({**json.loads(settings.read_text()), "disableAllHooks": True}))
    assert main(["hooks", "status"]) == 0
    assert "disableAllHooks" in capsys.readouterr().out
    assert main(["hooks", "remove", "--yes"]) == 0
    assert json.loads(settings.read_text()) == {"disableAllHooks": True}


def test_hooks_archive_every_byte(settings: Path, tmp_path: Path) -> None:
    settings.parent.mkdir()
    apply_change(plan_install(settings, f"{sys.executable} -m clew"))

    said = run_client(settings, ["start", "one"], ["turn", "Add a cart"], ["agent", "Look"])
    said += run_client(settings, ["start", "one", "resume"], ["turn", "Now test it"], ["compact"])
    steps = [["start", "two"], ["turn", "A bug"], ["clear", "three"], ["turn", "Go"], ["end"]]
    said += run_client(settings, *steps)
    said += run_client(settings, ["start", "four"], ["turn", "It crashes"], ["crash"])
    said += run_client(settings, ["start", "four", "resume"])

    assert {(answer["code"], answer["said"]) for answer in said} == {(0, "")}
    assert len(said) == 14
    written = transcripts(settings.parent)
    assert len(written) == 5
    wait_until(lambda: restored(tmp_path / "restored") == written)
    log = tmp_path / "home" / "hooks" / "log"
    wait_until(lambda: not list((tmp_path / "home" / "hooks" / "notes").iterdir()))
    assert len(log.read_text().splitlines()) < len(said)
    assert "failed" not in log.read_text()


def test_a_hook_succeeds_whatever_it_is_given(settings: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    homes = [str(tmp_path / "file" / "below"), str(tmp_path / "home")]
    payloads = [b"", b"not JSON", b"[1]", b'{"transcript_path": 7}', b"\xff" * 100_000]
    for home in homes:
        for payload in payloads:
            done = hook(["Stop"], payload, CLEW_HOME=home)
            assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert hook([], b"", CLEW_HOME=homes[1]).returncode == 0
    assert settings.parent.exists() is False
    wait_until((tmp_path / "home" / "hooks" / "log").exists)


def test_a_hook_costs_the_client_little(settings: Path) -> None:
    code = "import sys; from clew.cli import main; main(['hook']); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)  # noqa: S603
    modules = set(done.stdout.decode().split())
    assert modules & {"click", "json", "msgspec", "subprocess", "clew.push", "clew.lazy"} == set()

    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    for _ in range(5):
        hook(["SessionStart"], b"{}", CLEW_HOME=str(settings.parent.parent / "home"))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    assert spent / 5 < 0.1


def hook(
    words: list[str], payload: bytes, **environment: str
) -> "subprocess.CompletedProcess[bytes]":
    """Run the hidden command as a client does."""
    return subprocess.run(  # noqa: S603 (our own module)
        [sys.executable, "-m", "clew", "hook", *words],
        input=payload,
        capture_output=True,
        check=False,
        env={**os.environ, **environment},
    )


def run_client(settings: Path, *steps: list[str]) -> list[dict[str, Any]]:
    """Run a client in a process of its own, and return how its hooks ended."""
    words = [str(settings.parent), CWD, json.dumps(steps)]
    done = subprocess.run(  # noqa: S603 (our own module)
        [sys.executable, "-m", "tests.team.scripted_client", *words],
        stdout=subprocess.PIPE,
        check=False,
        cwd=Path(__file__).parents[2],
    )
    assert done.returncode in (0, -9)
    return [json.loads(line) for line in done.stdout.splitlines()]


def restored(folder: Path) -> dict[str, bytes]:
    """Return the transcripts in the archive by their names."""
    with open_archive() as archive:
        if archive.exists:
            for file in archive.restore(folder, overwrite=True):
                assert file.fault == ""
    return transcripts(folder)


def transcripts(folder: Path) -> dict[str, bytes]:
    """Return the transcripts below a folder by their names."""
    return {path.name: path.read_bytes() for path in folder.rglob("*.jsonl")}


def wait_until(is_true: Callable[[], bool]) -> None:
    """Wait for something that happens in the background."""
    deadline = time.monotonic() + LIMIT_SECONDS
    while not is_true():
        assert time.monotonic() < deadline
        time.sleep(0.2)


def without_ours(settings: Path) -> Any:
    """Return a settings file's value without the hooks of clew."""
    value = json.loads(settings.read_text("utf-8-sig"))
    for event in EVENTS:
        groups = value["hooks"][event]
        assert groups.pop()["hooks"][0]["timeout"] == 10
    return pruned(value)


def pruned(value: Any) -> Any:
    """Return settings without the events that have no hooks."""
    value["hooks"] = {event: groups for event, groups in value.get("hooks", {}).items() if groups}
    return value
