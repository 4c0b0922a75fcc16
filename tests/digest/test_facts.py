"""What is known of a session without asking anybody."""

import pytest

from clew.digest import DigestFacts, ListedTask, gather_facts
from tests.build import Call, SessionBuilder, bash, edit, read, write
from tests.unit.conversation.built import conversation_of

COMMITTED = "[main 1a2b3c4] Add the parser\n 1 file changed, 2 insertions(+)"


def facts_of(builder: SessionBuilder) -> DigestFacts:
    return gather_facts(conversation_of(builder))


def test_the_first_prompt_is_quoted_by_its_first_whole_sentence() -> None:
    builder = (
        SessionBuilder().user("hi").user("Hm. Please fix the **old** parser now. And test it.")
    )

    prompt = facts_of(builder).first_prompt

    assert prompt is not None
    assert prompt.quote == "Please fix the old parser now."
    assert prompt.speaker == "user"
    (name,) = prompt.message_ids
    assert name == conversation_of(builder).messages[-1].id


def test_a_short_prompt_has_no_quote() -> None:
    prompt = facts_of(SessionBuilder().user("fix lint errors")).first_prompt

    assert prompt is not None
    assert (prompt.text, prompt.quote) == ("fix lint errors", "")


def test_the_last_answer_is_quoted_without_headings_code_and_tables() -> None:
    answer = (
        "## What was done in this long session\n\n| file | what was done to it |\n|---|---|\n\n"
        "```\nprint('this is not a sentence at all')\n```\n\nThe parser now reads all of it. Bye."
    )
    builder = SessionBuilder().user("Fix it").assistant("No.").user("Go").assistant(answer)

    quotes = [claim.quote for claim in facts_of(builder).last_answer]

    assert quotes == ["The parser now reads all of it."]


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (
            "All green. Both handlers go through one function now. And a third sentence is here.",
            ["Both handlers go through one function now.", "And a third sentence is here."],
        ),
        (
            "All threads resolved. What was done:\n\n- Left the guard as it was before.",
            ["All threads resolved.", "… Left the guard as it was before."],
        ),
        ("Lint errors fixed.", ["Lint errors fixed."]),
        ("Done.\n\nThe parser now reads all of it.", ["The parser now reads all of it."]),
        ("PR created: https://example.org/pull/7", ["PR created: https://example.org/pull/7"]),
        ("| a | b |\n|---|---|\n\n```\ncode\n```", []),
    ],
)
def test_the_last_answer_is_told_by_its_first_sentences(answer: str, told: list[str]) -> None:
    facts = facts_of(SessionBuilder().user("Fix it").assistant(answer))

    assert [claim.text for claim in facts.last_answer] == told
    assert all(len(claim.quote.split()) >= 5 for claim in facts.last_answer if claim.quote)


def test_changed_files_are_summed_up_also_over_agent_runs() -> None:
    builder = (
        SessionBuilder()
        .user("Fix it")
        .tools(read("/app/read.py", "text"))
        .tools(write("/app/a.py", "one\ntwo\n"), edit("/app/b.py", "x\n", "x", "y"))
        .agent("Help", "Help me", lambda run: run.tools(edit("/app/a.py", "one\n", "one", "1")))
    )

    files = facts_of(builder).files

    assert [(file.path, file.added, file.removed) for file in files] == [
        ("/app/a.py", 3, 1),
        ("/app/b.py", 1, 1),
    ]


@pytest.mark.parametrize(
    ("command", "output", "found"),
    [
        ("git commit -m x", COMMITTED, [("1a2b3c4", "main", "Add the parser")]),
        (
            "git add . && git -C . commit -qm x; git log",
            "[main 1a2b3c4] A",
            [("1a2b3c4", "main", "A")],
        ),
        ("git commit --amend", "[fix/a 1a2b3c4d] B\n Date: now", [("1a2b3c4d", "fix/a", "B")]),
        ("git commit -m x", "[main (root-commit) 1a2b3c4] C", [("1a2b3c4", "main", "C")]),
        ("git commit -m x", "[detached HEAD 1a2b3c4] D", [("1a2b3c4", "detached HEAD", "D")]),
        (
            "git add a.py && GIT_EDITOR=true git rebase --continue",
            "[detached HEAD 1a2b3c4] E\nSuccessfully rebased",
            [("1a2b3c4", "detached HEAD", "E")],
        ),
        ("cat log", COMMITTED, []),
        ("git commit -m x", "nothing to commit, working tree clean", []),
    ],
)
def test_commits_are_those_that_git_reported(
    command: str, output: str, found: list[tuple[str, str, str]]
) -> None:
    commits = facts_of(SessionBuilder().user("Commit").tools(bash(command, output))).commits

    assert [(commit.hash, commit.branch, commit.subject) for commit in commits] == found


def test_a_failed_call_reports_only_the_commits_that_git_printed() -> None:
    hook = "Exit code 1\nruff.....Failed"
    pushed = f"Exit code 1\n{COMMITTED}\n! [rejected] main -> main (fetch first)"
    calls = [
        Call("Bash", {"command": command}, output, error=True)
        for command, output in (("git commit -m x", hook), ("git commit -m x && git push", pushed))
    ]

    commits = facts_of(SessionBuilder().user("Commit").tools(*calls)).commits

    assert [(commit.hash, commit.subject) for commit in commits] == [("1a2b3c4", "Add the parser")]


def test_a_change_is_lacking_if_the_last_one_of_its_file_was_not_made() -> None:
    made = edit("/app/a.py", "old\n", "old", "new")
    refused = Call("Write", {"file_path": "/app/a.py", "content": "x"}, denied=True)
    missed = Call(
        "Edit",
        {"file_path": "/app/b.py", "old_string": "a", "new_string": "b"},
        "<tool_use_error>String to replace not found in file.</tool_use_error>",
        error=True,
    )

    found = [
        facts_of(SessionBuilder().user("Change it").tools(*calls)).lacks_change
        for calls in [(), (made,), (refused,), (made, missed), (refused, made), (made, refused)]
    ]

    assert found == [False, False, True, True, False, True]


def test_test_runs_are_in_order_and_denied_ones_are_none() -> None:
    failed = Call("Bash", {"command": "pytest -q"}, "Exit code 1\n1 failed in 0.1s", error=True)
    denied = Call("Bash", {"command": "pytest -x"}, "The user doesn't want to", denied=True)
    builder = (
        SessionBuilder()
        .user("Test")
        .tools(failed)
        .tools(bash("pytest -q | tail -1", "3 passed in 0.2s"))
        .tools(denied)
    )

    tests = facts_of(builder).tests

    assert [(test.command, test.has_passed, test.result) for test in tests] == [
        ("pytest -q", False, "1 failed in 0.1s"),
        ("pytest -q", True, "3 passed in 0.2s"),
    ]


def test_the_last_to_do_list_counts() -> None:
    def todos(*states: str) -> Call:
        items = [{"content": f"Step {n}", "status": state} for n, state in enumerate(states)]
        return Call("TodoWrite", {"todos": items}, "Todos have been modified successfully")

    builder = SessionBuilder().user("Do it").tools(todos("pending"))
    builder.tools(todos("completed", "in_progress"))

    facts = facts_of(builder)

    assert facts.todos == (ListedTask("Step 0", "completed"), ListedTask("Step 1", "in_progress"))


def test_tasks_are_created_changed_and_deleted_one_by_one() -> None:
    def create(number: int, subject: str) -> Call:
        result = {"task": {"id": str(number), "subject": subject}}
        return Call("TaskCreate", {"subject": subject}, "created", result)

    def update(number: int, status: str) -> Call:
        result = {"success": True, "taskId": str(number), "updatedFields": ["status"]}
        return Call("TaskUpdate", {"taskId": str(number), "status": status}, "updated", result)

    builder = SessionBuilder().user("Do it")
    builder.tools(create(1, "One"), create(2, "Two"), create(3, "Three"))
    builder.tools(update(1, "completed"), update(3, "deleted"))

    assert facts_of(builder).todos == (ListedTask("One", "completed"), ListedTask("Two", "pending"))


def test_how_a_session_ended() -> None:
    begun = SessionBuilder().user("Fix it")
    answered = facts_of(SessionBuilder().user("Fix it").assistant("It is done."))
    stopped = facts_of(SessionBuilder().user("Fix it").assistant("I will").interrupt())
    failed = facts_of(SessionBuilder().user("Fix it").failure("Rate limit reached"))
    waiting = facts_of(begun)

    assert [facts.has_final_answer for facts in (answered, stopped, failed, waiting)] == [
        True,
        False,
        False,
        False,
    ]
    assert (stopped.is_interrupted, answered.is_interrupted) == (True, False)
    assert (failed.has_final_error, answered.has_final_error) == (True, False)


def test_an_interruption_that_was_followed_by_an_answer_is_over() -> None:
    builder = SessionBuilder().user("Fix it").interrupt().user("Go on").assistant("It is done.")

    assert not facts_of(builder).is_interrupted


def test_a_local_command_after_an_answer_or_an_interruption_changes_nothing() -> None:
    def begun() -> SessionBuilder:
        return SessionBuilder().user("Please fix the old parser now")

    left = facts_of(begun().assistant("It is done.").command("/exit", stdout="Bye!"))
    looked = facts_of(begun().assistant("It is done.").bash("ls", stdout="a.py"))
    stopped = facts_of(begun().assistant("I will").interrupt().command("/exit", stdout="Bye!"))

    assert left.has_final_answer
    assert looked.has_final_answer
    assert (stopped.is_interrupted, stopped.has_final_answer) == (True, False)


def test_a_command_with_a_prompt_is_one() -> None:
    builder = SessionBuilder().user("Please fix the old parser now").assistant("It is done.")
    before = facts_of(builder)

    after = facts_of(builder.prompt_command("/review", body="Review what was changed."))

    assert before.has_final_answer
    assert not after.has_final_answer
    assert after.prompted_at > before.prompted_at
