"""Gaps: unreadable lines and missing messages."""

from collections.abc import Iterator
from typing import Final

from clew.conversation import MISSING, AgentRun, Message, Reported
from clew.figures import plural
from clew.parts import Tone
from clew.problems import PROBLEM_KINDS, Problem, Severity, severity_of
from clew.view.context import PageContext
from clew.view.detail import Detail
from clew.view.page import GapView, ProblemNote, SourceLine

_TEXTS: Final = {
    "missing_parent": "Earlier messages are missing here",
    "cycle": "The links between these lines form a cycle, which is cut here",
}
_REBUILT: Final = "Transcript missing; rebuilt from progress in the parent's transcript"
_TONES: Final[dict[Severity, Tone]] = {
    Severity.ERROR: "bad",
    Severity.WARNING: "warn",
    Severity.NOTE: "quiet",
}


def sources_of(message: Message) -> tuple[SourceLine, ...]:
    """Return the lines that a message comes from."""
    return tuple([SourceLine(place.file, place.line, place.offset) for place in message.lines])


def broken_line(message: Message) -> GapView:
    """Show a gap for an unreadable line."""
    why = f": {message.error}" if message.error else ""
    source = next(iter(sources_of(message)), None)
    return GapView(
        id=message.id,
        text=f"Unreadable line{why}",
        tone="bad",
        level=Detail.TOOLS,
        source=source,
    )


def gaps_before(message: Message, context: PageContext) -> Iterator[GapView]:
    """Show what is missing before a message, as far as the detail goes."""
    if message.id in context.index.progress_messages:
        # Progress has no message before it that could be missing.
        return
    for place in message.lines:
        for number, problem in enumerate(context.gap_problems.get((place.file, place.offset), ())):
            severity = severity_of(problem.kind)
            level = Detail.EVERYTHING if severity is Severity.NOTE else Detail.TOOLS
            if context.detail >= level:
                yield GapView(
                    id=f"gap-{message.id}-{place.offset}-{number}",
                    text=_TEXTS.get(problem.kind) or problem_text(problem),
                    tone=_TONES[severity],
                    level=level,
                    source=SourceLine(place.file, place.line, place.offset),
                )


def missing_transcript(run: AgentRun) -> GapView:
    """Show that the transcript of a run is missing."""
    return GapView(id=f"gap-{run.id}", text=_lost(run) if run.status == MISSING else _REBUILT)


def _lost(run: AgentRun) -> str:
    """Describe what the call that started the run reports of it."""
    reported = run.reported or Reported()
    uses, tokens = reported.tool_uses, reported.total_tokens
    facts = [
        "" if uses is None else plural(uses, "tool call"),
        "" if tokens is None else f"{plural(tokens, 'token')} in its last request",
    ]
    summary = " and ".join(filter(None, facts))
    return f"Transcript missing; its result reports {summary}" if summary else "Transcript missing"


def problem_note(problem: Problem) -> ProblemNote:
    """Describe a problem as `clew check` does."""
    place = SourceLine(problem.file, problem.line, problem.offset)
    return ProblemNote(severity_of(problem.kind).value, problem.kind, problem_text(problem), place)


def problem_text(problem: Problem) -> str:
    """Describe a problem in a sentence."""
    known = PROBLEM_KINDS.get(problem.kind)
    meaning = known.meaning if known else problem.kind
    return ": ".join(filter(None, (meaning[:1].upper() + meaning[1:], problem.text)))
