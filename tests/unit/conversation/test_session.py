"""What is known of a session as a whole."""

import pytest

from clew.conversation import Lineage, Session, Surroundings
from tests.build import SessionBuilder, Usage, bash
from tests.unit.conversation.built import (
    answer,
    conversation_of,
    conversation_of_rows,
    material_of,
    prompt,
)


def session_of(builder: SessionBuilder, **changes: object) -> Session:
    return conversation_of(material_of(builder, **changes)).session


def title_of(builder: SessionBuilder, **changes: object) -> tuple[str, str]:
    session = session_of(builder, **changes)
    return session.title, session.title_source


def test_the_title_is_the_one_the_person_gave() -> None:
    builder = SessionBuilder().user("hi").custom_title("Mine").ai_title("Generated")

    assert title_of(builder) == ("Mine", "custom")


def test_a_title_in_a_file_of_its_own_is_the_person_s_too() -> None:
    builder = SessionBuilder().user("hi").custom_title("Older")

    assert title_of(builder, custom_title="Newer") == ("Newer", "custom")


@pytest.mark.parametrize(
    ("builder", "title"),
    [
        (SessionBuilder().user("hi").ai_title("One").ai_title("Two"), ("Two", "generated")),
        (SessionBuilder().user("hi").custom_title("A").custom_title("B"), ("B", "custom")),
        (SessionBuilder().user("hi").ai_title("One").ai_title(""), ("One", "generated")),
    ],
)
def test_of_titles_that_are_written_again_the_last_counts(
    builder: SessionBuilder, title: tuple[str, str]
) -> None:
    assert title_of(builder) == title


def test_without_a_title_an_old_summary_names_the_session_it_points_at() -> None:
    builder = SessionBuilder(version="1.0.60").user("hi").assistant("hello").summary("Greeting")

    assert title_of(builder) == ("Greeting", "summary")


@pytest.mark.parametrize(
    "error",
    [
        "Invalid API key · Please run /login",
        "OAuth token revoked · Please run /login",
        "API Error: 529 Overloaded",
        "Credit balance is too low",
        "Prompt is too long",
        "Claude AI usage limit reached|1751234400",
    ],
)
def test_an_error_of_the_client_is_no_title(error: str) -> None:
    builder = SessionBuilder(version="1.0.30").user("fix the parser").summary(error)

    assert title_of(builder) == ("fix the parser", "first_prompt")


@pytest.mark.parametrize("title", ["API Error Handling", "OAuth token refresh", "Login page"])
def test_an_old_summary_may_be_about_errors(title: str) -> None:
    builder = SessionBuilder(version="1.0.30").user("fix the parser").summary(title)

    assert title_of(builder) == (title, "summary")


def test_an_old_summary_of_another_session_is_not_this_one_s_title() -> None:
    builder = SessionBuilder(version="1.0.60").summary("Elsewhere", leaf="other").user("hi")

    assert title_of(builder) == ("hi", "first_prompt")


def test_an_old_summary_may_stand_in_another_session_s_file() -> None:
    builder = SessionBuilder(version="1.0.60").user("hi").assistant("hello")
    around = Surroundings(titles={builder.rows[-1]["uuid"]: "Told elsewhere"})

    assert title_of(builder, surroundings=around) == ("Told elsewhere", "summary")


def test_of_several_old_summaries_the_one_of_the_latest_row_counts() -> None:
    builder = SessionBuilder(version="1.0.60").user("hi").summary("First").assistant("hello")

    assert title_of(builder.summary("Second")) == ("Second", "summary")


def test_else_the_first_prompt_names_a_session_on_one_line() -> None:
    builder = SessionBuilder().user("  Fix\nthe   parser ").assistant("ok").user("More")

    assert title_of(builder) == ("Fix the parser", "first_prompt")
    assert session_of(builder).first_prompt == "Fix\nthe   parser"


@pytest.mark.parametrize(
    ("prompt", "title"),
    [
        ("words " * 100, "words " * 19 + "words…"),
        ("It is done. " * 20, "It is done. " * 9 + "It is done…"),
        ("Fix " + "x" * 200, "Fix " + "x" * 115 + "…"),
    ],
)
def test_a_long_first_prompt_is_cut_at_a_word(prompt: str, title: str) -> None:
    assert title_of(SessionBuilder().user(prompt)) == (title, "first_prompt")


TRACE = 'Traceback (most recent call last):\n  File "a.py", line 2, in f\n    go()\nKeyError: 1'


@pytest.mark.parametrize(
    ("prompt", "title"),
    [
        (f"{TRACE}\n\nWhy does it fail?", "Why does it fail?"),
        (f"{TRACE}\nWhy does it fail?", "Why does it fail?"),
        ("```\na = 1\n\nb = 2\n```\nPlease make it faster.", "Please make it faster."),
        ("<log>\nline 1\nline 2\n</log>\n\nWhat happened here?", "What happened here?"),
        ("<log>line 1</log>\nWhat happened here?", "What happened here?"),
        ("$ make\n12:01:02 all failed\n\nCan you fix the build?", "Can you fix the build?"),
        ("! ls a.db\n  ⎿ a.db\n> what is inside the a.db", "what is inside the a.db"),
        ("[Image #1] [Image #2] Make it look so.", "Make it look so."),
        ("    at f (a.js:1:2)\n    at g (a.js:3:4)\n\nfix", "at f (a.js:1:2) at g (a.js:3:4) fix"),
        (TRACE, " ".join(TRACE.split())),
        ("Why?\n\n" + TRACE, " ".join(f"Why? {TRACE}".split())),
        ("<b>Make this bold text</b>", "<b>Make this bold text</b>"),
        ("```\nprint(1) is not closed\nnor is this", "``` print(1) is not closed nor is this"),
        ("[Image #1]", "[Image #1]"),
    ],
)
def test_a_title_begins_below_what_was_pasted(prompt: str, title: str) -> None:
    assert title_of(SessionBuilder().user(prompt)) == (title, "first_prompt")


def test_the_first_prompt_is_the_one_of_the_main_thread() -> None:
    builder = SessionBuilder().remember("start").user("given up").assistant("a")

    session = session_of(builder.rewind_to("start").user("kept").assistant("b"))

    assert session.first_prompt == "kept"


def test_a_session_without_prompts_is_named_after_its_command() -> None:
    builder = SessionBuilder().command("/review", "all", stdout="ok")

    assert title_of(builder) == ("/review all", "first_prompt")


def test_the_last_resort_is_the_slug() -> None:
    builder = SessionBuilder().slug("brave-blue-fox").assistant("hello")

    assert title_of(builder) == ("brave-blue-fox", "slug")


def test_a_session_of_bookkeeping_alone_has_no_title_and_no_messages() -> None:
    builder = SessionBuilder().snapshot().permission_mode("plan").marker("atis-latch", atis="")

    conversation = conversation_of(builder)

    assert (conversation.session.title, conversation.messages) == ("", ())


def test_the_project_is_where_the_session_began() -> None:
    builder = SessionBuilder(cwd="/home/me/work").user("hi").cwd("/else").assistant("hello")

    session = session_of(builder)

    assert (session.project, session.cwd) == ("/home/me/work", "/home/me/work")


@pytest.mark.parametrize(
    ("cwd", "project"),
    [
        ("/repo/.claude/worktrees/fix-bug", "/repo"),
        ("/repo/.claude/worktrees/fix-bug/src", "/repo"),
        ("C:\\code\\repo\\.claude\\worktrees\\fix", "C:\\code\\repo"),
        ("C:\\Users\\me\\work", "C:\\Users\\me\\work"),
        ("\\\\wsl.localhost\\Ubuntu\\home\\me", "\\\\wsl.localhost\\Ubuntu\\home\\me"),
        ("/home/me/プロジェクト", "/home/me/プロジェクト"),
    ],
)
def test_a_worktree_belongs_to_its_repository(cwd: str, project: str) -> None:
    assert session_of(SessionBuilder(cwd=cwd).user("hi")).project == project


def test_a_worktree_elsewhere_is_known_by_what_the_client_tells() -> None:
    state = {"originalCwd": "/repo", "worktreePath": "/trees/fix"}
    builder = SessionBuilder(cwd="/trees/fix").marker("worktree-state", worktreeSession=state)

    assert session_of(builder.user("hi")).project == "/repo"


def test_entering_a_worktree_later_does_not_change_the_project() -> None:
    state = {"originalCwd": "/repo", "worktreePath": "/repo/.claude/worktrees/x"}
    builder = SessionBuilder(cwd="/repo").user("hi").marker("worktree-state", worktreeSession=state)

    assert session_of(builder).project == "/repo"


def test_leaving_a_worktree_does_no_harm() -> None:
    builder = SessionBuilder(cwd="/repo").user("hi").marker("worktree-state", worktreeSession=None)

    assert session_of(builder).project == "/repo"


def test_a_session_whose_folder_moved_belongs_to_where_it_went() -> None:
    builder = SessionBuilder(cwd="/old").user("hi").marker("relocated", relocatedCwd="/new")

    assert session_of(builder).project == "/new"


def test_lineage_is_what_neighbours_and_rows_tell() -> None:
    around = Surroundings(forked_from="f", resumed_from="r", teammate_of="t")
    builder = SessionBuilder().user("hi").marker("continued-in", continuedInSessionId="c")

    assert session_of(builder, surroundings=around).lineage == Lineage("r", "f", "c", "t")


def test_a_marked_fork_says_itself_where_it_comes_from() -> None:
    origin = SessionBuilder("origin").user("hi").assistant("hello")

    lineage = session_of(origin.fork("fork", marked=True).user("on")).lineage

    assert lineage.forked_from == origin.session_id


def test_versions_models_and_branches_are_those_of_the_rows() -> None:
    builder = (
        SessionBuilder(version="2.1.150", branch="main").user("hi").model("one").assistant("a")
    )
    builder.version("2.1.325").branch("fix").model("two").assistant("b").assistant("c")

    session = session_of(builder)

    assert session.versions == ("2.1.150", "2.1.325")
    assert session.models == ("one", "two")
    assert session.git_branch == "fix"


def test_idle_time_is_no_active_time() -> None:
    builder = SessionBuilder().user("hi").wait(60).assistant("hello").wait(3600).user("back")

    session = session_of(builder)

    assert session.duration_ms == 3_662_000
    assert session.active_ms == 61_000


def test_pull_requests_are_listed_once() -> None:
    builder = SessionBuilder().user("hi")
    for url in ("https://example.org/1", "https://example.org/2", "https://example.org/1"):
        builder.marker("pr-link", prUrl=url)

    assert session_of(builder).pr_urls == ("https://example.org/1", "https://example.org/2")


def test_a_session_of_a_team_knows_its_team_and_its_name() -> None:
    builder = SessionBuilder().user("hi").change(teamName="crew", agentName="worker")

    session = session_of(builder)

    assert (session.team, session.agent_name) == ("crew", "worker")
    assert session_of(builder.marker("agent-name", agentName="renamed")).agent_name == "renamed"


def test_where_a_session_was_started_from_is_told() -> None:
    assert session_of(SessionBuilder(headless=True).user("hi")).entrypoint == "sdk-cli"


def test_the_client_s_own_totals_are_those_written_last() -> None:
    builder = SessionBuilder().user("hi").assistant("a", usage=Usage(output=3)).cost_state()

    conversation = conversation_of(builder.assistant("b", usage=Usage(output=4)).cost_state())

    assert conversation.cost_state is not None
    (counted,) = conversation.cost_state.model_usage.values()
    assert counted.output_tokens == conversation.totals.usage.output_tokens == 7


def test_totals_count_what_people_would_count() -> None:
    builder = SessionBuilder().user("go").tools(bash("ls", "a"), think="hm")
    builder.tool("Bash", {"command": "false"}, "Exit code 1", error=True).steer("hurry")
    builder.agent("Look", "Look around", lambda run: run.assistant("seen")).failure("Overloaded")

    totals = conversation_of(builder).totals

    assert (totals.prompts, totals.answers, totals.tool_calls) == (2, 4, 3)
    assert (totals.errors, totals.thinking_blocks, totals.agent_runs) == (2, 1, 1)


def test_meta_answers_are_not_counted() -> None:
    conversation = conversation_of_rows(
        prompt("p", None, "hi"), answer("a", "p", "a note", 1, isMeta=True)
    )

    assert conversation.totals.answers == 0


def test_problems_of_the_lines_are_carried_along() -> None:
    builder = SessionBuilder().user("hi").raw(b"not JSON").raw(b'{"type":"new-thing"}')

    kinds = [problem.kind for problem in conversation_of(builder).problems]

    assert kinds == ["broken", "unknown_type"]


@pytest.mark.parametrize(
    ("builder", "title"),
    [
        (SessionBuilder().user("hi").user("Fix it now"), ("Fix it now", "first_prompt")),
        (SessionBuilder().user("hi").user("ok"), ("hi", "first_prompt")),
        (SessionBuilder().user("yes").user("# Add a cache\n\nText"), ("Add a cache", "plan")),
        (SessionBuilder().user("# Add a cache").ai_title("Cache"), ("Cache", "generated")),
    ],
)
def test_a_title_is_taken_from_a_plan_or_a_prompt_that_says_something(
    builder: SessionBuilder, title: tuple[str, str]
) -> None:
    assert title_of(builder) == title


def test_the_first_prompt_is_the_first_one_whatever_it_says() -> None:
    assert session_of(SessionBuilder().user("hi").user("Fix it now")).first_prompt == "hi"
