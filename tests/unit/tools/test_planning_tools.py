"""Todos, tasks, questions, plans, schedules, worktrees, findings and structured output."""

from typing import Any

import msgspec
import pytest

from clew.tools import TaskCreateResult, TaskUpdateInput, decode_input, decode_result
from clew.tools.builtin.plan_mode import (
    AllowedPrompt,
    EnterPlanModeInput,
    EnterPlanModeResult,
    ExitPlanModeInput,
    ExitPlanModeResult,
)
from clew.tools.builtin.questions import (
    Annotation,
    AskUserQuestionInput,
    AskUserQuestionResult,
    Option,
    Question,
)
from clew.tools.builtin.reports import (
    ReportFindingsInput,
    ReportFindingsResult,
    ReviewFinding,
    StructuredOutputInput,
    StructuredOutputResult,
)
from clew.tools.builtin.schedule import (
    CronCreateInput,
    CronCreateResult,
    CronDeleteInput,
    CronDeleteResult,
    CronJob,
    CronListInput,
    CronListResult,
    ScheduleWakeupInput,
    ScheduleWakeupResult,
)
from clew.tools.builtin.tasks import (
    StatusChange,
    TaskCreateInput,
    TaskGetInput,
    TaskGetResult,
    TaskItem,
    TaskListInput,
    TaskListResult,
    TaskUpdateResult,
)
from clew.tools.builtin.todos import (
    Todo,
    TodoReadInput,
    TodoReadResult,
    TodoWriteInput,
    TodoWriteResult,
)
from clew.tools.builtin.worktree import (
    EnterWorktreeInput,
    EnterWorktreeResult,
    ExitWorktreeInput,
    ExitWorktreeResult,
)

TODO = {"content": "Sow", "status": "pending", "activeForm": "Sowing"}
ASKED = {"question": "Colour?", "header": "C", "options": [{"label": "Red"}], "multiSelect": True}
QUESTION = Question("Colour?", "C", (Option("Red"),), multi_select=True)
FINDING = {"file": "a.py", "line": 3, "summary": "Wrong", "failure_scenario": "0 → crash"}

INPUTS = [
    ("TodoWrite", {"todos": [TODO]}, TodoWriteInput((Todo("Sow", "pending", "Sowing"),))),
    ("TodoWrite", {"todos": "[]"}, TodoWriteInput("[]")),
    ("TodoRead", {}, TodoReadInput()),
    ("TaskCreate", {"subject": "Sow", "description": "d"}, TaskCreateInput("Sow", "d")),
    (
        "TaskUpdate",
        {"taskId": "2", "status": "completed", "addBlockedBy": ["1"]},
        TaskUpdateInput("2", "completed", add_blocked_by=("1",)),
    ),
    ("TaskList", {}, TaskListInput()),
    ("TaskGet", {"taskId": "2"}, TaskGetInput("2")),
    ("AskUserQuestion", {"questions": [ASKED]}, AskUserQuestionInput((QUESTION,))),
    ("AskUserQuestion", {"questions": "[]"}, AskUserQuestionInput("[]")),
    ("AskUserQuestion", {"question": "Why?"}, AskUserQuestionInput(question="Why?")),
    ("EnterPlanMode", {}, EnterPlanModeInput()),
    (
        "ExitPlanMode",
        {
            "plan": "# P",
            "launchSwarm": True,
            "teammateCount": 3,
            "allowedPrompts": [{"tool": "Bash", "prompt": "run tests"}],
        },
        ExitPlanModeInput(
            "# P",
            allowed_prompts=(AllowedPrompt("run tests", "Bash"),),
            launch_swarm=True,
            teammate_count=3,
        ),
    ),
    ("exit_plan_mode", {"plan": "# P"}, ExitPlanModeInput("# P")),
    ("CronCreate", {"cron": "* * * * *", "prompt": "p"}, CronCreateInput("* * * * *", "p")),
    ("CronList", {}, CronListInput()),
    ("CronDelete", {"id": "c1"}, CronDeleteInput("c1")),
    ("ScheduleWakeup", {"delaySeconds": 60, "prompt": "p"}, ScheduleWakeupInput(60, "p")),
    ("EnterWorktree", {"name": "side"}, EnterWorktreeInput("side")),
    ("ExitWorktree", {"action": "keep"}, ExitWorktreeInput("keep")),
    (
        "ReportFindings",
        {"findings": [FINDING], "level": "high"},
        ReportFindingsInput((ReviewFinding("Wrong", "a.py", 3, "", "0 → crash"),), "high"),
    ),
    ("StructuredOutput", {"count": 3}, StructuredOutputInput({"count": 3})),
]

RESULTS = [
    (
        "TodoWrite",
        {"oldTodos": [], "newTodos": [{**TODO, "id": "1", "priority": "high"}]},
        TodoWriteResult((Todo("Sow", "pending", "Sowing", "1", "high"),)),
    ),
    ("TodoRead", [TODO], TodoReadResult((Todo("Sow", "pending", "Sowing"),))),
    ("TaskCreate", {"task": {"id": "1", "subject": "Sow"}}, TaskCreateResult(TaskItem("1", "Sow"))),
    (
        "TaskUpdate",
        {
            "success": True,
            "taskId": "1",
            "updatedFields": ["status"],
            "statusChange": {"from": "pending", "to": "completed"},
        },
        TaskUpdateResult(
            success=True,
            task_id="1",
            updated_fields=("status",),
            status_change=StatusChange("pending", "completed"),
        ),
    ),
    (
        "TaskList",
        {"tasks": [{"id": "1", "subject": "Sow", "status": "pending", "blockedBy": ["2"]}]},
        TaskListResult((TaskItem("1", "Sow", "pending", blocked_by=("2",)),)),
    ),
    ("TaskGet", {"task": None}, TaskGetResult(None)),
    (
        "AskUserQuestion",
        {
            "questions": [ASKED],
            "answers": {"Colour?": "Red"},
            "annotations": {"Colour?": {"notes": "dark"}},
        },
        AskUserQuestionResult({"Colour?": "Red"}, (QUESTION,), {"Colour?": Annotation("dark")}),
    ),
    ("EnterPlanMode", {"message": "Entered"}, EnterPlanModeResult("Entered")),
    (
        "ExitPlanMode",
        {"plan": None, "isAgent": False, "filePath": "/p.md"},
        ExitPlanModeResult(is_agent=False, file_path="/p.md"),
    ),
    (
        "CronCreate",
        {"id": "c1", "humanSchedule": "Every minute", "recurring": True, "durable": False},
        CronCreateResult("c1", "Every minute", recurring=True, durable=False),
    ),
    ("CronList", {"jobs": [{"id": "c1", "cron": "*"}]}, CronListResult((CronJob("c1", "*"),))),
    ("CronDelete", {"id": "c1"}, CronDeleteResult("c1")),
    (
        "ScheduleWakeup",
        {"scheduledFor": 1700000000000, "clampedDelaySeconds": 60, "wasClamped": True},
        ScheduleWakeupResult(1700000000000, 60, was_clamped=True),
    ),
    (
        "EnterWorktree",
        {"worktreePath": "/w/side", "worktreeBranch": "side", "message": "m"},
        EnterWorktreeResult("/w/side", "side", "m"),
    ),
    (
        "ExitWorktree",
        {"action": "keep", "originalCwd": "/w", "worktreePath": "/w/side", "message": "m"},
        ExitWorktreeResult("keep", "/w", "/w/side", message="m"),
    ),
    (
        "ReportFindings",
        {"count": 1, "findings": [FINDING]},
        ReportFindingsResult((ReviewFinding("Wrong", "a.py", 3, "", "0 → crash"),), 1),
    ),
]

LEFT = (
    "Exited worktree. Your work is preserved at /w/side on branch b.1. Session is now back in /w."
)
ENTERED = "Created worktree at /w/side on branch b.1. Go on."
TEXTS = [
    (
        "TodoWrite",
        {"todos": [TODO]},
        "Todos have been modified successfully. Go on.",
        TodoWriteResult((Todo("Sow", "pending", "Sowing"),)),
    ),
    (
        "TaskCreate",
        {"subject": "Sow", "description": "d"},
        "Task #4 created successfully: Sow",
        TaskCreateResult(TaskItem("4", "Sow", description="d")),
    ),
    (
        "TaskUpdate",
        {"taskId": "4"},
        "Updated task #4 owner, status",
        TaskUpdateResult(success=True, task_id="4", updated_fields=("owner", "status")),
    ),
    (
        "TaskList",
        {},
        "#1 [in_progress] Sow\n#2 [pending] Reap [blocked by #1, #3]",
        TaskListResult(
            (
                TaskItem("1", "Sow", "in_progress"),
                TaskItem("2", "Reap", "pending", blocked_by=("1", "3")),
            )
        ),
    ),
    ("TaskList", {}, "No tasks found", TaskListResult(())),
    ("TaskGet", {"taskId": "9"}, "Task not found", TaskGetResult(None)),
    (
        "TaskGet",
        {"taskId": "1"},
        "Task #1: Sow\nStatus: pending\nDescription: In rows\nof 9\nBlocked by: #3\nBlocks: #2, #4",
        TaskGetResult(TaskItem("1", "Sow", "pending", "In rows\nof 9", "", ("2", "4"), ("3",))),
    ),
    (
        "AskUserQuestion",
        {"questions": [ASKED, {"question": "Size?"}, {"question": "Unasked?"}]},
        (
            'Your questions have been answered: "Colour?"="Red, "deep"" user notes: dark, '
            '"Size?"="Small". You can now continue.'
        ),
        AskUserQuestionResult(
            {"Colour?": 'Red, "deep"', "Size?": "Small"},
            (QUESTION, Question("Size?"), Question("Unasked?")),
        ),
    ),
    (
        "EnterPlanMode",
        {},
        "Entered plan mode. Explore.\n\nThen plan.",
        EnterPlanModeResult("Entered plan mode. Explore."),
    ),
    (
        "ExitPlanMode",
        {},
        (
            "User has approved your plan.\n\nYour plan has been saved to: /p.md\n\n"
            "## Approved Plan:\n# P\n"
        ),
        ExitPlanModeResult(is_agent=False, plan="# P\n", file_path="/p.md"),
    ),
    (
        "ExitPlanMode",
        {"plan": "# P"},
        "User has approved your plan. Go on.",
        ExitPlanModeResult(is_agent=False, plan="# P"),
    ),
    (
        "CronCreate",
        {"cron": "* * * * *", "prompt": "p"},
        "Scheduled recurring job c1 (Every minute). Session-only.",
        CronCreateResult("c1", "Every minute", recurring=True, durable=False),
    ),
    ("CronList", {}, "No scheduled jobs.", CronListResult(())),
    ("CronDelete", {"id": "c1"}, "Cancelled job c1.", CronDeleteResult("c1")),
    (
        "ScheduleWakeup",
        {"delaySeconds": 60},
        "Next wakeup scheduled for 13:09:00 (in 238s). Go on.",
        ScheduleWakeupResult(None, 238),
    ),
    (
        "ScheduleWakeup",
        {"stop": True},
        "Loop stopped — cancelled 1.",
        ScheduleWakeupResult(None, stopped=True),
    ),
    ("EnterWorktree", {}, ENTERED, EnterWorktreeResult("/w/side", "b.1", ENTERED)),
    (
        "ExitWorktree",
        {"action": "keep"},
        LEFT,
        ExitWorktreeResult("keep", "/w", "/w/side", "b.1", message=LEFT),
    ),
]


@pytest.mark.parametrize(("name", "value", "expected"), INPUTS)
def test_input_is_typed(name: str, value: Any, expected: object) -> None:
    assert decode_input(name, msgspec.json.encode(value)) == expected


@pytest.mark.parametrize(("name", "value", "expected"), RESULTS)
def test_result_is_typed(name: str, value: Any, expected: object) -> None:
    assert decode_result(name, msgspec.json.encode(value), "", None) == expected


@pytest.mark.parametrize(("name", "value", "text", "expected"), TEXTS)
def test_result_is_read_from_text(name: str, value: Any, text: str, expected: object) -> None:
    arguments = decode_input(name, msgspec.json.encode(value))

    assert decode_result(name, b"", text, arguments) == expected


def test_structured_output_is_confirmed_by_a_string() -> None:
    arguments = StructuredOutputInput({"count": 3})

    result = decode_result("StructuredOutput", b'"Structured output provided"', "", arguments)

    assert result == StructuredOutputResult("Structured output provided")
