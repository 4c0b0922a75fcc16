"""Messages that are not answers: prompts, commands, news, and what the client put in."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

import msgspec

from clew.conversation import Message, Retry
from clew.entries import Notification, Output, StopHookSummary, Teammate
from clew.render.figures import plural
from clew.render.safe import safe_line
from clew.render.terminal.bodies import MOST_LINES, draw_pictures
from clew.render.terminal.lines import BLANK, Line, Span, cut, indent, wrap
from clew.render.terminal.page import Page
from clew.render.terminal.prose import folded, prose

_BAR: Final[Span] = ("▌ ", "bar")
_OTHERS_BAR: Final[Span] = ("▌ ", "run")
_OUTPUT: Final[Span] = ("  ", "")
_FEW_LINES: Final = 12
_MARKS: Final = ("attachment", "hook", "system")
_UNDELIVERED: Final = "undelivered"


def draw_saying(message: Message, page: Page) -> Iterator[Line]:
    """Draw a message of any kind but an answer."""
    draw = _SAYINGS.get(message.kind, _draw_aside)
    return draw(message, page)


def is_silent(message: Message) -> bool:
    """Tell whether a message is a mere mark of the client, without words."""
    return message.kind in _MARKS and not message.text.strip() and not _hook_lines(message)


def draw_silent(messages: Sequence[Message], page: Page) -> Iterator[Line]:
    """Name messages without words on one line."""
    names = dict.fromkeys(filter(None, (message.subtype for message in messages)))
    if names:
        told = safe_line(", ".join(names))
        yield from ([(piece, "quiet")] for piece in wrap(f"  · {told}", page.narrow, 4))


def draw_retries(retries: tuple[Retry, ...], page: Page) -> Iterator[Line]:
    """Say how often a model call was tried before."""
    if retries:
        reasons = "; ".join(dict.fromkeys(map(_reason, retries)))
        told = f"{plural(len(retries), 'failed try', 'failed tries')}: {reasons}"
        yield [(cut(f"  ↻ {safe_line(told)}", page.narrow), "warn")]


def _reason(retry: Retry) -> str:
    status = str(retry.status or "")
    return retry.text if retry.text.startswith(status) else f"{status} {retry.text}"


def _draw_prompt(message: Message, page: Page) -> Iterator[Line]:
    who = "You"
    if message.subtype == _UNDELIVERED:
        who = "You, not delivered"
    elif message.kind == "steering":
        who = "You, while it worked"
    elif message.kind == "memory":
        who = "You, to remember"
    elif message.agent_run_id is not None:
        who = "Prompt"
    if message.id not in page.index.turns:
        yield BLANK
    yield [_BAR, (who, "person")]
    inner = page.inside(2)
    yield from indent(prose(message.text, inner.width), _BAR)
    yield from indent(draw_pictures(message.blocks), _BAR)
    yield BLANK


def _draw_command(message: Message, page: Page) -> Iterator[Line]:
    mark = "! " if message.kind == "bash_input" else ""
    inner = page.inside(2)
    if message.id not in page.index.turns:
        yield BLANK
    yield from indent(folded(f"{mark}{message.text}", inner.width, _FEW_LINES, "person"), _BAR)


def _draw_output(message: Message, page: Page) -> Iterator[Line]:
    inner = page.inside(2)
    most = MOST_LINES if page.is_whole else _FEW_LINES
    match message.content:
        case Output(stdout, stderr):
            yield from indent(folded(stdout, inner.width, most, "quiet"), _OUTPUT)
            yield from indent(folded(stderr, inner.width, most, "bad"), _OUTPUT)
        case _:
            yield from indent(folded(message.text, inner.width, most, "quiet"), _OUTPUT)
    yield BLANK


def _draw_interrupt(message: Message, _page: Page) -> Iterator[Line]:
    during = " during a tool call" if "tool use" in message.text else ""
    yield [(f"■ interrupted by you{during}", "warn")]
    yield BLANK


def _draw_notification(message: Message, page: Page) -> Iterator[Line]:
    news = message.content
    told = safe_line(message.text)
    if isinstance(news, Notification) and news.status and news.status not in told:
        told = f"{told} ({safe_line(news.status)})"
    yield [(cut(f"  ◆ {told}", page.narrow), "run")]
    if page.is_whole and isinstance(news, Notification):
        yield from indent(folded(news.result, page.width - 4, MOST_LINES, "quiet"), ("    ", ""))


def _draw_teammate(message: Message, page: Page) -> Iterator[Line]:
    inner = page.inside(2)
    for sent in message.content if isinstance(message.content, tuple) else ():
        if isinstance(sent, Teammate):
            yield BLANK
            yield [_OTHERS_BAR, (safe_line(sent.teammate_id) or "Teammate", "run")]
            yield from indent(prose(sent.text, inner.width), _OTHERS_BAR)
    yield BLANK


def _draw_api_error(message: Message, page: Page) -> Iterator[Line]:
    yield BLANK
    yield from draw_retries(message.retries, page)
    told = (message.text or message.error or "").removeprefix("API Error: ")
    yield from prose(f"✗ API error: {told}", page.narrow, "bad")
    yield BLANK


def _draw_summary(message: Message, page: Page) -> Iterator[Line]:
    yield from _titled("compaction summary", message.text, page)


def _draw_unknown(message: Message, page: Page) -> Iterator[Line]:
    place = message.lines[0] if message.lines else None
    where = f" ({place.file}:{place.line})" if place else ""
    if message.subtype == "broken":
        told = f"· · · a line that cannot be read{where}: {message.error or ''}"
        yield [(cut(safe_line(told), page.narrow), "bad")]
        return
    kept = "\n".join(block.data or "" for block in message.blocks)
    yield from _titled(f"unknown: {message.subtype or ''}{where}", kept, page)


def _draw_results(message: Message, page: Page) -> Iterator[Line]:
    """Results stand with their calls; words that came along with them do not."""
    for block in message.blocks:
        if block.kind == "text":
            yield from _titled("beside a result", block.text, page)


def _draw_aside(message: Message, page: Page) -> Iterator[Line]:
    """Draw what the client put in: injections, attachments, hooks, system rows."""
    title = ": ".join(filter(None, (message.kind, message.subtype, _hook_name(message))))
    text = "\n".join(filter(None, (*_hook_lines(message), message.text)))
    loud = message.level in ("error", "warning")
    yield from _titled(title, text, page, "warn" if loud else "quiet")


def _hook_name(message: Message) -> str:
    """Give the name that an attachment of a hook carries, whatever its kind."""
    if message.kind != "hook" or not isinstance(message.content, msgspec.Struct):
        return ""
    return str(msgspec.structs.asdict(message.content).get("hook_name", ""))


def _hook_lines(message: Message) -> list[str]:
    """Give the hooks that ran at the end of a turn, and what they complained of."""
    told = message.content
    if not isinstance(told, StopHookSummary):
        return []
    return [*(hook.command for hook in told.hook_infos), *told.hook_errors]


def _titled(title: str, text: str, page: Page, style: str = "quiet") -> Iterator[Line]:
    yield [(cut(f"  · {safe_line(title)}", page.narrow), style)]
    yield from indent(folded(text, page.width - 4, _FEW_LINES, style), ("    ", ""))


_SAYINGS: Final[dict[str, Callable[[Message, Page], Iterator[Line]]]] = {
    "prompt": _draw_prompt,
    "steering": _draw_prompt,
    "memory": _draw_prompt,
    "command": _draw_command,
    "bash_input": _draw_command,
    "command_output": _draw_output,
    "bash_output": _draw_output,
    "interrupt": _draw_interrupt,
    "notification": _draw_notification,
    "teammate": _draw_teammate,
    "api_error": _draw_api_error,
    "compaction_summary": _draw_summary,
    "tool_results": _draw_results,
    "unknown": _draw_unknown,
}
