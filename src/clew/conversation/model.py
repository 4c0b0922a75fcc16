"""Conversation: messages, tool calls, threads, turns, epochs and agent runs, as plain structs."""

from typing import Final

import msgspec

from clew.conversation.model_usage import ModelUsage
from clew.entries import (
    NULL,
    Content,
    CostState,
    HookProgress,
    IdeNotice,
    WaitingForTask,
)
from clew.problems import Problem

MISSING: Final = "missing"
"""The status of an agent run whose transcript is missing."""


class Location(msgspec.Struct, frozen=True, gc=False):
    """Where an entry is."""

    file: str
    line: int
    offset: int


class Block(msgspec.Struct, frozen=True, gc=False):
    """One piece of a message.

    `data` is a picture's or document's base64, or the JSON of a block of an unknown kind.
    """

    kind: str
    text: str = ""
    tool_call_id: str | None = None
    caller: str | None = None
    signature: str | None = None
    media_type: str | None = None
    size_bytes: int | None = None
    data: str | None = None


class CacheMiss(msgspec.Struct, frozen=True, gc=False):
    """Why the prompt cache did not help a model call, and how many tokens it cost."""

    reason: str
    missed_tokens: int | None = None


class Retry(msgspec.Struct, frozen=True, gc=False):
    """A failed try of a model call, before the one that went through or the last."""

    entry_id: str
    at: str = ""
    attempt: int | None = None
    max_retries: int | None = None
    wait_ms: float | None = None
    status: int | None = None
    text: str = ""


class Variant(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A row with the uuid of another one, which says something else.

    A call in it is a block of the kind `other` with its JSON: it has no result here. What the row
    used is not counted.
    """

    type: str
    message_id: str | None = None
    model: str | None = None
    at: str = ""
    text: str = ""
    blocks: tuple[Block, ...] = ()
    line: Location


class Message(msgspec.Struct, gc=False, kw_only=True):
    """What one party said at once: one user entry, or all fragments of one answer joined.

    `block_lines` are the indexes in `lines` of each block's line; empty, the first line has all.
    """

    id: str
    kind: str
    role: str
    subtype: str | None = None
    agent_run_id: str | None = None
    parent_id: str | None = None
    thread_ids: tuple[str, ...] = ()
    turn: int | None = None
    epoch: int = 0
    entry_ids: tuple[str, ...] = ()
    request_id: str | None = None
    model: str | None = None
    stop_reason: str | None = None
    started_at: str = ""
    ended_at: str = ""
    is_meta: bool = False
    is_sidechain: bool = False
    error: str | None = None
    usage: ModelUsage | None = None
    cache_miss: CacheMiss | None = None
    blocks: tuple[Block, ...] = ()
    lines: tuple[Location, ...] = ()
    block_lines: tuple[int, ...] = ()
    text: str = ""
    cwd: str | None = None
    git_branch: str | None = None
    version: str | None = None
    permission_mode: str | None = None
    thinking_metadata: msgspec.Struct | None = None
    todos: tuple[msgspec.Struct, ...] = ()
    plan: str | None = None
    source_tool_call_id: str | None = None
    is_transcript_only: bool = False
    is_deleted: bool = False
    is_aborted: bool = False
    pair_id: str | None = None
    level: str | None = None
    content: Content | msgspec.Struct | None = None
    notices: tuple[IdeNotice, ...] = ()
    retries: tuple[Retry, ...] = ()
    variants: tuple[Variant, ...] = ()


class Permission(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """Whether a call was allowed to run, and by whom, as the client recorded it."""

    decision: str = ""
    source: str = ""
    scope: str | None = None
    reason_type: str | None = None
    reason_code: str | None = None
    rule_source: str | None = None


class CallTimes(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """Times between a call and its result that rows of hooks and progress prove.

    Before `reached_at` the call waited for calls beside it; from `ran_from` to `ran_until` it ran.
    """

    reached_at: str | None = None
    ran_from: str | None = None
    ran_until: str | None = None


class ToolCall(msgspec.Struct, gc=False, kw_only=True):
    """A tool use joined with its result; `status` is decided in `outcome` alone.

    `error` are the words of a failure that the client marked as an error among its rows.
    `denial_kind` is the client's own word for a refusal. It often says `user-rejected` where no
    person was there: `permission` knows better.
    """

    id: str
    tool: str
    message_id: str
    agent_run_id: str | None = None
    status: str = "pending"
    input: msgspec.Raw = NULL
    result: msgspec.Raw = NULL
    result_text: str = ""
    result_blocks: tuple[Block, ...] = ()
    result_message_id: str | None = None
    started_at: str = ""
    ended_at: str | None = None
    duration_ms: int | None = None
    started_run_id: str | None = None
    background_id: str | None = None
    background_status: str | None = None
    follow_up_ids: tuple[str, ...] = ()
    notification_id: str | None = None
    progress_text: str = ""
    persisted_path: str | None = None
    permission: Permission | None = None
    denial_kind: str | None = None
    error: str | None = None
    times: CallTimes | None = None

    @property
    def is_error(self) -> bool:
        """Return whether the call counts as an error: a denied or interrupted one does not."""
        return self.status == "failed"


class Reported(msgspec.Struct, frozen=True, gc=False):
    """The client's own totals of an agent run: of its last request, not a sum."""

    total_tokens: int | None = None
    tool_uses: int | None = None
    duration_ms: float | None = None


class AgentRun(msgspec.Struct, gc=False, kw_only=True):
    """One execution of an agent, attached to the call that started it."""

    id: str
    agent: str = ""
    description: str = ""
    kind: str = "agent"
    tool_call_id: str | None = None
    parent_run_id: str | None = None
    link: str | None = None
    depth: int = 1
    status: str = ""
    prompt: str = ""
    models: tuple[str, ...] = ()
    usage: ModelUsage = ModelUsage()
    reported: Reported | None = None
    started_at: str = ""
    ended_at: str = ""
    name: str | None = None
    color: str | None = None
    workflow_id: str | None = None
    phase: str | None = None
    label: str | None = None
    worktree_path: str | None = None
    is_hidden: bool = False
    has_transcript: bool = True
    message_ids: tuple[str, ...] = ()


class Thread(msgspec.Struct, gc=False, kw_only=True):
    """One path along parent links, from a first message to a last one."""

    id: str
    is_main: bool = False
    message_ids: tuple[str, ...] = ()
    forked_at: str | None = None


class Turn(msgspec.Struct, gc=False, kw_only=True):
    """A prompt and all that follows it on its thread, up to the next prompt."""

    index: int
    prompt_id: str
    message_ids: tuple[str, ...] = ()
    started_at: str = ""
    ended_at: str = ""
    duration_ms: int | None = None
    usage: ModelUsage = ModelUsage()
    tool_call_count: int = 0


class Epoch(msgspec.Struct, gc=False, kw_only=True):
    """The part of a thread between two compactions.

    One that `is_restored` ends a compaction: the messages before it are whole again. Clients count
    tokens, the flat dialect messages.
    """

    index: int
    boundary_id: str | None = None
    trigger: str | None = None
    tokens_before: int | None = None
    tokens_after: int | None = None
    summary_id: str | None = None
    kept_messages: int | None = None
    total_messages: int | None = None
    compression_ratio: float | None = None
    is_restored: bool = False


class Duplicate(msgspec.Struct, frozen=True, gc=False):
    """An entry that says again what another one says."""

    id: str
    of: str
    file: str
    line: int
    offset: int

    @property
    def location(self) -> Location:
        """Where the entry is."""
        return Location(self.file, self.line, self.offset)


class ProgressNote(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A hook that ran, or a call that waits for a background task.

    It belongs to a call, else it follows a message; without either, it comes before all messages
    of its context.
    """

    id: str
    data: HookProgress | WaitingForTask
    place: Location
    agent_run_id: str | None = None
    tool_call_id: str | None = None
    message_id: str | None = None
    at: str = ""


class Lineage(msgspec.Struct, frozen=True, gc=False):
    """The sessions that a session continues, and those that continue it."""

    resumed_from: str | None = None
    forked_from: str | None = None
    continued_in: str | None = None
    teammate_of: str | None = None


class Session(msgspec.Struct, gc=False, kw_only=True):
    """What is known of a session as a whole; without a transcript, only its agent runs are left."""

    id: str
    title: str = ""
    title_source: str = ""
    project: str = ""
    cwd: str = ""
    git_branch: str | None = None
    versions: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    started_at: str = ""
    ended_at: str = ""
    duration_ms: int = 0
    active_ms: int = 0
    first_prompt: str = ""
    slug: str | None = None
    team: str | None = None
    agent_name: str | None = None
    entrypoint: str | None = None
    lineage: Lineage = Lineage()
    pr_urls: tuple[str, ...] = ()
    has_transcript: bool = True


class PullRequestLink(msgspec.Struct, frozen=True, gc=False):
    """A pull request that came out of a session, and when the client noticed it."""

    url: str
    number: int | None = None
    repository: str = ""
    at: str = ""


class Totals(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """Counts over a session and its runs; usage is summed once per model call."""

    usage: ModelUsage = ModelUsage()
    messages: int = 0
    prompts: int = 0
    answers: int = 0
    tool_calls: int = 0
    errors: int = 0
    thinking_blocks: int = 0
    agent_runs: int = 0


class Conversation(msgspec.Struct, gc=False, kw_only=True):
    """The graph of a session's entries, agent runs included. All that is shown comes from it.

    `account_ids` identify the user; they are here to be masked, and never shown.
    """

    session: Session
    messages: tuple[Message, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()
    agent_runs: tuple[AgentRun, ...] = ()
    threads: tuple[Thread, ...] = ()
    turns: tuple[Turn, ...] = ()
    epochs: tuple[Epoch, ...] = ()
    totals: Totals = Totals()
    duplicates: tuple[Duplicate, ...] = ()
    problems: tuple[Problem, ...] = ()
    cost_state: CostState | None = None
    account_ids: tuple[str, ...] = ()
    progress: tuple[ProgressNote, ...] = ()
    pull_requests: tuple[PullRequestLink, ...] = ()
