"""Messages that are not answers: prompts, commands, notifications, and what the client added."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from clew.parts import Code, Part, Prose, Words
from clew.render.formatting import plural
from clew.render.safe import safe_line
from clew.render.terminal.context import FEW_LINES, MOST_LINES, TerminalContext
from clew.render.terminal.lines import BLANK, Line, Span, cut, indent, wrap
from clew.render.terminal.parts import draw_parts
from clew.render.terminal.prose import folded, prose
from clew.view import BodyPart, CallView, MessageView, Parallel, Thinking

_BAR: Final[Span] = ("▌ ", "bar")
_OTHERS_BAR: Final[Span] = ("▌ ", "run")
_OUTPUT: Final[Span] = ("  ", "")
_BELOW: Final[Span] = ("    ", "")
_MARKS: Final = ("attachment", "hook", "system")


def draw_message(message: MessageView, context: TerminalContext) -> Iterator[Line]:
    """Draw a message of any kind but an answer, and what answers it."""
    yield from _DRAW_BY_KIND.get(message.kind, _draw_aside)(message, context)


def is_silent(message: MessageView) -> bool:
    """Return whether a message of the client has no text."""
    return message.kind in _MARKS and not (message.body or message.state or message.retries)


def draw_silent(messages: Sequence[MessageView], context: TerminalContext) -> Iterator[Line]:
    """Name messages without words on one line."""
    names = dict.fromkeys(filter(None, (message.title for message in messages)))
    if names:
        text = safe_line(", ".join(names))
        yield from ([(piece, "quiet")] for piece in wrap(f"  · {text}", context.narrow, 4))


def draw_retries(retries: Sequence[str], context: TerminalContext) -> Iterator[Line]:
    """Draw the failed attempts of a model call."""
    if retries:
        reasons = "; ".join(dict.fromkeys(retries))
        text = f"{plural(len(retries), 'failed attempt')}: {reasons}"
        yield [(cut(f"  ↻ {safe_line(text)}", context.narrow), "warn")]


def parts_of(pieces: Iterable[BodyPart]) -> list[Part]:
    """Return those pieces that are parts, as all are in messages that are not answers."""
    return [piece for piece in pieces if not isinstance(piece, Thinking | CallView | Parallel)]


def _draw_prompt(message: MessageView, context: TerminalContext) -> Iterator[Line]:
    if message.id not in context.turns:
        yield BLANK
    who = ", ".join(filter(None, (message.who, message.title, message.state)))
    yield [_BAR, (cut(safe_line(who), context.narrow - 2), "person")]
    yield from indent(_draw_speech(parts_of(message.body), context.indented(2)), _BAR)
    yield BLANK


def _draw_speech(parts: Sequence[Part], context: TerminalContext) -> Iterator[Line]:
    """Draw text in full, and attached parts folded."""
    for part in parts:
        if isinstance(part, Prose | Words):
            yield from draw_parts([part], context)
        else:
            yield from draw_parts(
                [part], context.folded(MOST_LINES if context.is_whole else FEW_LINES)
            )


def _draw_command(message: MessageView, context: TerminalContext) -> Iterator[Line]:
    if message.id not in context.turns:
        yield BLANK
    inner = context.indented(2)
    text, rest = _typed(message)
    yield from indent(folded(text, inner.width, FEW_LINES, "person"), _BAR)
    if context.is_whole:
        yield from indent(draw_parts(rest, inner.folded(FEW_LINES)), _BAR)
    yield from _draw_outcome(message.outcome, context)


def _typed(message: MessageView) -> tuple[str, list[Part]]:
    """Return a command as it was typed, and the other parts."""
    match parts_of(message.body):
        case [Code(text=text, is_command=True), *rest]:
            return f"! {text}", rest
        case [Words(text) | Prose(text), *rest]:
            return f"{message.title} {text}", rest
        case rest:
            return message.title, rest


def _draw_outcome(answers: Iterable[MessageView], context: TerminalContext) -> Iterator[Line]:
    for answer in answers:
        yield from _draw_output(answer, context)


def _draw_output(message: MessageView, context: TerminalContext) -> Iterator[Line]:
    inner = context.indented(2).folded(MOST_LINES if context.is_whole else FEW_LINES)
    yield from indent(draw_parts(parts_of(message.body), inner), _OUTPUT)
    yield BLANK


def _draw_interrupt(message: MessageView, context: TerminalContext) -> Iterator[Line]:
    text = safe_line(message.title).replace("interrupted", "interrupted by you", 1)
    yield [(cut(f"■ {text}", context.narrow), "warn")]
    yield BLANK


def _draw_notification(message: MessageView, context: TerminalContext) -> Iterator[Line]:
    text, state = safe_line(message.title), safe_line(message.state)
    if state and state not in text:
        text = f"{text} ({state})"
    yield [(cut(f"  ◆ {text}", context.narrow), "run")]
    if context.is_whole:
        yield from _below(message, context)


def _draw_teammate(message: MessageView, context: TerminalContext) -> Iterator[Line]:
    yield BLANK
    yield [_OTHERS_BAR, (cut(safe_line(message.who), context.narrow - 2), "run")]
    yield from indent(_draw_speech(parts_of(message.body), context.indented(2)), _OTHERS_BAR)
    yield BLANK


def _draw_api_error(message: MessageView, context: TerminalContext) -> Iterator[Line]:
    yield BLANK
    yield from draw_retries(message.retries, context)
    match parts_of(message.body):
        case [Words(text) | Prose(text), *rest]:
            text = text.removeprefix("API Error: ")
        case rest:
            text = message.title
    yield from prose(f"✗ API error: {text}", context.narrow, "bad")
    if context.is_whole:
        yield from indent(draw_parts(rest, context.indented(4).folded(FEW_LINES)), _BELOW)
    yield BLANK


def _draw_aside(message: MessageView, context: TerminalContext) -> Iterator[Line]:
    """Draw what the client added: injections, attachments, hooks, system entries."""
    kind = message.kind.replace("_", " ")
    text = ": ".join(filter(None, (kind, "" if message.title == kind else message.title)))
    where = "".join(f" ({place.file}:{place.line})" for place in message.sources[:1])
    text = f"{text}{where if message.kind == 'unknown' else ''}"
    style = message.tone if message.tone in ("bad", "warn") else "quiet"
    yield [(cut(f"  · {safe_line(text)}", context.narrow), style)]
    yield from draw_retries(message.retries, context)
    yield from _below(message, context)
    yield from _draw_outcome(message.outcome, context)


def _below(message: MessageView, context: TerminalContext) -> Iterator[Line]:
    inner = context.indented(4).folded(FEW_LINES)
    return indent(draw_parts(parts_of(message.body), inner), _BELOW)


_DRAW_BY_KIND: Final[dict[str, Callable[[MessageView, TerminalContext], Iterator[Line]]]] = {
    "prompt": _draw_prompt,
    "steering": _draw_prompt,
    "memory": _draw_prompt,
    "unsent": _draw_prompt,
    "command": _draw_command,
    "bash_input": _draw_command,
    "command_output": _draw_output,
    "bash_output": _draw_output,
    "interrupt": _draw_interrupt,
    "notification": _draw_notification,
    "teammate": _draw_teammate,
    "api_error": _draw_api_error,
}
