"""Messages in order: answers with their calls and runs, and all others between them."""

from collections.abc import Iterable, Iterator
from typing import Final

from clew.analytics import display_name
from clew.conversation import AgentRun, Block, Epoch, Message, ModelUsage, ToolCall
from clew.render.figures import clock_time, moment, scaled
from clew.render.safe import safe_line
from clew.render.terminal.calls import draw_call, draw_call_body, draw_run_title
from clew.render.terminal.lines import BLANK, Line, Span, cut, indent, spaced, spread
from clew.render.terminal.page import Page
from clew.render.terminal.prose import folded, prose
from clew.render.terminal.sayings import draw_retries, draw_saying, draw_silent, is_silent
from clew.view import Detail, calls_of, shows

_RUN: Final[Span] = ("  │ ", "run")
_THINKING: Final = 40
_MOST_CALLS: Final = 40
_SYNTHETIC: Final = "synthetic"
_CUT_SHORT: Final = ("max_tokens", "refusal", "model_context_window_exceeded")


def draw_messages(messages: Iterable[Message], page: Page) -> Iterator[Line]:
    """Draw messages in order; such as say nothing share a line."""
    silent: list[Message] = []
    for message in messages:
        if page.is_whole and is_silent(message) and message.id not in page.index.epochs:
            silent.append(message)
            continue
        yield from draw_silent(silent, page)
        silent.clear()
        yield from _draw_message(message, page)
    yield from draw_silent(silent, page)


def draw_runs(runs: Iterable[AgentRun], page: Page) -> Iterator[Line]:
    """Draw runs that no call of this page leads to."""
    if page.detail >= Detail.TOOLS or page.is_of_runs:
        for run in runs:
            yield from _draw_run(run, page, titled=True)


def _draw_message(message: Message, page: Page) -> Iterator[Line]:
    """Draw a message as far as the page's detail shows it, and the compaction it begins with."""
    epoch = page.index.epochs.get(message.id)
    if epoch is not None and page.detail >= Detail.PROMPTS:
        yield from _draw_compaction(epoch, page)
        if message.kind == "system":
            return
    if not shows(page.detail, message):
        return
    if message.kind == "answer":
        yield from _draw_answer(message, page)
    else:
        yield from draw_saying(message, page)


def _draw_compaction(epoch: Epoch, page: Page) -> Iterator[Line]:
    counts = [scaled(n) for n in (epoch.tokens_before, epoch.tokens_after) if n is not None]
    told = f"compacted: {' → '.join(counts)} tokens" if counts else "compacted"
    words = ", ".join(filter(None, (told, safe_line(epoch.trigger or ""))))
    rest = max(page.narrow - len(words) - 6, 0)
    yield BLANK
    yield [(cut(f"──── {words} {'─' * rest}", page.narrow), "warn")]
    yield BLANK


def _draw_answer(message: Message, page: Page) -> Iterator[Line]:
    yield from draw_retries(message.retries, page)
    is_titled = False
    for block in message.blocks:
        drawn = list(_draw_block(block, message, page))
        if not drawn:
            continue
        if not is_titled and block.kind != "tool_use":
            is_titled = True
            yield BLANK
            yield _title(message, page)
        yield from drawn
    if message.is_aborted or message.stop_reason in _CUT_SHORT:
        why = message.stop_reason if message.stop_reason in _CUT_SHORT else "broken off"
        yield [(f"  ■ {why}", "warn")]


def _draw_block(block: Block, message: Message, page: Page) -> Iterator[Line]:
    match block.kind:
        case "text" if block.text.strip():
            style = "quiet" if message.subtype == _SYNTHETIC else ""
            yield from prose(block.text, page.width, style)
            yield BLANK
        case "thinking" if page.is_whole:
            yield from _draw_thinking(block, page)
        case "tool_use" if page.detail >= Detail.TOOLS:
            call = page.index.calls.get(block.tool_call_id or "")
            if call is not None and call.message_id == message.id:
                yield from _draw_call(call, page)
        case _:
            return


def _draw_thinking(block: Block, page: Page) -> Iterator[Line]:
    if block.text.strip():
        lines = folded(block.text, page.narrow - 2, _THINKING, "think")
        yield from indent(lines, ("∴ ", "think"))
    else:
        yield [(cut("∴ thinking that the transcript does not hold", page.narrow), "think")]
    yield BLANK


def _title(message: Message, page: Page) -> Line:
    model = message.model or ""
    name = "Claude Code" if message.subtype == _SYNTHETIC else display_name(model) or "Answer"
    time = clock_time(moment(message.started_at, page.options.zone))
    left: Line = [(safe_line(name), "model"), (f"  {time}", "quiet")]
    return spread(left, _tokens(message.usage), page.narrow)


def _tokens(usage: ModelUsage | None) -> Line:
    """Give what the model was given and what it wrote."""
    if usage is None:
        return []
    written = usage.cache_write_5m_tokens + usage.cache_write_1h_tokens
    given = usage.input_tokens + usage.cache_read_tokens
    given += written + usage.cache_write_unsplit_tokens
    least = "+" if usage.quality == "lower_bound" else ""
    return [(f"{scaled(given)} → {scaled(usage.output_tokens)}{least} tokens", "quiet")]


def _draw_call(call: ToolCall, page: Page) -> Iterator[Line]:
    runs = page.index.runs_by_call.get(call.id, [])
    yield from draw_call(call, runs, page)
    for run in runs:
        yield from _draw_run(run, page, titled=len(runs) > 1 or run.kind == "workflow")
    if page.is_whole:
        yield from draw_call_body(call, page)


def _draw_run(run: AgentRun, page: Page, *, titled: bool) -> Iterator[Line]:
    """Draw a run, indented once; each run comes once, whatever claims it."""
    opened = page.is_whole or page.is_of_runs
    if run.id in page.drawn or (run.is_hidden and not opened):
        return
    page.drawn.add(run.id)
    if titled:
        yield draw_run_title(run, page)
    inner = page.inside(4)
    messages = page.index.messages_by_run.get(run.id, ())
    lines = draw_messages(messages, inner) if opened else _draw_calls(run, inner)
    yield from indent(spaced(lines), _RUN)


def _draw_calls(run: AgentRun, page: Page) -> Iterator[Line]:
    """Draw the calls of a run alone; of very many, the first and the last."""
    messages = page.index.messages_by_run.get(run.id, ())
    calls = [call for message in messages for call in calls_of(message, page.index)]
    if len(calls) <= _MOST_CALLS:
        first, last = calls, []
    else:
        first, last = calls[: _MOST_CALLS // 2], calls[len(calls) - _MOST_CALLS // 2 :]
    for call in first:
        yield from _draw_call(call, page)
    if last:
        yield [(cut(f"  … {len(calls) - _MOST_CALLS:,} calls …", page.narrow), "quiet")]
    for call in last:
        yield from _draw_call(call, page)
