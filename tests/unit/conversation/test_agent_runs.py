"""Agent runs hang on the calls that started them, by the strongest evidence there is."""

import pytest

from clew.conversation import Material, Transcript, TranscriptKind
from clew.entries import AgentMeta
from tests.build import SessionBuilder
from tests.unit.conversation.built import (
    answer,
    conversation_of,
    lines_of,
    only_run,
    prompt,
    result,
    transcript_of,
    use,
)
from tests.unit.conversation.runs import agent_file, looking, session_with, started

NESTED = "2.1.40"


def test_a_run_has_what_its_transcript_and_its_call_tell() -> None:
    conversation = conversation_of(looking())

    run = only_run(conversation)

    assert (run.kind, run.agent, run.description) == ("agent", "Explore", "Look around")
    assert (run.prompt, run.depth, run.parent_run_id) == ("List all files", 1, None)
    assert (run.status, run.link, run.has_transcript) == ("done", "meta", True)
    assert run.models == ("claude-opus-5-5",)
    assert run.started_at < run.ended_at
    assert run.tool_call_id == conversation.tool_calls[0].id
    assert conversation.tool_calls[0].started_run_id == run.id


def test_the_client_s_own_totals_are_kept_apart() -> None:
    run = only_run(conversation_of(looking()))

    assert run.reported is not None
    assert run.reported.tool_uses == 1
    assert run.reported.total_tokens != run.usage.output_tokens


@pytest.mark.parametrize(
    ("path", "worktree"), [("/home/dev/app/.worktrees/x", "/home/dev/app/.worktrees/x"), ("", None)]
)
def test_a_run_has_the_worktree_that_its_meta_file_names(path: str, worktree: str | None) -> None:
    metas = {"a1": AgentMeta(tool_use_id="c", worktree_path=path)}

    run = only_run(conversation_of(session_with(started(), agent_file(), metas=metas)))

    assert run.worktree_path == worktree


def test_messages_of_a_run_are_read_after_the_call_that_started_it() -> None:
    conversation = conversation_of(looking().assistant("So there is one file."))

    runs = [message.agent_run_id is not None for message in conversation.messages]

    assert runs == [False, False, True, True, True, True, False, False]


@pytest.mark.parametrize(
    ("version", "link"),
    [("1.0.128", "prompt"), ("2.0.76", "result"), (NESTED, "result"), ("2.1.100", "result")],
)
def test_older_clients_are_linked_by_what_they_write(version: str, link: str) -> None:
    run = only_run(conversation_of(looking(version)))

    assert (run.link, run.agent, run.status) == (link, "Explore", "done")


def test_the_meta_file_beats_all_other_evidence() -> None:
    rows = started(toolUseResult={"agentId": "a1"})
    rows += [answer("b", "r", [use("other", "Task", prompt="Something else")], 10)]

    material = session_with(rows, agent_file(), metas={"a1": AgentMeta(tool_use_id="other")})

    run = only_run(conversation_of(material))
    assert (run.link, run.tool_call_id) == ("meta", "other")


def test_the_result_beats_what_progress_and_prompt_say() -> None:
    rows = started(toolUseResult={"agentId": "a1"})
    rows += [answer("b", "r", [use("twin", "Task", prompt="List all files")], 1.5)]

    run = only_run(conversation_of(session_with(rows, agent_file())))

    assert (run.link, run.tool_call_id) == ("result", "c")


def test_progress_links_a_run_that_is_still_at_work() -> None:
    told = {"type": "agent_progress", "agentId": "a1", "message": {}}
    rows = started(text="Another prompt")[:2]
    rows += [{"type": "progress", "uuid": "g", "data": told, "parentToolUseID": "c"}]

    run = only_run(conversation_of(session_with(rows, agent_file())))

    assert (run.link, run.tool_call_id) == ("progress", "c")


def test_the_text_of_the_result_may_name_the_agent() -> None:
    rows = started()
    rows[2] = result("r", "a", "c", "done\nagentId: a1 (for resuming)", 9)

    run = only_run(conversation_of(session_with(rows, agent_file(text="reworded"))))

    assert (run.link, run.tool_call_id) == ("text", "c")


def test_an_equal_prompt_links_when_nothing_names_the_agent() -> None:
    run = only_run(conversation_of(session_with(started(), agent_file())))

    assert (run.link, run.tool_call_id) == ("prompt", "c")


def test_of_equal_prompts_the_call_made_last_before_the_run_is_taken() -> None:
    rows = started("c1")
    rows += [answer("b", "r", [use("c2", "Task", prompt="List all files")], 20)]
    runs = agent_file("a1", second=2), agent_file("a2", second=21)

    conversation = conversation_of(session_with(rows, *runs))

    links = {run.id: run.tool_call_id for run in conversation.agent_runs}
    assert links == {"a1": "c1", "a2": "c2"}


def test_two_runs_of_one_prompt_take_two_calls() -> None:
    arguments = {"prompt": "List all files", "description": "Look"}
    rows = [
        prompt("p", None, "go", 0),
        answer("a", "p", [use("c1", "Task", **arguments), use("c2", "Task", **arguments)], 1),
    ]

    conversation = conversation_of(session_with(rows, agent_file("a1"), agent_file("a2")))

    assert {run.tool_call_id for run in conversation.agent_runs} == {"c1", "c2"}


def test_an_equal_description_and_type_link_when_the_prompt_was_changed() -> None:
    metas = {"a1": AgentMeta(description="Look", agent_type="Explore")}

    run = only_run(conversation_of(session_with(started(), agent_file(text="x"), metas=metas)))

    assert (run.link, run.tool_call_id) == ("description", "c")


def test_a_notification_links_a_run_that_nothing_else_names() -> None:
    news = (
        "<task-notification><task-id>a1</task-id><tool-use-id>c</tool-use-id></task-notification>"
    )
    rows = [*started(), prompt("n", "r", news, 10)]

    run = only_run(conversation_of(session_with(rows, agent_file(text="x"))))

    assert (run.link, run.tool_call_id) == ("notification", "c")


def test_a_run_without_a_call_is_listed_where_it_began() -> None:
    rows = [
        prompt("p", None, "go", 0),
        answer("a", "p", "hm", 1),
        prompt("q", "a", "and now?", 10),
    ]

    conversation = conversation_of(session_with(rows, agent_file(text="x", second=2)))

    run = only_run(conversation)
    assert (run.tool_call_id, run.link) == (None, None)
    assert [m.id for m in conversation.messages] == ["p", "msg-a", "a1-p", "msg-a1-a", "q"]


def test_a_session_may_consist_of_an_agent_s_file_alone() -> None:
    conversation = conversation_of(Material("s", (agent_file(),)))

    assert conversation.threads == ()
    assert len(conversation.messages) == 2
    assert conversation.session.started_at == "2026-11-01T09:00:02.000Z"


def test_runs_are_nested_to_any_depth() -> None:
    def third(run: SessionBuilder) -> object:
        return run.assistant("deep report")

    def second(run: SessionBuilder) -> object:
        return run.agent("Three", "prompt three", third).assistant("middle report")

    def first(run: SessionBuilder) -> object:
        return run.agent("Two", "prompt two", second).assistant("report")

    conversation = conversation_of(SessionBuilder().user("go").agent("One", "prompt one", first))

    runs = sorted(conversation.agent_runs, key=lambda run: run.depth)
    assert [(run.description, run.depth) for run in runs] == [("One", 1), ("Two", 2), ("Three", 3)]
    assert [run.parent_run_id for run in runs] == [None, runs[0].id, runs[1].id]
    answers = [m.text for m in conversation.messages if m.kind == "answer" and m.text]
    assert answers == ["deep report", "middle report", "report"]


def test_nested_runs_of_older_clients_are_found_by_the_text_of_the_result() -> None:
    builder = SessionBuilder(version=NESTED).user("go")
    builder.agent("One", "one", lambda run: run.agent("Two", "two", lambda r: r.assistant("deep")))

    runs = sorted(conversation_of(builder).agent_runs, key=lambda run: run.depth)

    assert [(run.depth, run.link) for run in runs] == [(1, "result"), (2, "text")]


def test_a_run_is_never_hung_on_a_call_of_its_own() -> None:
    fields = {"isSidechain": True, "agentId": "a1"}
    content = lines_of(
        prompt("p", None, "do it", 0, **fields),
        answer("a", "p", [use("c", "Task", prompt="do it")], 1, **fields),
    )
    lone = transcript_of(content, "agent-a1", TranscriptKind.AGENT, "a1")

    conversation = conversation_of(Material("s", (lone,)))

    assert only_run(conversation).tool_call_id is None
    assert len(conversation.messages) == 2


def test_runs_that_seem_to_have_started_each_other_are_not_hung_in_a_circle() -> None:
    def file(own: str, call_id: str) -> Transcript:
        fields = {"isSidechain": True, "agentId": own}
        rows = [prompt(f"{own}-p", None, "x", 0, **fields)]
        rows += [answer(f"{own}-a", f"{own}-p", [use(call_id, "Task", prompt="y")], 1, **fields)]
        return transcript_of(lines_of(*rows), f"agent-{own}", TranscriptKind.AGENT, own)

    metas = {"a1": AgentMeta(tool_use_id="c2"), "a2": AgentMeta(tool_use_id="c1")}

    conversation = conversation_of(Material("s", (file("a1", "c1"), file("a2", "c2")), metas))

    assert sorted(run.depth for run in conversation.agent_runs) == [1, 2]
    assert len(conversation.messages) == 4
