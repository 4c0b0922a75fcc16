"""What the hooks at the end of a turn did."""

from collections.abc import Iterator

from clew.entries import HookInfo, StopHookSummary
from clew.figures import duration
from clew.parts import Fields, Fold, Listing, Note, Part, Table, Words


def stop_hook_parts(summary: StopHookSummary) -> Iterator[Part]:
    """Show which commands ran and how long, what they said, and whether they held the turn up."""
    yield from _commands(summary.hook_infos)
    if summary.hook_errors:
        yield Note("Errors", "warn")
        yield Words("\n".join(summary.hook_errors))
    if summary.hook_additional_context:
        context = Words("\n".join(summary.hook_additional_context))
        yield Fold("Additional context", (context,))
    yield from _facts(summary)


def _commands(infos: tuple[HookInfo, ...]) -> Iterator[Part]:
    ran = [(info.command or info.prompt_text or "", _time(info.duration_ms)) for info in infos]
    if any(took for _, took in ran):
        yield Table(("Hook", "Duration"), tuple(ran))
    elif ran:
        yield Listing(tuple(command for command, _ in ran))


def _facts(summary: StopHookSummary) -> Iterator[Part]:
    known = (
        ("Label", summary.hook_label or ""),
        ("Hooks", str(summary.hook_count or "") if not summary.hook_infos else ""),
        ("Stop reason", summary.stop_reason or ""),
        ("Prevented continuation", "yes" if summary.prevented_continuation else ""),
        ("Output", "yes" if summary.has_output else ""),
        ("Total duration", _time(summary.total_duration_ms)),
    )
    shown = tuple(pair for pair in known if pair[1])
    if shown:
        yield Fields(shown)


def _time(milliseconds: float | None) -> str:
    return "" if milliseconds is None else duration(milliseconds)
