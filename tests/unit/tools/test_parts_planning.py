"""TodoWrite, TodoRead, Task*, AskUserQuestion, EnterPlanMode and ExitPlanMode, opened."""

from typing import Any

from clew.parts import (
    CheckItem,
    Checklist,
    Code,
    Fields,
    Fold,
    Listing,
    Note,
    Part,
    Prose,
    Words,
)
from tests.unit.tools.opened import opened

LOOK = {"content": "Look", "status": "completed"}
FIX = {"content": "Fix", "status": "in_progress", "activeForm": "Fixing"}
OPTIONS = [{"label": "Red", "description": "warm"}, {"label": "Blue, dark", "description": "cold"}]
QUESTION = {"question": "Which?", "header": "Colour", "options": OPTIONS}


def ask(answer: str, **question: Any) -> list[Part]:
    """Open a question with its answer."""
    asked = {**QUESTION, **question}
    return opened(
        "AskUserQuestion",
        {"questions": [asked]},
        {"questions": [asked], "answers": {"Which?": answer}},
    )


def test_todos_are_a_checklist_with_what_changed() -> None:
    old = [{**LOOK, "status": "in_progress"}, {"content": "Skip", "status": "pending"}]

    shown = opened("TodoWrite", {"todos": [LOOK, FIX]}, {"newTodos": [LOOK, FIX], "oldTodos": old})

    assert shown == [
        Checklist(
            (
                CheckItem("Look", "done", change="done"),
                CheckItem("Fix", "doing", "Fixing", "new"),
                CheckItem("Skip", "dropped", change="removed"),
            )
        )
    ]


def test_a_todo_with_an_id_may_change_its_words() -> None:
    new, old = [{**LOOK, "id": "1"}], [{**LOOK, "id": "1", "content": "See"}]

    shown = opened("TodoWrite", {"todos": new}, {"newTodos": new, "oldTodos": old})

    assert shown == [Checklist((CheckItem("Look", "done", change="reworded"),))]


def test_the_first_todos_have_nothing_to_change_against() -> None:
    shown = opened("TodoWrite", {"todos": [LOOK]}, {"newTodos": [LOOK], "oldTodos": []})

    assert shown == [Checklist((CheckItem("Look", "done"),))]


def test_todos_that_were_read_are_a_checklist() -> None:
    shown = opened("TodoRead", {}, [{**LOOK, "id": "1", "priority": "high"}])

    assert shown == [Checklist((CheckItem("Look", "done", "high"),))]


def test_a_new_task_is_shown_with_its_number() -> None:
    asked = {"subject": "Fix it", "description": "All of **it**.", "activeForm": "Fixing"}

    shown = opened("TaskCreate", asked, {"task": {"id": "3", "subject": "Fix it"}})

    assert shown == [
        Checklist((CheckItem("Fix it", "open", "#3", "new"),)),
        Prose("All of **it**."),
        Fields((("activeForm", "Fixing"),)),
    ]


def test_a_changed_task_tells_what_changed() -> None:
    change = {"from": "pending", "to": "in_progress"}
    result = {"success": True, "taskId": "3", "updatedFields": ["status"], "statusChange": change}

    shown = opened("TaskUpdate", {"taskId": "3", "status": "in_progress", "owner": "ann"}, result)

    item = CheckItem("task #3", "doing", change="started")
    assert shown == [Checklist((item,)), Note("Updated: status")]


def test_tasks_are_a_checklist() -> None:
    tasks = [{"id": "1", "subject": "A", "status": "pending", "owner": "ann", "blockedBy": ["2"]}]

    shown = opened("TaskList", {}, {"tasks": tasks})

    assert shown == [Checklist((CheckItem("A", "open", "#1 · ann · blocked by #2"),))]
    assert opened("TaskList", {}, {"tasks": []}) == [Note("No tasks found")]


def test_a_task_is_shown_with_its_description() -> None:
    task = {"id": "1", "subject": "A", "status": "completed", "description": "So."}

    shown = opened("TaskGet", {"taskId": "1"}, {"task": task})

    assert shown[1:] == [Checklist((CheckItem("A", "done", "#1"),)), Prose("So.")]


def test_a_question_shows_its_options_and_the_chosen_one() -> None:
    items = (CheckItem("Red", "done", "warm"), CheckItem("Blue, dark", "open", "cold"))

    assert ask("Red") == [Note("Colour"), Prose("Which?"), Checklist(items)]


def test_several_options_may_be_chosen_even_with_a_comma_in_their_names() -> None:
    *_, last = ask("Red, Blue, dark", multiSelect=True)

    assert isinstance(last, Checklist)
    assert [item.state for item in last.items] == ["done", "done"]


def test_an_answer_in_other_words_stands_below_the_options() -> None:
    *_, last = ask("Green, please")

    assert isinstance(last, Checklist)
    assert last.items[-1] == CheckItem("Green, please", "done", "own answer")


def test_what_a_person_adds_to_an_answer_is_shown() -> None:
    asked = {**QUESTION, "options": [{"label": "Red", "preview": "###"}]}
    result = {
        "answers": {"Which?": "Red", "Other?": "Yes"},
        "annotations": {"Which?": {"notes": "but light"}},
        "response": "Go on",
    }

    shown = opened("AskUserQuestion", {"questions": [asked]}, result)

    assert shown[2:] == [
        Checklist((CheckItem("Red", "done"),)),
        Fold("Preview: Red", (Code("###"),)),
        Words("but light"),
        Prose("Other?"),
        Checklist((CheckItem("Yes", "done"),)),
        Words("Go on"),
    ]


def test_an_approved_plan_is_prose_with_the_approval() -> None:
    asked = {"plan": "# Plan", "allowedPrompts": [{"tool": "Bash", "prompt": "run tests"}]}

    shown = opened("ExitPlanMode", asked, {"plan": "# Plan", "isAgent": False})

    assert shown == [Prose("# Plan"), Listing(("Bash: run tests",)), Note("Approved", "good")]


def test_a_plan_that_the_user_edited_keeps_the_one_that_was_proposed() -> None:
    result = {"plan": "# New", "isAgent": False, "planWasEdited": True, "filePath": "/p.md"}

    shown = opened("ExitPlanMode", {"plan": "# Old"}, result)

    assert shown == [
        Prose("# New"),
        Fold("Proposed plan", (Prose("# Old"),)),
        Note("Approved, edited by the user", "good"),
        Fields((("Plan", "/p.md"),)),
    ]


def test_a_rejected_plan_was_denied_by_the_user() -> None:
    text = "The user doesn't want to proceed with this tool use. the user said: shorter"

    shown = opened("ExitPlanMode", {"plan": "# Plan"}, text=text, status="denied")

    assert shown == [Prose("# Plan"), Note("Denied by the user", "warn")]


def test_plan_mode_says_that_it_began() -> None:
    shown = opened("EnterPlanMode", {}, text="Entered plan mode. Look first.\n1. Think")

    assert shown == [Words("Entered plan mode. Look first.")]
