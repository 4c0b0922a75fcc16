"""A session's title: the first of these that exists.

The reader's own, the client's custom one, the generated one, an old summary row's, that of a
digest, the heading of a pasted plan, the first prompt that says something, the slug; for a session
in which only agents ran, what the first of them was to do. Notes and digests are no part of a
transcript: whoever has one adds its title.
"""

import re
from collections.abc import Iterable
from typing import Final

import msgspec

from clew.conversation.model import AgentRun, Conversation
from clew.conversation.opening import Opening
from clew.conversation.typed import typed_text
from clew.entries import AiTitle, Body, CustomTitle

_TITLE_LENGTH: Final = 120
# Of a longer word, the beginning says more than nothing.
_LONGEST_CUT: Final = 24
_GIVEN: Final = ("custom", "generated", "summary")
_WARMUP: Final = "(agent warm-up)"
_ONLY_RUNS: Final = "(agent runs only)"
# Old clients wrote the answer to their request for a title down, even if it was an error.
_FAILURE: Final = re.compile(
    r"API Error: .*|.* · Please run /login|Invalid API key|(?:Credit balance|Prompt) is too \w+"
    r"|Claude AI usage limit reached.*",
    re.DOTALL,
)


class Title(msgspec.Struct, frozen=True):
    """A title and its source.

    Sources are `note`, `custom`, `generated`, `summary`, `digest`, `plan`, `first_prompt`, `slug`
    and `agent_run`.
    """

    text: str = ""
    source: str = ""

    @property
    def has_words(self) -> bool:
        """Whether someone wrote it: a slug is made of random words."""
        return self.source not in ("", "slug")


def stated_title(bodies: Iterable[Body], custom: str | None = None) -> Title:
    """Return the title that markers state; `custom` is that of a file beside the transcript.

    Clients write titles again and again: the last one of each kind counts.
    """
    generated = ""
    last_custom = ""
    for body in bodies:
        match body:
            case CustomTitle():
                last_custom = body.custom_title or last_custom
            case AiTitle():
                generated = body.ai_title or generated
            case _:
                pass
    if custom or last_custom:
        return Title(custom or last_custom, "custom")
    return Title(generated, "generated") if generated else Title()


def is_failed_title(text: str) -> bool:
    """Return whether an old title only says why there is none."""
    return _FAILURE.fullmatch(text.strip()) is not None


def fallback_title(
    summary: str, opening: Opening | None, first_prompt: str, slug: str | None
) -> Title:
    """Return the title of a session that states none."""
    if summary:
        return Title(summary, "summary")
    if opening is not None and opening.plan_heading:
        return Title(_shorten(opening.plan_heading), "plan")
    said = opening.text if opening is not None else first_prompt
    if said:
        return Title(_shorten(typed_text(said)), "first_prompt")
    return Title(slug, "slug") if slug else Title()


def with_digest_title(conversation: Conversation, title: str) -> Conversation:
    """Let a digest name a session, unless somebody gave it a title."""
    session = conversation.session
    if not title or session.title_source in _GIVEN:
        return conversation
    named = msgspec.structs.replace(session, title=title, title_source="digest")
    return msgspec.structs.replace(conversation, session=named)


def with_own_title(conversation: Conversation, title: str) -> Conversation:
    """Let a reader's own title name a session, whatever else it is called."""
    if not title:
        return conversation
    named = msgspec.structs.replace(conversation.session, title=title, title_source="note")
    return msgspec.structs.replace(conversation, session=named)


def title_of_runs(runs: Iterable[AgentRun]) -> Title:
    """Name a session in which only agents ran after the first of them."""
    ranked = sorted(runs, key=lambda run: (run.is_hidden, run.started_at, run.id))
    if not ranked:
        return Title()
    first = ranked[0]
    words = _WARMUP if first.is_hidden else first.description or first.prompt or first.agent
    return Title(_shorten(words) or _ONLY_RUNS, "agent_run")


def _shorten(text: str) -> str:
    """Put a text on one line, and cut it at a word."""
    line = " ".join(text.split())
    if len(line) <= _TITLE_LENGTH:
        return line
    head, _, cut = line[:_TITLE_LENGTH].rpartition(" ")
    whole = head if len(cut) <= _LONGEST_CUT else line
    return f"{whole[: _TITLE_LENGTH - 1].rstrip(' ,.;:-')}…"
