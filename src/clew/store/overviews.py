"""What a list tells of each thing in the archive: one struct per list.

Fields stand in the order of the columns of the statement that finds them.
"""

import msgspec


class Tally(msgspec.Struct, frozen=True, kw_only=True):
    """Tokens of many model calls; `quality` is that of the worst.

    Cache writes of unknown length count as 5-minute ones.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_5m_tokens: int = 0
    cache_write_1h_tokens: int = 0
    web_searches: int = 0
    web_fetches: int = 0
    quality: str = "exact"
    cost_usd: float | None = 0.0


class SessionOverview(msgspec.Struct, frozen=True, kw_only=True):
    """One session; `path` is its transcript, which may be gone from the disk.

    On a team's server, `member` is whose it is.

    `description` is one line, and `outcome` what came of it: by its digest if that is current, else
    by facts. `digest_model` wrote its digest, if there is one; a stale one is of an earlier state.

    `is_starred`, `is_hidden`, `tags`, `note` and the number of `bookmarks` are the reader's own.

    Without a transcript only agent runs are left of it. Of `missing_runs` the transcripts are not
    there. What they cost is not counted, nor what it inherited from the session it goes on from.
    """

    id: str
    title: str
    title_source: str
    project: str
    cwd: str
    git_branch: str | None
    versions: tuple[str, ...]
    models: tuple[str, ...]
    started_at: str | None
    ended_at: str | None
    duration_ms: int
    active_ms: int
    first_prompt: str
    messages: int
    prompts: int
    answers: int
    tool_calls: int
    errors: int
    agent_runs: int
    compactions: int
    threads: int
    tools: tuple[str, ...]
    agents: tuple[str, ...]
    usage: Tally
    total_tokens: int
    cost_usd: float | None
    unpriced_models: tuple[str, ...]
    resumed_from: str | None
    forked_from: str | None
    continued_in: str | None
    teammate_of: str | None
    is_talk: bool
    has_transcript: bool
    missing_runs: int
    is_on_disk: bool
    size_bytes: int
    path: str
    description: str = ""
    outcome: str = "unclear"
    digest_model: str | None = None
    is_digest_stale: bool = False
    member: str | msgspec.UnsetType = msgspec.UNSET
    waiting_ms: int | None = None
    waiting_quality: str | None = None
    is_starred: bool = False
    is_hidden: bool = False
    tags: tuple[str, ...] = ()
    note: str = ""
    bookmarks: int = 0

    @property
    def is_listed(self) -> bool:
        """Whether lists have it: somebody said something, and the reader has not hidden it."""
        return self.is_talk and not self.is_hidden


class ProjectOverview(msgspec.Struct, frozen=True):
    """All work in one directory."""

    project: str
    name: str
    sessions: int
    prompts: int
    tool_calls: int
    agent_runs: int
    errors: int
    active_ms: int
    started_at: str | None
    ended_at: str | None
    total_tokens: int
    cost_usd: float | None
    unpriced_calls: int
    quality: str


class ToolCallOverview(msgspec.Struct, frozen=True):
    """One use of a tool; `label` is what it acts on."""

    id: str
    session_id: str
    project: str
    tool: str
    label: str
    status: str
    started_at: str | None
    duration_ms: int | None
    input_bytes: int
    result_bytes: int
    model: str | None
    agent: str | None
    agent_run_id: str | None
    turn: int | None
    permission_decision: str | None = None
    permission_source: str | None = None
    permission_scope: str | None = None
    permission_reason_type: str | None = None
    permission_reason_code: str | None = None
    permission_rule_source: str | None = None
    denial_kind: str | None = None
    decided_by: str | None = None
    answer: str | None = None
    waiting_ms: int | None = None
    waiting_quality: str | None = None


class AgentRunOverview(msgspec.Struct, frozen=True):
    """One execution of an agent; what is reported is the client's own count, not a sum of calls.

    A run with status `missing` has no transcript, so nothing else is known of it.
    """

    id: str
    session_id: str
    project: str
    agent: str
    description: str
    kind: str
    status: str
    depth: int
    started_at: str | None
    ended_at: str | None
    duration_ms: int | None
    messages: int
    tool_calls: int
    models: tuple[str, ...]
    total_tokens: int
    cost_usd: float | None
    unpriced_calls: int
    quality: str
    tool_call_id: str | None
    parent_run_id: str | None
    is_hidden: bool
    reported_tokens: int | None = None
    reported_tool_uses: int | None = None
    reported_duration_ms: int | None = None


class FileOverview(msgspec.Struct, frozen=True):
    """One file that tool calls read or changed.

    `lines_quality` is exact or lower_bound: of some changes nothing says how many lines they are.
    """

    path: str
    sessions: int
    reads: int
    changes: int
    lines_added: int
    lines_removed: int
    first_at: str | None
    last_at: str | None
    lines_quality: str = "exact"


class FoundFile(msgspec.Struct, frozen=True):
    """A file by its path, when it was last edited, if ever, and when it was last touched."""

    path: str
    edited_at: str | None
    last_at: str | None
    sessions: int


class FileUse(msgspec.Struct, frozen=True):
    """One session's work on one file."""

    session_id: str
    title: str
    project: str
    path: str
    reads: int
    changes: int
    lines_added: int
    lines_removed: int
    first_at: str | None
    last_at: str | None
    lines_quality: str = "exact"


class FileEdit(msgspec.Struct, frozen=True):
    """One tool call that changed one file."""

    session_id: str
    title: str
    tool_call_id: str
    at: str
    lines_added: int | None
    lines_removed: int | None
    tool: str | None
    lines_quality: str = "exact"


class ToolStats(msgspec.Struct, frozen=True):
    """How often a tool was called, failed and was denied, and how long it took."""

    tool: str
    calls: int
    errors: int
    denied: int
    total_ms: int
    longest_ms: int
    sessions: int
