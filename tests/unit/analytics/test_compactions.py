"""What a compaction loses: files and prompts that its summary does not name."""

from pathlib import Path

import pytest

from clew.analytics import CompactionLoss, find_compaction_losses
from clew.conversation import build
from clew.sessions import find, gather
from tests.build import SessionBuilder


def losses_of(builder: SessionBuilder, folder: Path) -> list[CompactionLoss]:
    return find_compaction_losses(build(gather(find(builder.write(folder / "s.jsonl"))[0])))


def compacted(summary: str) -> SessionBuilder:
    builder = SessionBuilder().user("Fix the retry loop in the uploader, it gives up too early")
    builder.tool("Read", {"file_path": "/w/src/upload.py"}, "text")
    builder.tool("Read", {"file_path": "/w/src/notes.md"}, "text")
    edit = {"file_path": "/w/src/retry.py", "old_string": "a", "new_string": "b"}
    builder.tool("Edit", edit, "done").assistant("Fixed.")
    return builder.user("Also translate the greeting into Danish").compact(summary=summary)


def test_files_and_prompts_that_the_summary_leaves_out_are_lost(tmp_path: Path) -> None:
    summary = "The user wants the retry loop of the uploader fixed, it gives up early: upload.py."

    found = losses_of(compacted(summary).user("go on").assistant("ok"), tmp_path)

    assert [(one.files, one.prompts) for one in found] == [(3, 2)]
    assert found[0].lost_files == ("/w/src/notes.md", "/w/src/retry.py")
    assert found[0].lost_changed_files == ("/w/src/retry.py",)
    assert [one.text for one in found[0].lost_prompts] == [
        "Also translate the greeting into Danish"
    ]


@pytest.mark.parametrize(
    ("prompt", "said", "is_lost"),
    [
        (
            "testing this build:\n```\n21:51 |DEBUG| invoked component=hooks\n```\nwhat happened?",
            '"testing this build: [detailed log output] what happened?"',
            False,
        ),
        (
            "the raw transcript log:\n\n" + '{"uuid": "x", "session": "y", "message": "z"}' * 9,
            '"The raw transcript log: [JSON]"',
            False,
        ),
        (
            "the raw transcript log:\n\n" + '{"uuid": "x", "session": "y", "message": "z"}' * 9,
            "They looked at the uploader.",
            True,
        ),
        ("```\nTraceback: retry failed in uploader\n```", "We looked at greetings.", True),
        ("and\n\nplease translate everything into Danish", "Files and tests.", True),
    ],
)
def test_a_summary_may_leave_out_what_a_prompt_pasted(
    prompt: str, said: str, tmp_path: Path, *, is_lost: bool
) -> None:
    builder = SessionBuilder().user(prompt).assistant("Seen.").compact(summary=said)

    assert bool(losses_of(builder, tmp_path)[0].lost_prompts) == is_lost


def test_a_file_is_named_as_a_whole(tmp_path: Path) -> None:
    summary = "We changed my-retry.py and retry.pyc, and read notes.mdx and src/upload.py."

    found = losses_of(compacted(summary), tmp_path)

    assert found[0].lost_files == ("/w/src/notes.md", "/w/src/retry.py")


def test_files_of_before_that_are_read_afterwards_are_read_again(tmp_path: Path) -> None:
    builder = compacted("upload.py").user("go on")
    builder.tool("Read", {"file_path": "/w/src/upload.py"}, "text")
    builder.tool("Read", {"file_path": "/w/src/other.py"}, "text")

    assert losses_of(builder, tmp_path)[0].read_again == ("/w/src/upload.py",)


def test_what_agent_runs_read_was_never_in_the_context(tmp_path: Path) -> None:
    builder = SessionBuilder().user("Look around")
    read = {"file_path": "/w/deep.py"}
    builder.agent("Look", "Look", lambda run: run.tool("Read", read, "text").assistant("seen"))

    assert losses_of(builder.compact(summary="Nothing."), tmp_path)[0].files == 0


def test_a_session_without_a_compaction_loses_nothing(tmp_path: Path) -> None:
    assert losses_of(SessionBuilder().user("one").assistant("1"), tmp_path) == []
