"""Blame on the terminal: beside each line its commit, session, turn and evidence."""

from typing import TYPE_CHECKING, Final

from rich.console import Console
from rich.text import Text

from clew.cli.text import visible
from clew.figures import plural

if TYPE_CHECKING:
    from clew.insight import BlameLine, FileBlame

_HASH: Final = 8
_SESSION: Final = 8
_PROMPT: Final = 28
_WORDS: Final = 10
_TONES: Final = {"exact": "green", "whitespace": "cyan", "external": "dim", "none": "dim"}
_TAB: Final = 8


def print_lines(blame: "FileBlame", console: Console) -> None:
    """Print the lines of a file, each with who wrote it."""
    width = len(str(blame.lines[-1].line)) if blame.lines else 1
    has_prompts = any(line.prompt for line in blame.lines)
    for line in blame.lines:
        console.print(_row(line, width, has_prompts=has_prompts), soft_wrap=True)


def _row(line: "BlameLine", width: int, *, has_prompts: bool) -> Text:
    commit = (line.commit or "-" * _HASH)[:_HASH]
    session = visible(line.session_id or "")[:_SESSION].ljust(_SESSION)
    turn = f"turn {line.turn}" if line.turn is not None else ""
    tone = _TONES.get(line.evidence, "")
    row = Text.assemble((commit, "yellow"), " ", session, " ", (turn.ljust(8), "dim"), " ")
    row.append(line.evidence.ljust(_WORDS), tone)
    if has_prompts:
        row.append(f" {_cut(visible(line.prompt or ''), _PROMPT)}", "dim")
    row.append(f" {line.line:>{width}}  ", "dim")
    row.append(visible(line.text.expandtabs(_TAB)))
    return row


def _cut(text: str, width: int) -> str:
    short = text if len(text) <= width else f"{text[: width - 1]}…"
    return short.ljust(width)


def print_prompts(blame: "FileBlame", console: Console) -> None:
    """Print the prompts behind lines, each once, with what is known of them."""
    seen: set[str | None] = set()
    for line in blame.lines:
        if line.session_id is None or line.message_id in seen:
            continue
        seen.add(line.message_id)
        console.print()
        title = visible(blame.sessions.get(line.session_id, "")) or line.session_id
        console.print(Text(title, "bold"), soft_wrap=True)
        console.print(Text(_facts(blame, line), "dim"), soft_wrap=True)
        if line.prompt:
            console.print(Text(f"> {visible(line.prompt)}"), soft_wrap=True)


def _facts(blame: "FileBlame", line: "BlameLine") -> str:
    count = sum(each.message_id == line.message_id for each in blame.lines)
    facts = [f"session {line.session_id}", f"message {line.message_id}"]
    if line.turn is not None:
        facts.append(f"turn {line.turn}")
    if line.model:
        facts.append(line.model)
    if line.cost_usd is not None:
        facts.append(f"${line.cost_usd * count:.4f} for {plural(count, 'line')}")
    if line.is_told:
        facts.append("noticed after a command")
    if line.commit in blame.commits:
        facts.append(f"commit {line.commit[:_HASH]} {blame.commits[line.commit].subject}")
    return visible(" · ".join(map(str, facts)))
