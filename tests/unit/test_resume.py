"""The command that goes on with a session, and the reasons why there is none."""

import shlex
from pathlib import Path

import pytest

from clew.conversation import Session
from clew.resume import plan_resume, resume_command

ID = "3f2a1bc7-a334-4ea8-8c31-cb1bc3acb6fb"


def transcript_in(root: Path) -> Path:
    file = root / "projects" / "-work" / f"{ID}.jsonl"
    file.parent.mkdir(parents=True)
    file.write_text("{}\n", "utf-8")
    return file


def test_a_session_of_the_client_s_own_folder(tmp_path: Path) -> None:
    file = transcript_in(tmp_path / ".claude")
    cwd = tmp_path / "it's here"
    cwd.mkdir()

    plan = plan_resume(Session(id=ID, cwd=str(cwd)), file, {}, tmp_path)

    assert plan.can_resume
    assert (plan.reason, plan.note) == ("", "")
    assert shlex.split(plan.command) == ["cd", str(cwd), "&&", "claude", "--resume", ID]
    assert plan.arguments == ("claude", "--resume", ID)


def test_a_session_of_another_folder_names_it(tmp_path: Path) -> None:
    file = transcript_in(tmp_path / "other one")

    plan = plan_resume(Session(id=ID, cwd=str(tmp_path)), file, {}, tmp_path)
    own = plan_resume(
        Session(id=ID, cwd=str(tmp_path)),
        file,
        {"CLAUDE_CONFIG_DIR": str(tmp_path / "other one")},
        tmp_path,
    )

    assert shlex.split(plan.command)[3:] == [
        f"CLAUDE_CONFIG_DIR={tmp_path / 'other one'}",
        "claude",
        "--resume",
        ID,
    ]
    assert plan.arguments[:2] == ("env", f"CLAUDE_CONFIG_DIR={tmp_path / 'other one'}")
    assert "CLAUDE_CONFIG_DIR" not in own.command


@pytest.mark.parametrize(
    ("session", "reason"),
    [
        (Session(id=ID, has_transcript=False), "only its agent runs are left"),
        (Session(id="--dangerously"), "not one that Claude Code accepts"),
        (Session(id="a; rm -rf /"), "not one that Claude Code accepts"),
        (Session(id=ID, cwd="/home/\x1b[2Jx\n"), "cannot be written in a command"),
    ],
)
def test_why_it_cannot_be_resumed(tmp_path: Path, session: Session, reason: str) -> None:
    plan = plan_resume(session, transcript_in(tmp_path / ".claude"), {}, tmp_path)

    assert not plan.can_resume
    assert reason in plan.reason
    assert (plan.command, plan.arguments) == ("", ())


def test_a_transcript_that_is_gone_can_be_restored(tmp_path: Path) -> None:
    file = transcript_in(tmp_path / ".claude")
    file.unlink()

    for found in (file, None):
        plan = plan_resume(Session(id=ID, cwd=str(tmp_path)), found, {}, tmp_path)
        assert "deleted it, or the session ran elsewhere" in plan.reason
        assert f"clew archive restore {ID}" in plan.reason


def test_a_transcript_outside_of_the_client_s_layout(tmp_path: Path) -> None:
    file = tmp_path / f"{ID}.jsonl"
    file.write_text("{}\n", "utf-8")

    plan = plan_resume(Session(id=ID, cwd=str(tmp_path)), file, {}, tmp_path)

    assert "not in a folder of Claude Code" in plan.reason


@pytest.mark.parametrize(
    ("cwd", "note"), [("", "does not say"), ("/nowhere/at/all", "There is no directory")]
)
def test_what_to_know_before(tmp_path: Path, cwd: str, note: str) -> None:
    plan = plan_resume(Session(id=ID, cwd=cwd), transcript_in(tmp_path / ".claude"), {}, tmp_path)

    assert plan.can_resume
    assert note in plan.note


def test_the_command_without_a_directory() -> None:
    assert resume_command("x", "") == "claude --resume x"
