"""Digests, the facts they rest on, and what a model is asked: as plain structs."""

from enum import StrEnum
from typing import Final, Protocol

import msgspec

EXTRACT: Final = "extract"
"""What stands in place of a model's name, if no model wrote a digest."""
TITLE_LENGTH: Final = 60
"""So many characters a title has at most."""


class Outcome(StrEnum):
    """What came of a session, as far as it can be told."""

    DONE = "done"
    PARTLY = "partly"
    ABANDONED = "abandoned"
    UNCLEAR = "unclear"


class QuotedClaim(msgspec.Struct, frozen=True):
    """A sentence about a session, and the sentence of the session that it rests on.

    `speaker` says who said it: `user` or `assistant`.
    """

    text: str
    message_ids: tuple[str, ...] = ()
    quote: str = ""
    speaker: str = ""


class TouchedFile(msgspec.Struct, frozen=True):
    """A file that was changed, how many lines were added and removed, and when it last was.

    Lines are None if some of the changes do not tell.
    """

    path: str
    added: int | None = None
    removed: int | None = None
    at: str = ""


class ReportedCommit(msgspec.Struct, frozen=True):
    """A commit that git reported in a session."""

    hash: str
    subject: str = ""
    branch: str = ""
    message_id: str = ""
    at: str = ""


class TestRun(msgspec.Struct, frozen=True):
    """A command that ran tests; `has_passed` is None if that cannot be told."""

    __test__ = False

    command: str
    has_passed: bool | None = None
    result: str = ""
    message_id: str = ""
    tool_call_id: str = ""
    at: str = ""


class ListedTask(msgspec.Struct, frozen=True):
    """An item of a session's last list of tasks."""

    text: str
    status: str = ""

    @property
    def is_open(self) -> bool:
        """Whether it is still to be done."""
        return self.status != "completed"


class DigestFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a session without asking anybody.

    `title` is the session's own, `told` what its last answers tell of what came out. With
    `has_final_answer`, the last thing in it is an answer that came to its end, commands that only
    print aside. `prompted_at` and `listed_at` are the times of the last prompt that says something
    and of the last change of the list of tasks. With `lacks_change`, the last change of some file
    failed or was refused.
    """

    session_id: str
    title: str = ""
    cwd: str = ""
    first_prompt: QuotedClaim | None = None
    plan_heading: str = ""
    last_answer: tuple[QuotedClaim, ...] = ()
    told: tuple[QuotedClaim, ...] = ()
    files: tuple[TouchedFile, ...] = ()
    commits: tuple[ReportedCommit, ...] = ()
    tests: tuple[TestRun, ...] = ()
    todos: tuple[ListedTask, ...] = ()
    is_interrupted: bool = False
    has_final_error: bool = False
    has_final_answer: bool = False
    prompted_at: str = ""
    listed_at: str = ""
    lacks_change: bool = False


class Digest(msgspec.Struct, frozen=True, kw_only=True):
    """A short account of a session.

    Files, commits and tests are facts; all else rests on quotes. `model` is `extract` if no model
    was asked.
    """

    session_id: str
    title: str = ""
    outcome: Outcome = Outcome.UNCLEAR
    summary: tuple[QuotedClaim, ...] = ()
    decisions: tuple[QuotedClaim, ...] = ()
    open_items: tuple[QuotedClaim, ...] = ()
    files: tuple[TouchedFile, ...] = ()
    commits: tuple[ReportedCommit, ...] = ()
    tests: tuple[TestRun, ...] = ()
    claims_quoted: int = 0
    claims_dropped: int = 0
    model: str = EXTRACT
    cost_usd: float = 0.0


class SessionDigest(Digest, frozen=True, kw_only=True):
    """A digest as pages and the API show it: with a line that describes the session.

    `made_at` is when a model wrote it. If the session has changed since, it is stale.
    """

    description: str = ""
    made_at: str | None = None
    is_stale: bool = False

    @property
    def is_extract(self) -> bool:
        """Whether no model wrote it."""
        return self.model == EXTRACT


class ModelRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What a model is asked: instructions, a text that is only data, and a shape for its answer."""

    instructions: str
    text: str
    schema: dict[str, object]
    max_output_tokens: int


class ModelReply(msgspec.Struct, frozen=True, kw_only=True):
    """What a model answered, unchecked, and what that took.

    The cost is None if it is not known; the most that it can be counts then.
    """

    text: str
    model: str
    input_tokens: int = 0
    output_tokens: int = 0
    cost_nano_usd: int | None = None


class DigestModel(Protocol):
    """Whoever can be asked for a digest."""

    @property
    def name(self) -> str:
        """The name under which digests are kept."""

    def highest_cost(self, request: ModelRequest) -> int:
        """Return the most that an answer can cost, in nano-dollars: so much is reserved first."""

    def ask(self, request: ModelRequest) -> ModelReply:
        """Ask for one answer.

        Raises:
            ModelError: There is none, with what that cost nevertheless.
        """
