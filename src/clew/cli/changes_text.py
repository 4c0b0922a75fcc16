"""Changes on the terminal: a diff with the calls behind it, or a table of files."""

from collections.abc import Sequence
from typing import Final

from rich.console import Console
from rich.text import Text

from clew.cli.text import visible
from clew.figures import plural
from clew.parts import DiffHunk
from clew.replay import CallLink, Certainty, ChangeHunk, NetChange, SessionChanges, describe_cause
from clew.tools import diff_of_files

_TONES: Final = {"+": "green", "-": "red", "\\": "dim"}
_STATES: Final = {Certainty.TOLD: "cyan", Certainty.STALE: "yellow", Certainty.UNKNOWN: "red"}
_MARKS: Final = {"create": "A", "edit": "M", "delete": "D", "none": " "}
_REVERSED: Final = {"create": "delete", "delete": "create"}
_MOST_CALLS: Final = 3


def print_changes(changes: SessionChanges, console: Console, *, reverse: bool = False) -> None:
    """Print the diff of each file, and below it why it may be incomplete."""
    for file in changes.files:
        _print_file(file, console, reverse=reverse)
    _print_total(changes, console, reverse=reverse)


def print_stat(changes: SessionChanges, console: Console, *, reverse: bool = False) -> None:
    """Print one line per file: what happened, the numbers of lines, and the state."""
    for file in changes.files:
        added, removed = _counts(file, reverse=reverse)
        action = _REVERSED.get(file.action, file.action) if reverse else file.action
        line = Text(f"{_MARKS[action]} ")
        line.append(f"{added:>7}", "green").append(f" {removed:>7}", "red")
        line.append(f"  {visible(file.name)}")
        _append_state(line, file)
        console.print(line, soft_wrap=True)
    _print_total(changes, console, reverse=reverse)


def _print_file(file: NetChange, console: Console, *, reverse: bool) -> None:
    added, removed = _counts(file, reverse=reverse)
    head = (
        Text(visible(file.name), "bold").append(f"  {added}", "green").append(f" {removed}", "red")
    )
    _append_state(head, file, is_long=True)
    console.print(head, soft_wrap=True)
    if reverse and file.has_diff:
        for hunk in diff_of_files(file.path, file.end.text or "", file.base.text or "").hunks:
            _print_hunk(hunk, "", console)
    elif file.hunks or file.has_diff:
        for made in file.hunks:
            plain = DiffHunk(made.old_start, made.new_start, made.lines)
            _print_hunk(plain, _name_makers(made), console)
    else:
        calls = ", ".join(map(_name_call, file.calls[:_MOST_CALLS]))
        rest = len(file.calls) - _MOST_CALLS
        more = f" and {rest} more" if rest > 0 else ""
        console.print(Text(f"  changed by {calls}{more}", "dim"), soft_wrap=True)
    console.print()


def _print_hunk(hunk: DiffHunk, makers: str, console: Console) -> None:
    old = sum(line[:1] in (" ", "-") for line in hunk.lines)
    new = sum(line[:1] in (" ", "+") for line in hunk.lines)
    is_placed = hunk.old_start is not None
    head = f"@@ -{hunk.old_start},{old} +{hunk.new_start},{new} @@" if is_placed else "@@ … @@"
    console.print(Text(head, "cyan").append(f" {visible(makers)}", "dim"), soft_wrap=True)
    for line in hunk.lines:
        console.print(Text(visible_line(line), _TONES.get(line[:1], "")), soft_wrap=True)


def visible_line(line: str) -> str:
    """Escape control characters of a line except tabs."""
    return "\t".join(map(visible, line.split("\t")))


def _name_makers(hunk: ChangeHunk) -> str:
    names = [_name_call(call) for call in hunk.calls[:_MOST_CALLS]]
    if len(hunk.calls) > _MOST_CALLS:
        names.append(f"{len(hunk.calls) - _MOST_CALLS} more")
    if hunk.has_outside:
        names.append("outside of the recorded calls")
    return ", ".join(names)


def _name_call(call: CallLink) -> str:
    turn = "" if call.turn is None else f" in turn {call.turn}"
    agent = f" by {call.agent or 'an agent'}" if call.agent_run_id else ""
    return f"{call.tool}{turn}{agent} ({call.call_id})"


def _append_state(line: Text, file: NetChange, *, is_long: bool = False) -> None:
    if file.state is not Certainty.EXACT:
        line.append(f"  {file.state}", _STATES[file.state])
        if file.reason:
            line.append(f": {visible(file.reason)}", "dim")
    elif file.later is not None and is_long:
        line.append(f"  {visible(describe_cause(file.later))}", "dim")
    if file.action == "none":
        line.append("  as before", "dim")


def _counts(file: NetChange, *, reverse: bool) -> tuple[str, str]:
    if not file.has_diff:
        return "?", "?"
    added, removed = (file.removed, file.added) if reverse else (file.added, file.removed)
    return f"+{added}", f"-{removed}"


def _print_total(changes: SessionChanges, console: Console, *, reverse: bool) -> None:
    if not changes.files:
        where = "the session" if changes.turn is None else f"turn {changes.turn}"
        console.print(Text(f"No file was changed in {where}.", "dim"))
        return
    added, removed = changes.added, changes.removed
    added, removed = (removed, added) if reverse else (added, removed)
    unsure = _count_unsure(changes.files)
    total = f"{plural(len(changes.files), 'file')}, +{added} -{removed}{unsure}"
    console.print(Text(total, "dim"))


def _count_unsure(files: Sequence[NetChange]) -> str:
    counts = {state: sum(file.state is state for file in files) for state in _STATES}
    return "".join(f", {count} {state}" for state, count in counts.items() if count)
