"""Messages → markup."""

from collections.abc import Iterable
from typing import Final

from clew.parts import Note
from clew.render.formatting import plural, tokens_in_out
from clew.render.html.calls import DrawRun, draw_call, draw_parallel
from clew.render.html.escaping import anchor, class_names, escape, escape_value, tag, tint
from clew.render.html.formatting import clock, usage_details
from clew.render.html.parts import draw_part
from clew.render.html.prose import draw_prose
from clew.view import BodyPart, CallView, Detail, MessageView, Parallel, Thinking, UsageView

_LABELS: Final = {
    "api_error": "API error",
    "bash_input": "Shell command",
    "bash_output": "Shell output",
    "compaction_summary": "Compaction summary",
    "interrupt": "Interruption",
}
_UNCOUNTED: Final = (
    "bash_output",
    "command_output",
    "memory",
    "steering",
    "system",
    "thinking",
    "unknown",
    "unsent",
)
_FIRST_WORDS: Final = 120
_CALLS: Final = (CallView, Parallel)


def draw_message(
    message: MessageView,
    level: int,
    before: MessageView | None,
    draw_run: DrawRun,
    outcome: str,
) -> str:
    """Draw a message.

    Args:
        message: The message.
        level: Its `level_of`.
        before: The one above it, if it may read on from there.
        draw_run: Draws an agent run that one of its calls started.
        outcome: The markup of what answers it.
    """
    name = anchor("m", message.id)
    error = " data-error" if "error" in message.classes or message.tone == "bad" else ""
    body = "".join([_draw_piece(piece, draw_run) for piece in message.body])
    after = f'<div class="outcome">{outcome}</div>' if outcome else ""
    return (
        f'<article class="{_classes(message, before)}" id="{name}"'
        f' data-kind="{escape_value(message.kind)}" data-level="{level}"{error}'
        f' tabindex="-1">\n{_header(message, name)}'
        f'<div class="body" data-body>{body}</div>{after}</article>\n'
    )


def level_of(message: MessageView) -> int:
    """Return the detail from which on there is something to see of a message."""
    if message.kind != "answer" or message.state or message.outcome:
        return message.level
    needed = Detail.EVERYTHING
    for piece in message.body:
        if isinstance(piece, _CALLS):
            needed = Detail.TOOLS
        elif not isinstance(piece, Thinking):
            return message.level
    return max(message.level, int(needed))


def kind_label(kind: str) -> str:
    """Return the label of a kind of message."""
    return _LABELS.get(kind) or kind.replace("_", " ").capitalize()


def kind_plural(kind: str) -> str:
    """Return the label of many messages of a kind: `Answers`, `Shell output`."""
    label = kind_label(kind)
    if kind in _UNCOUNTED or label.endswith("s"):
        return label
    return f"{label[:-1]}ies" if label.endswith("y") else f"{label}s"


def _draw_piece(piece: BodyPart, draw_run: DrawRun) -> str:
    match piece:
        case CallView():
            return draw_call(piece, draw_run)
        case Parallel():
            return draw_parallel(piece, draw_run)
        case Thinking(text):
            return _thinking(text) if text.strip() else ""
        case Note(text, "quiet"):
            # What the client noted beside a message is no part of what was said.
            return f'<p class="note quiet" data-level="4"><bdi>{escape(text)}</bdi></p>'
        case _:
            return draw_part(piece)


def _classes(message: MessageView, before: MessageView | None) -> str:
    classes = f"message {class_names(message.classes or (message.kind,))}"
    if before is not None and _follows(message, before):
        classes += " follows runs-on" if _runs_on(message, before) else " follows"
    colour = tint(message.color)
    return f"{classes} {colour}" if colour else classes


def _follows(message: MessageView, before: MessageView) -> bool:
    """Return whether a message continues the one before it: one text in two answers."""
    answers = message.kind == before.kind == "answer"
    return answers and message.who == before.who and not (message.tone or before.tone)


def _runs_on(message: MessageView, before: MessageView) -> bool:
    """Return whether a call follows a call, apart from thinking."""
    return _begins_with_call(reversed(before.body)) and _begins_with_call(message.body)


def _begins_with_call(pieces: Iterable[BodyPart]) -> bool:
    for piece in pieces:
        if not isinstance(piece, Thinking):
            return isinstance(piece, _CALLS)
    return False


def _header(message: MessageView, name: str) -> str:
    time = clock(message.started_at)
    at = f'<time datetime="{message.started_at}">{time}</time>' if time else "#"
    who = escape(message.who or kind_label(message.kind))
    pieces = [f'<header><a class="at" href="#{name}">{at}</a><h3><bdi>{who}</bdi></h3>']
    if message.title:
        pieces.append(f' <span class="title"><bdi>{escape(message.title)}</bdi></span>')
    if message.state:
        classes = f"state {message.tone}" if message.tone else "state"
        state = f"<bdi>{escape(message.state)}</bdi>"
        if message.sent_id:
            state = f'<a href="#{anchor("m", message.sent_id)}">{state}</a>'
        pieces.append(f" {tag('span', classes, state)}")
    if message.spent is not None:
        pieces.append(f" {_tokens(message.spent)}")
    if message.cache_miss:
        words = f"<bdi>{escape(message.cache_miss)}</bdi>"
        pieces.append(f' <span class="cache-miss" data-level="4">{words}</span>')
    pieces.append("</header>")
    if message.retries:
        pieces.append(_retries(message.retries))
    return "".join(pieces)


def _tokens(spent: UsageView) -> str:
    exact = escape_value(usage_details(spent))
    return f'<span class="tokens" title="{exact}">{tokens_in_out(spent)}</span>'


def _retries(texts: tuple[str, ...]) -> str:
    tries = "".join(f"<li><bdi>{escape(text)}</bdi></li>" for text in texts)
    said = plural(len(texts), "failed attempt")
    return f'<details class="retries"><summary>{said}</summary><ul>{tries}</ul></details>'


def _thinking(text: str) -> str:
    first = " ".join(text[: _FIRST_WORDS * 2].split())[:_FIRST_WORDS]
    summary = f"{tag('span', 'verb', 'Thinking')} {tag('span', 'label', escape(first))}"
    return (
        '<details class="thinking" data-part="thinking" data-level="4">'
        f'<summary>{summary}</summary><div class="prose">{draw_prose(text)}</div></details>'
    )
