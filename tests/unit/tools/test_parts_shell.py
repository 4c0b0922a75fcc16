"""Bash, PowerShell, BashOutput, KillShell, TaskOutput, TaskStop and Monitor, opened."""

from typing import Any

from clew.conversation import Block
from clew.parts import Code, Fields, Image, Link, Links, Note, Output, Part, Prose, Words
from tests.unit.tools.opened import opened

LS = Code("ls", "bash", is_command=True)


def bash(text: str = "", **result: Any) -> list[Part]:
    """Open a call of `ls`."""
    return opened("Bash", {"command": "ls"}, {"stdout": "", **result}, text)[1:]


def test_a_command_stands_before_what_it_printed_on_either_stream() -> None:
    result = {"stdout": "\x1b[31ma\x1b[0m", "stderr": "b", "interrupted": False}

    shown = opened("Bash", {"command": "ls", "description": "List"}, result)

    assert shown == [LS, Output("\x1b[31ma\x1b[0m"), Output("b", "stderr", is_error=True)]


def test_the_options_of_a_command_are_told() -> None:
    shown = opened("PowerShell", {"command": "ls", "timeout": 9, "new": "x"}, {"stdout": "a"})

    assert shown == [
        Code("ls", "powershell", is_command=True),
        Fields((("timeout", "9"), ("new", "x"))),
        Output("a"),
    ]


def test_a_description_too_long_for_a_line_is_shown_whole() -> None:
    shown = opened("Bash", {"command": "ls", "description": "long " * 50}, {"stdout": "a"})

    assert shown == [LS, Words("long " * 50), Output("a")]


def test_a_silent_command_says_so() -> None:
    assert bash("(Bash completed with no output)") == [Note("No output")]


def test_a_failed_command_tells_its_exit_code() -> None:
    shown = opened("Bash", {"command": "ls"}, text="Exit code 2\nno such file\n", status="failed")

    assert shown == [LS, Note("Exit code 2", "bad"), Note("no such file", "bad")]


def test_a_long_error_is_output() -> None:
    text = "Exit code 1\n\nF..\n1 failed"

    shown = opened("Bash", {"command": "ls"}, text=text, status="failed")

    assert shown[-1] == Output("F..\n1 failed", is_error=True)


def test_an_interrupted_command_keeps_what_it_printed() -> None:
    shown = bash(stdout="a", interrupted=True)

    assert shown == [Output("a"), Note("Interrupted by the user", "warn")]


def test_a_command_in_the_background_tells_its_id() -> None:
    text = "Command running in background with ID: b1. Output is being written to: /t/b1.output"

    shown = opened("Bash", {"command": "ls", "run_in_background": True}, text=text)

    running = Note("Command running in the background with ID: b1")
    assert shown == [LS, running, Fields((("Output", "/t/b1.output"),))]


def test_a_command_that_ran_out_of_time_says_so() -> None:
    assert bash(timedOutAfterMs=120000)[-1] == Note("Timed out after 120 s", "bad")


def test_what_a_command_did_with_git_is_told() -> None:
    git = {
        "commit": {"sha": "abc", "kind": "committed"},
        "push": {"branch": "main"},
        "pr": {"number": 3, "url": "https://h.example/3", "action": "created"},
    }

    shown = bash(stdout="a", gitOperation=git)

    link = Link("https://h.example/3", "Pull request #3", "created")
    assert shown[1:] == [Fields((("Commit", "abc committed"), ("Pushed", "main"))), Links((link,))]


def test_a_long_output_tells_where_it_lies() -> None:
    text = (
        "<persisted-output>\nOutput too large (40KB). Full output saved to: /t/a.txt\n\n"
        "Preview (first 2KB):\nabc\n...\n</persisted-output>"
    )

    shown = bash(text, stdout="abc", persistedOutputPath="/t/a.txt")

    saved = Note("Output too large (40KB). Full output saved to: /t/a.txt")
    assert shown == [Output("abc"), saved]


def test_a_long_output_is_shown_whole_where_it_was_found() -> None:
    preview = (
        "<persisted-output>\nOutput too large (40KB). Full output saved to: /t/a.txt\n\n"
        "Preview (first 2KB):\nabc\n...\n</persisted-output>"
    )

    shown = opened(
        "Bash",
        {"command": "ls"},
        {"stdout": "abc", "persistedOutputPath": "/t/a.txt"},
        "abc\nand all the rest",
        result_blocks=(Block("text", preview),),
        persisted_path="/t/a.txt",
    )

    assert shown[1] == Output("abc\nand all the rest")
    assert Output("abc") not in shown


def test_a_picture_that_a_command_printed_is_a_picture() -> None:
    shown = bash(stdout="data:image/png;base64,eA==", isImage=True)

    assert shown == [Image("image/png", "eA==")]


def test_a_command_whose_result_is_a_picture_is_not_silent() -> None:
    picture = Block("image", media_type="image/png", size_bytes=1, data="eA==")

    for result in (None, {"stdout": "", "isImage": True}):
        shown = opened("Bash", {"command": "ls"}, result, result_blocks=(picture,))

        assert shown == [LS, Image("image/png", "eA==", size_bytes=1)]


def test_a_block_of_an_unknown_kind_without_words_is_shown() -> None:
    block = Block("other", "hologram", data='{"type":"hologram","depth":3}')

    shown = opened("Bash", {"command": "ls"}, result_blocks=(block,))

    assert shown == [LS, Code('{\n  "type": "hologram",\n  "depth": 3\n}', "json")]


def test_hints_and_meanings_of_an_end_are_told() -> None:
    shown = bash(stdout="a", returnCodeInterpretation="No matches", ghRateLimitHint="Slow down")

    assert shown[1:] == [Note("No matches"), Words("Slow down")]


def test_a_look_at_a_shell_tells_how_it_stands() -> None:
    result = {"shellId": "b1", "command": "ls", "status": "failed", "exitCode": 1, "stdout": "a"}

    shown = opened("BashOutput", {"bash_id": "shell-b1"}, result)

    failed = [Note("Exit code 1", "bad"), Fields((("Status", "failed"),))]
    assert shown == [LS, Output("a"), *failed]


def test_a_killed_shell_says_so() -> None:
    shown = opened("KillShell", {"shell_id": "shell-b1"}, text='{"message":"Killed"}')

    assert shown == [Words("Killed")]


def test_a_stopped_task_tells_its_command() -> None:
    result = {"message": "Stopped", "task_id": "b1", "task_type": "local_bash", "command": "ls"}

    shown = opened("TaskStop", {"task_id": "b1"}, result)

    facts = Fields((("Task", "b1"), ("Type", "local_bash")))
    assert shown == [Fields((("task_id", "b1"),)), Words("Stopped"), facts, LS]


def test_the_output_of_a_task_is_shown_with_its_result() -> None:
    task = {"task_id": "t", "status": "completed", "output": "a", "result": "**b**", "exitCode": 0}

    shown = opened("TaskOutput", {}, {"retrieval_status": "success", "task": task})

    facts = (("Retrieval status", "success"), ("Task", "t"), ("Status", "completed"))
    assert shown == [Fields(facts), Prose("**b**"), Output("a"), Note("Exit code 0")]


def test_a_monitor_tells_what_it_watches() -> None:
    asked = {"description": "Watch the log", "command": "ls", "ws": {"url": "wss://x.example"}}

    shown = opened("Monitor", asked, {"taskId": "m1", "timeoutMs": 1000})

    watched = [LS, Links((Link("wss://x.example"),))]
    assert shown == [*watched, Note("Monitor started (task m1, timeout 1000ms)")]
