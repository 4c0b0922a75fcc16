"""Page: what is shown of a session, as plain structs that every format renders.

A page is a frame (facts, outline, map) and sections. A section is one turn, or a part of a long
one, so that a page of ten thousand messages can be made and sent in pieces.
Anchors are ids of the conversation: a message's, a tool call's, a run's.
"""

from typing import Final, Literal, TypeAlias

import msgspec

from clew.analytics import CompactionLoss
from clew.digest import SessionDigest
from clew.parts import Part, Tone

PAGE_SCHEMA: Final = "clew.page/1"


class UsageView(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """Tokens and their cost: of one model call, a turn, a run or a session.

    `given_tokens` are all that the model read, `cached_tokens` those among them that came from
    the cache. The cost is in nano-dollars, None where nothing of it has a price; `quality` is its
    own, which an unknown price makes a lower bound. With `is_lower_bound` more tokens were written.
    """

    given_tokens: int = 0
    cached_tokens: int = 0
    written_tokens: int = 0
    cost_nano_usd: int | None = None
    is_lower_bound: bool = False
    has_unpriced: bool = False
    quality: str = "exact"


class SourceLine(msgspec.Struct, frozen=True, gc=False):
    """A line of a transcript that something on the page comes from."""

    file: str
    line: int
    offset: int


class Thinking(msgspec.Struct, frozen=True, gc=False, tag="thinking", tag_field="part"):
    """Thinking of a model; without text where the transcript has only a signature."""

    text: str = ""


class RunView(msgspec.Struct, frozen=True, gc=False, kw_only=True, tag="run", tag_field="item"):
    """An agent run, shown at its call or in the order of messages.

    `items` is empty for a run that is shown elsewhere (`is_linked`): one nested too deep, or one
    that another call has shown already.
    """

    id: str
    agent: str
    title: str
    kind: str
    status: str = ""
    tone: Tone = ""
    depth: int = 1
    phase: str = ""
    models: tuple[str, ...] = ()
    started_at: str = ""
    duration_ms: int | None = None
    calls: int = 0
    errors: int = 0
    messages: int = 0
    spent: UsageView = UsageView()
    color: str = ""
    is_hidden: bool = False
    is_linked: bool = False
    has_transcript: bool = True
    items: tuple["Item", ...] = ()


class CallView(msgspec.Struct, frozen=True, gc=False, kw_only=True, tag="call", tag_field="part"):
    """A tool call: one line, and the parts that show when it is opened.

    `state` is what the right end of the line says of how it went (`exit 1`, `denied`),
    empty where all went well. `reply` is what a person said to it. `added` and `removed` are
    lines of a file, at least so many where `is_lower_bound`. `decided_by` and `answer` are who let
    it run or refused it, and how, where that is recorded. Where it waited for a person,
    `waiting_ms` is how long, `waiting_quality` how certain that is (`measured`, `at_most`,
    `inferred`), and `took_ms` the rest.
    """

    id: str
    tool: str
    verb: str
    label: str
    status: str
    state: str = ""
    tone: Tone = ""
    is_error: bool = False
    added: int | None = None
    removed: int | None = None
    size_bytes: int = 0
    started_at: str = ""
    duration_ms: int | None = None
    reply: str = ""
    parts: tuple[Part, ...] = ()
    runs: tuple[RunView, ...] = ()
    is_lower_bound: bool = False
    decided_by: str = ""
    answer: str = ""
    waiting_ms: int | None = None
    waiting_quality: str = ""
    took_ms: int | None = None


class Parallel(msgspec.Struct, frozen=True, gc=False, tag="parallel", tag_field="part"):
    """Calls that one answer made in parallel."""

    calls: tuple[CallView, ...]


BodyPart: TypeAlias = Part | Thinking | CallView | Parallel


class MessageView(
    msgspec.Struct, frozen=True, gc=False, kw_only=True, tag="message", tag_field="item"
):
    """A message.

    `classes` are its kind and, where they apply, `error`, `system-<level>` and `agent-run`.
    `level` is the lowest detail that shows it (0 outline to 4 everything). `who` is how its
    author is called (`You`, `Opus 5.5`, a teammate's name), `title` the rest of its first line (the
    name of a command or hook, the kind of an attachment). `state` is set where something is wrong:
    `not delivered`, `cut short: max_tokens`. `cache_miss` is why the prompt cache did not help, at
    detail everything. `sent_id` is the message that was sent instead of withdrawn text. `outcome`
    are the messages that belong to it, such as the output of a slash command.
    """

    id: str
    kind: str
    subtype: str = ""
    classes: tuple[str, ...] = ()
    level: int = 0
    who: str = ""
    title: str = ""
    state: str = ""
    tone: Tone = ""
    color: str = ""
    turn: int | None = None
    epoch: int = 0
    started_at: str = ""
    ended_at: str = ""
    model: str = ""
    spent: UsageView | None = None
    cache_miss: str = ""
    retries: tuple[str, ...] = ()
    body: tuple[BodyPart, ...] = ()
    outcome: tuple["MessageView", ...] = ()
    sources: tuple[SourceLine, ...] = ()
    sent_id: str = ""


class CompactionView(
    msgspec.Struct, frozen=True, gc=False, kw_only=True, tag="compaction", tag_field="item"
):
    """A compaction: earlier messages were replaced by `summary`, or restored.

    `loss` is what the summary leaves out, and what was read again.
    """

    id: str
    epoch: int
    trigger: str = ""
    at: str = ""
    tokens_before: int | None = None
    tokens_after: int | None = None
    summary_id: str = ""
    summary: tuple[Part, ...] = ()
    kept_messages: int | None = None
    total_messages: int | None = None
    compression_ratio: float | None = None
    is_restored: bool = False
    loss: CompactionLoss | None = None


class GapView(msgspec.Struct, frozen=True, gc=False, kw_only=True, tag="gap", tag_field="item"):
    """Something is missing here, or cannot be read; `text` says what."""

    id: str
    text: str
    tone: Tone = "warn"
    level: int = 3
    source: SourceLine | None = None


class BranchView(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """One way on from a fork; the main one has no items: the page goes on with it."""

    id: str
    title: str
    started_at: str = ""
    messages: int = 0
    is_main: bool = False
    items: tuple["Item", ...] = ()


class ForkView(msgspec.Struct, frozen=True, gc=False, kw_only=True, tag="fork", tag_field="item"):
    """The conversation went several ways from here; or, as `beginning`, starts again."""

    id: str
    kind: Literal["fork", "beginning"] = "fork"
    branches: tuple[BranchView, ...] = ()


Item: TypeAlias = MessageView | CompactionView | ForkView | GapView | RunView


class TurnView(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A turn in the outline and in the rule above it; index 0 is what precedes all prompts.

    `section` is the index of the section in which it begins. `branch_id` is the branch that the
    turn is on, empty on the main thread.
    """

    index: int
    id: str
    title: str
    kind: str = "prompt"
    section: int = 0
    started_at: str = ""
    duration_ms: int | None = None
    calls: int = 0
    edits: int = 0
    errors: int = 0
    runs: int = 0
    compactions: int = 0
    spent: UsageView = UsageView()
    branch_id: str = ""


class Mark(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """One mark of the map: a message of the page in its order, or a compaction.

    `fullness` is how full the context was at its request, in percent; 0 if that is not known.
    """

    id: str
    kind: str
    tone: Tone = ""
    level: int = 0
    section: int = 0
    weight: int = 1
    fullness: int = 0


class Header(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """The facts of a session, or of one agent run, whose name is then `agent`.

    `models` are their names for people. `tools` are names with how often each was called, `files`
    the paths that were changed with lines added and removed, most changed first. `resume` is the
    command that goes on with it, `notice` what a reader must know of it first. `parent_run_id` is
    the run that started this run, if one did. `digest` is a short account of a session.
    `waiting_ms` is how long calls waited for a person. `note` is what the reader added.
    """

    id: str
    title: str
    title_source: str = ""
    project: str = ""
    cwd: str = ""
    git_branch: str = ""
    models: tuple[str, ...] = ()
    versions: tuple[str, ...] = ()
    entrypoint: str = ""
    started_at: str = ""
    ended_at: str = ""
    duration_ms: int = 0
    active_ms: int = 0
    waiting_ms: int = 0
    waiting_quality: str = ""
    prompts: int = 0
    answers: int = 0
    messages: int = 0
    calls: int = 0
    errors: int = 0
    agent_runs: int = 0
    compactions: int = 0
    spent: UsageView = UsageView()
    unpriced_models: tuple[str, ...] = ()
    tools: tuple[tuple[str, int], ...] = ()
    files: tuple["ChangedFile", ...] = ()
    lineage: tuple[tuple[str, str], ...] = ()
    pr_urls: tuple[str, ...] = ()
    first_prompt: str = ""
    resume: str = ""
    agent: str = ""
    parent_run_id: str = ""
    notice: str = ""
    digest: SessionDigest | None = None
    note: "NoteView | None" = None


class BookmarkView(msgspec.Struct, frozen=True, gc=False):
    """A message that the reader bookmarked: why, how it begins, and when it was written."""

    message_id: str
    comment: str = ""
    title: str = ""
    at: str = ""
    is_there: bool = True


class NoteView(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """What the reader added to a session."""

    is_starred: bool = False
    is_hidden: bool = False
    title: str = ""
    tags: tuple[str, ...] = ()
    text: str = ""
    bookmarks: tuple[BookmarkView, ...] = ()


class ChangedFile(msgspec.Struct, frozen=True, gc=False):
    """A file that was changed: its path from the working directory, and how many lines changed.

    `full_path` is its path as the call has it, and `call_id` the first call that changed it.
    """

    path: str
    added: int = 0
    removed: int = 0
    changes: int = 0
    is_lower_bound: bool = False
    full_path: str = ""
    call_id: str = ""


class SectionInfo(msgspec.Struct, frozen=True, gc=False):
    """A section without its items: its turn, whether it begins it, how many messages it has."""

    index: int
    turn: int
    is_first: bool
    messages: int


class ProblemNote(msgspec.Struct, frozen=True, gc=False):
    """A problem in the data, as `clew check` reports it."""

    severity: str
    kind: str
    text: str
    source: SourceLine


class KindCount(msgspec.Struct, frozen=True, gc=False):
    """How many things of a kind the page shows at each detail, from outline to everything."""

    kind: str
    shown: tuple[int, ...]


class FrameView(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """All of a page but its messages.

    `kinds` counts messages by kind, `contents` what is in them and `tools` calls by tool, for
    filters.
    """

    header: Header
    detail: str
    turns: tuple[TurnView, ...] = ()
    sections: tuple[SectionInfo, ...] = ()
    marks: tuple[Mark, ...] = ()
    kinds: tuple[KindCount, ...] = ()
    contents: tuple[KindCount, ...] = ()
    tools: tuple[KindCount, ...] = ()
    problems: tuple[ProblemNote, ...] = ()


class SectionView(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A turn, or a piece of a long one."""

    place: SectionInfo
    items: tuple[Item, ...] = ()


class SessionPage(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A whole session."""

    schema: str = PAGE_SCHEMA
    frame: FrameView
    sections: tuple[SectionView, ...] = ()
