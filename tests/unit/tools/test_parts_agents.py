"""Agent, Skill, SendMessage, Team*, Cron*, wake-ups, worktrees, Workflow and the like, opened."""

from typing import Any

import pytest

from clew.parts import (
    Code,
    Fields,
    Fold,
    Link,
    Links,
    Listing,
    Note,
    Part,
    Prose,
    Table,
    Words,
)
from tests.unit.tools.opened import opened

PROMPT = Fold("Prompt", (Prose("Find it."),))


def test_an_agent_shows_who_was_asked_for_what_and_what_came_back() -> None:
    asked = {"prompt": "Find it.", "description": "find", "model": "haiku"}
    result = {
        "status": "completed",
        "content": [{"type": "text", "text": "**Found.**"}],
        "totalTokens": 12400,
        "totalToolUseCount": 3,
        "totalDurationMs": 2500,
    }

    shown = opened("Agent", {**asked, "run_in_background": False}, result)

    totals = Fields((("Tool calls", "3"), ("Tokens", "12,400"), ("Duration", "2.5 s")))
    assert shown == [Fields((("model", "haiku"),)), PROMPT, Prose("**Found.**"), totals]


def test_an_agent_in_the_background_tells_where_it_writes() -> None:
    text = "Async agent launched successfully.\nagentId: a1\noutput_file: /t/a1"

    shown = opened("Task", {"prompt": "Find it.", "run_in_background": True}, text=text)

    started = [PROMPT, Note("Runs in the background")]
    facts = Fields((("Agent", "a1"), ("Output", "/t/a1")))
    assert shown == [Fields((("run_in_background", "true"),)), *started, facts]


CASES: list[tuple[str, Any, Any, list[Part]]] = [
    (
        "Skill",
        {"skill": "pdf"},
        {"success": True, "commandName": "pdf", "allowedTools": ["Read"]},
        [Note("Launching skill: pdf"), Listing(("Read",))],
    ),
    (
        "SlashCommand",
        {"command": "/review"},
        {"success": True, "commandName": "review", "result": "Fine."},
        [Note("Launching skill: review"), Prose("Fine.")],
    ),
    (
        "SendMessage",
        {"to": "ann", "message": "*Hi*", "content": "*Hi*"},
        {"success": True, "message": "Sent", "routing": {"sender": "bob", "target": "@ann"}},
        [Prose("*Hi*"), Words("Sent"), Fields((("From", "bob"), ("To", "@ann")))],
    ),
    (
        "TeamCreate",
        {"team_name": "blue team"},
        {"team_name": "blue team", "lead_agent_id": "lead@blue", "team_file_path": "/t"},
        [Fields((("Team lead", "lead@blue"), ("Team file", "/t")))],
    ),
    ("TeamDelete", {}, {"success": True, "message": "Gone"}, [Words("Gone")]),
    (
        "CronCreate",
        {"cron": "0 9 * * *", "prompt": "Look", "recurring": False},
        {"id": "c1", "humanSchedule": "at nine"},
        [
            Prose("Look"),
            Fields((("recurring", "false"),)),
            Fields((("Job", "c1"), ("Schedule", "at nine"))),
        ],
    ),
    (
        "CronList",
        {},
        {"jobs": [{"id": "c1", "cron": "0 9", "prompt": "Look"}]},
        [Table(("Job", "Schedule", "Prompt"), (("c1", "0 9", "Look"),))],
    ),
    ("CronDelete", {"id": "job-1"}, {"id": "job-1"}, [Note("Cancelled job job-1")]),
    (
        "ScheduleWakeup",
        {"delaySeconds": 60, "prompt": "Go on", "reason": "to wait"},
        {"scheduledFor": 1, "clampedDelaySeconds": 90, "wasClamped": True},
        [
            Prose("Go on"),
            Fields((("delaySeconds", "60"),)),
            Fields((("Delay in seconds, limited", "90"),)),
        ],
    ),
    (
        "EnterWorktree",
        {"name": "side"},
        {"worktreePath": "/w/x", "worktreeBranch": "b", "message": "Created"},
        [Fields((("Worktree", "/w/x"), ("Branch", "b"))), Words("Created")],
    ),
    (
        "ExitWorktree",
        {"action": "keep"},
        {"action": "keep", "originalCwd": "/w", "message": "Exited"},
        [Fields((("Working directory", "/w"),)), Words("Exited")],
    ),
    (
        "Workflow",
        {"script": "go()", "args": {"n": 1}},
        {"status": "async_launched", "runId": "r1", "sessionUrl": "https://s.example"},
        [
            Fields((("args", '{"n":1}'),)),
            Code("go()", "javascript"),
            Fields((("Status", "async_launched"), ("Run", "r1"))),
            Links((Link("https://s.example"),)),
        ],
    ),
    (
        "StructuredOutput",
        {"count": 3},
        "Thanks",
        [Code('{\n  "count": 3\n}', "json"), Words("Thanks")],
    ),
    (
        "ReportFindings",
        {"findings": [{"file": "a.py", "line": 3, "summary": "It *leaks*.", "verdict": "real"}]},
        {"findings": [], "count": 1},
        [Fold("a.py:3", (Prose("It *leaks*."), Fields((("Verdict", "real"),))), is_open=True)],
    ),
    (
        "Batch",
        {"invocations": [{"tool_name": "LS", "input": {"path": "/"}}], "description": "Look"},
        {"orderedToolResults": [{"key": "0", "message": "a.py"}]},
        [Fold("LS", (Code('{\n  "path": "/"\n}', "json"), Code('"a.py"', "json")), is_open=True)],
    ),
    ("ListAgents", {"q": "ann"}, {"agents": []}, [Code('{\n  "agents": []\n}', "json")]),
]


@pytest.mark.parametrize(("tool", "asked", "result", "expected"), CASES)
def test_a_call_opened_shows_what_was_asked_and_what_came_of_it(
    tool: str, asked: object, result: object, expected: list[Part]
) -> None:
    assert opened(tool, asked, result) == expected
