"""A session's title: the first of these that exists.

The user's, the generated one, an old summary row's, the heading of a pasted plan, the first prompt
that says something, the slug; for a session in which only agents ran, what the first of them was to
do.
"""

from collections.abc import Iterable
from typing import Final

import msgspec

from clew.conversation.model import AgentRun
from clew.conversation.opening import Opening
from clew.entries import AiTitle, Body, CustomTitle

_TITLE_LENGTH: Final = 120
_WARMUP: Final = "(agent warm-up)"
_ONLY_RUNS: Final = "(agent runs only)"


class Title(msgspec.Struct, frozen=True):
    """A title and its source.

    Sources are `custom`, `generated`, `summary`, `plan`, `first_prompt`, `slug` and `agent_run`.
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
        return Title(_shorten(said), "first_prompt")
    return Title(slug, "slug") if slug else Title()


def title_of_runs(runs: Iterable[AgentRun]) -> Title:
    """Name a session in which only agents ran after the first of them."""
    ranked = sorted(runs, key=lambda run: (run.is_hidden, run.started_at, run.id))
    if not ranked:
        return Title()
    first = ranked[0]
    words = _WARMUP if first.is_hidden else first.description or first.prompt or first.agent
    return Title(_shorten(words) or _ONLY_RUNS, "agent_run")


def _shorten(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _TITLE_LENGTH else line[: _TITLE_LENGTH - 1] + "…"
