"""What the hooks at the end of a turn did."""

from collections.abc import Iterator

from clew.entries import HookInfo, StopHookSummary
from clew.parts import Fields, Fold, Listing, Note, Part, Table, Words


def stop_hook_parts(summary: StopHookSummary) -> Iterator[Part]:
    """Show which commands ran and how long, what they said, and whether they held the turn up."""
    yield from _commands(summary.hook_infos)
    if summary.hook_errors:
        yield Note("errors", "warn")
        yield Words("\n".join(summary.hook_errors))
    if summary.hook_additional_context:
        context = Words("\n".join(summary.hook_additional_context))
        yield Fold("additional context", (context,))
    yield from _facts(summary)


def _commands(infos: tuple[HookInfo, ...]) -> Iterator[Part]:
    ran = [(info.command or info.prompt_text or "", _seconds(info.duration_ms)) for info in infos]
    if any(took for _, took in ran):
        yield Table(("hook", "time"), tuple(ran))
    elif ran:
        yield Listing(tuple(command for command, _ in ran))


def _facts(summary: StopHookSummary) -> Iterator[Part]:
    known = (
        ("label", summary.hook_label or ""),
        ("hooks", str(summary.hook_count or "") if not summary.hook_infos else ""),
        ("stop reason", summary.stop_reason or ""),
        ("prevented continuation", "yes" if summary.prevented_continuation else ""),
        ("output", "yes" if summary.has_output else ""),
        ("total time", _seconds(summary.total_duration_ms)),
    )
    shown = tuple(pair for pair in known if pair[1])
    if shown:
        yield Fields(shown)


def _seconds(milliseconds: float | None) -> str:
    return "" if milliseconds is None else f"{milliseconds / 1000:.1f} s"
