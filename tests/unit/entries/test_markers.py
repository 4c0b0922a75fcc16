import pytest

from clew.entries import (
    AgentName,
    AiTitle,
    ContinuedIn,
    CostState,
    CustomTitle,
    FileHistorySnapshot,
    ForkContextRef,
    ImageBlock,
    JournalRow,
    LastPrompt,
    Marker,
    PermissionMode,
    PrLink,
    QueueOperation,
    Relocated,
    Summary,
    TextBlock,
    WorktreeState,
    unnamed,
)
from clew.entries.markers import MARKERS
from tests.unit.entries.format_lists import ROWS, fields_by_name
from tests.unit.entries.reading import body_of, entry_of, kinds, mended
from tests.unit.entries.samples import sample_record

LISTED = {name: fields for name, fields in fields_by_name(ROWS).items() if name in MARKERS}


@pytest.mark.parametrize(("name", "fields"), LISTED.items(), ids=LISTED)
def test_a_marker_with_all_its_fields_is_read_by_its_own_struct(
    name: str, fields: list[str]
) -> None:
    entry = entry_of({"type": name, **sample_record(MARKERS[name], fields)})

    assert type(entry.body) is MARKERS[name]
    assert entry.problems == ()
    assert unnamed(entry) == []


@pytest.mark.parametrize("name", sorted(MARKERS))
def test_a_marker_with_nothing_but_its_type_is_read(name: str) -> None:
    assert body_of({"type": name}, MARKERS[name]).type == name


@pytest.mark.parametrize("name", sorted(MARKERS))
def test_a_marker_whose_fields_are_all_of_another_type_is_kept(name: str) -> None:
    entry = entry_of({"type": name, **{field: [[]] for field in LISTED[name]}})

    assert isinstance(entry.body, Marker)
    assert set(kinds(entry)) <= {"wrong_shape"}


def test_titles_are_read() -> None:
    assert body_of({"type": "ai-title", "aiTitle": "Fix it"}, AiTitle).ai_title == "Fix it"
    assert body_of({"type": "custom-title", "customTitle": "Mine"}, CustomTitle).custom_title
    assert body_of({"type": "agent-name", "agentName": "lead"}, AgentName).agent_name == "lead"


def test_an_old_title_says_which_row_it_belongs_to() -> None:
    summary = body_of({"type": "summary", "summary": "Fix it", "leafUuid": "u1"}, Summary)

    assert (summary.summary, summary.leaf_uuid) == ("Fix it", "u1")


@pytest.mark.parametrize("operation", ["enqueue", "dequeue", "remove", "popAll", "append", None])
def test_a_queue_operation_is_read_whatever_it_does(operation: str | None) -> None:
    record = {"type": "queue-operation", "operation": operation, "timestamp": "2026-01-01"}

    assert body_of(record, QueueOperation).operation == operation


def test_a_queue_operation_carries_the_text_that_was_typed() -> None:
    record = {"type": "queue-operation", "operation": "enqueue", "content": "wait, use tabs"}

    assert body_of(record, QueueOperation).content == "wait, use tabs"


def test_a_queue_operation_carries_blocks() -> None:
    blocks = [{"type": "text", "text": "see"}, {"type": "image", "source": {"data": "aGk="}}]

    content = body_of({"type": "queue-operation", "content": blocks}, QueueOperation).content

    assert isinstance(content, list)
    assert [type(block) for block in content] == [TextBlock, ImageBlock]


def test_an_unknown_block_in_a_queue_operation_leaves_the_others() -> None:
    blocks = [{"type": "text", "text": "see"}, {"type": "hologram"}]

    marker, problems = mended({"type": "queue-operation", "content": blocks}, QueueOperation)

    assert isinstance(marker.content, list)
    assert marker.content[0] == TextBlock(text="see")
    assert problems == ["unknown_type: content.[] of type 'hologram'"]


def test_why_a_queued_prompt_was_removed_is_read() -> None:
    record = {
        "type": "queue-operation",
        "operation": "remove",
        "reason": "delivered",
        "commandUuid": "c1",
        "deliveryId": "d1",
    }

    marker = body_of(record, QueueOperation)

    assert (marker.reason, marker.command_uuid, marker.delivery_id) == ("delivered", "c1", "d1")


def test_a_snapshot_has_its_own_message_and_time() -> None:
    snapshot = {"messageId": "m2", "timestamp": "2026-01-01", "trackedFileBackups": {"a.py": {}}}
    record = {"type": "file-history-snapshot", "messageId": "m1", "snapshot": snapshot}

    marker = body_of({**record, "isSnapshotUpdate": True}, FileHistorySnapshot)

    assert marker.is_snapshot_update
    assert marker.snapshot is not None
    assert (marker.message_id, marker.snapshot.message_id) == ("m1", "m2")


def test_the_clients_own_cost_is_read_per_model() -> None:
    models = {"claude-x": {"inputTokens": 7, "costUSD": 0.25, "cacheReadInputTokens": 3}}

    state = body_of({"type": "cost-state", "totalCostUSD": 0.25, "modelUsage": models}, CostState)

    assert state.total_cost_usd == 0.25
    assert state.model_usage["claude-x"].input_tokens == 7
    assert state.model_usage["claude-x"].cost_usd == 0.25


def test_a_cost_that_is_no_number_takes_the_models_along_and_nothing_else() -> None:
    models = {"good": {"inputTokens": 7}, "bad": {"inputTokens": "many"}}

    state, problems = mended(
        {"type": "cost-state", "totalCostUSD": 1, "modelUsage": models}, CostState
    )

    assert (state.total_cost_usd, state.model_usage) == (1.0, {})
    assert problems == ["wrong_shape: modelUsage: Expected `int`, got `str`"]


def test_a_worktree_is_entered_and_left() -> None:
    inside = {"type": "worktree-state", "worktreeSession": {"worktreePath": "/w", "sessionId": "s"}}

    entered = body_of(inside, WorktreeState).worktree_session
    left = body_of({"type": "worktree-state", "worktreeSession": None}, WorktreeState)

    assert entered is not None
    assert entered.worktree_path == "/w"
    assert left.worktree_session is None


@pytest.mark.parametrize("kind", ["launched", "started", "result"])
def test_a_workflow_journal_is_read(kind: str) -> None:
    row = body_of({"type": kind, "key": "v2:ab", "agentId": "a1", "result": {"ok": 1}}, JournalRow)

    assert (row.type, row.key, row.agent_id) == (kind, "v2:ab", "a1")


def test_the_links_between_sessions_are_read() -> None:
    on = body_of({"type": "continued-in", "continuedInSessionId": "s2"}, ContinuedIn)
    fork = body_of(
        {"type": "fork-context-ref", "agentId": "a1", "parentLastUuid": "u9"}, ForkContextRef
    )

    assert on.continued_in_session_id == "s2"
    assert (fork.agent_id, fork.parent_last_uuid) == ("a1", "u9")


def test_what_a_session_set_from_here_on_is_read() -> None:
    mode = body_of({"type": "permission-mode", "permissionMode": "plan"}, PermissionMode)
    moved = body_of({"type": "relocated", "relocatedCwd": "/new"}, Relocated)
    last = body_of({"type": "last-prompt", "lastPrompt": "go", "leafUuid": None}, LastPrompt)
    link = body_of({"type": "pr-link", "prNumber": 7, "prUrl": "https://x/7"}, PrLink)

    assert (mode.permission_mode, moved.relocated_cwd) == ("plan", "/new")
    assert (last.last_prompt, last.leaf_uuid) == ("go", None)
    assert (link.pr_number, link.pr_url) == (7, "https://x/7")
