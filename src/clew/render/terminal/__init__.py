"""conversation → a page for a terminal.

A rule for each turn, a bar beside what a person said, one line for each tool call. Nothing depends
on colour, and nothing in a transcript can steer the terminal.
"""

from collections.abc import Iterable, Iterator

from clew.conversation import Conversation, Message, Turn
from clew.errors import NotFoundError
from clew.render.figures import moment
from clew.render.terminal.header import (
    draw_footer,
    draw_fork,
    draw_header,
    draw_new_thread,
    draw_outline,
    draw_rule,
)
from clew.render.terminal.lines import BLANK, Line, indent, spaced
from clew.render.terminal.page import Options, Page, make_page
from clew.render.terminal.paint import Ink, paint
from clew.render.terminal.prose import PROSE_WIDTH
from clew.render.terminal.talk import draw_messages, draw_runs
from clew.view import Branch, Detail, Index, make_index

__all__ = ["PROSE_WIDTH", "Ink", "Options", "render_terminal"]


def render_terminal(
    conversation: Conversation, options: Options, ink: Ink = Ink.PLAIN
) -> Iterator[str]:
    """Give a page, line by line.

    Raises:
        NotFoundError: The session has no turn of the number that was asked for.
    """
    page = make_page(make_index(conversation), options)
    messages = _chosen(page.index, options)
    return (paint(line, ink) for line in spaced(_draw(messages, page)))


def _chosen(index: Index, options: Options) -> list[Message]:
    """Give the messages of the page: those of the spine, or of one turn wherever it stands."""
    if options.turn is None:
        return index.spine
    turns = len(index.conversation.turns)
    if not 1 <= options.turn <= turns:
        raise NotFoundError(_no_turn(options.turn, turns))
    own = (m for m in index.conversation.messages if m.agent_run_id is None)
    return [message for message in own if message.turn == options.turn]


def _no_turn(asked: int, turns: int) -> str:
    there = {0: "has no turns", 1: "has one turn"}.get(turns, f"has turns 1 to {turns}")
    return f"there is no turn {asked}: the session {there}"


def _draw(messages: Iterable[Message], page: Page) -> Iterator[Line]:
    yield from draw_header(page)
    if page.options.turn is None:
        yield from draw_runs(page.index.loose_runs.get("", ()), page)
    yield from _draw_all(messages, page, [""])
    if page.options.turn is None:
        yield from draw_footer(page)


def _draw_all(messages: Iterable[Message], page: Page, days: list[str]) -> Iterator[Line]:
    """Draw messages, each turn below its rule and each fork where it was."""
    index = page.index
    together: list[Message] = []
    threads: frozenset[str] = frozenset()
    for message in messages:
        turn = index.turns.get(message.id)
        if turn is not None:
            yield from draw_messages(together, page)
            together.clear()
            if threads and threads.isdisjoint(message.thread_ids):
                yield from draw_new_thread()
            yield from _begin_turn(turn, message, page, days)
        threads = frozenset(message.thread_ids) or threads
        if page.detail is not Detail.OUTLINE:
            together.append(message)
        if message.id in index.loose_runs or message.id in index.branches:
            yield from draw_messages(together, page)
            together.clear()
            yield from draw_runs(index.loose_runs.get(message.id, ()), page)
            yield from _draw_branches(index.branches.get(message.id, []), page, days)
    yield from draw_messages(together, page)


def _begin_turn(turn: Turn, prompt: Message, page: Page, days: list[str]) -> Iterator[Line]:
    if page.detail is Detail.OUTLINE:
        yield draw_outline(turn, prompt, page)
        return
    at = moment(turn.started_at, page.options.zone)
    today = "" if at is None else at.date().isoformat()
    yield from draw_rule(turn, page, dated=bool(days[0]) and today != days[0])
    days[0] = today


def _draw_branches(branches: list[Branch], page: Page, days: list[str]) -> Iterator[Line]:
    if not branches or page.options.turn is not None:
        return
    yield from draw_fork(branches, page)
    if not page.options.branches:
        return
    for branch in branches:
        inner = page.inside(2)
        yield from indent(spaced(_draw_all(branch.messages, inner, days)), ("┊ ", "warn"))
    yield BLANK
    yield [("⑂ back to the main thread", "warn")]
