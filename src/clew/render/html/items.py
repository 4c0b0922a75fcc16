"""Items of a section → markup: messages, compactions, forks, gaps and agent runs."""

from collections.abc import Iterable, Iterator
from typing import Final, assert_never

import msgspec

from clew.analytics import CompactionLoss
from clew.render.formatting import cost, describe_compaction, duration, is_worth_showing, plural
from clew.render.html.calls import draw_run
from clew.render.html.escaping import anchor, escape, escape_fully, markup
from clew.render.html.formatting import clock, day_and_clock, utc
from clew.render.html.marks import AT_LEAST
from clew.render.html.messages import draw_message, level_of
from clew.render.html.options import HtmlOptions
from clew.render.html.parts import draw_parts
from clew.render.html.templates import draw
from clew.view import (
    BranchView,
    CompactionView,
    Detail,
    ForkView,
    GapView,
    Item,
    MessageView,
    RunView,
    SectionView,
    TurnView,
)

# Deeper than this, what is inside comes after instead: neither we nor a browser fall over.
_DEEPEST: Final = 40
_LONGEST_PROMPT: Final = 160
_BEFORE_ALL: Final = "Before the first prompt"


class Figure(msgspec.Struct, frozen=True, gc=False):
    """A number with its noun, whether it is good or bad, and what a mark in it means."""

    text: str
    tone: str = ""
    title: str = ""


class _BranchMarkup(msgspec.Struct, frozen=True, gc=False):
    anchor: str
    title: str
    messages: int
    is_main: bool
    datetime: str
    clock: str
    items: str


def render_section(section: SectionView, options: HtmlOptions, turn: TurnView | None = None) -> str:
    """Return the markup of one section, below a rule if it is the first of its turn."""
    place = section.place
    rule = _turn_rule(turn) if turn is not None and place.is_first else ""
    return (
        f'<section class="turn" id="s-{place.index}" data-turn="{place.turn}"'
        f' data-section="{place.index}">{rule}{_draw_all(section.items, options, 0)}</section>\n'
    )


def turn_figures(turn: TurnView) -> list[Figure]:
    """Return the numbers of a turn: edits, calls, agent runs, errors."""
    found = []
    if turn.edits:
        found.append(Figure(plural(turn.edits, "edit")))
    if turn.calls:
        found.append(Figure(plural(turn.calls, "call")))
    if turn.runs:
        found.append(Figure(plural(turn.runs, "run")))
    if turn.errors:
        found.append(Figure(f"✗ {turn.errors:,}", "bad", plural(turn.errors, "error")))
    return found


def _turn_rule(turn: TurnView) -> str:
    figures = turn_figures(turn)
    if turn.duration_ms is not None:
        figures.append(Figure(duration(turn.duration_ms)))
    if is_worth_showing(turn.spent):
        spent = cost(turn.spent)
        figures.append(Figure(spent, title=AT_LEAST if spent.startswith("≥") else ""))
    number, said = (turn.index, f"Prompt {turn.index}") if turn.index else ("·", _BEFORE_ALL)
    title = escape(turn.title) if turn.index else _BEFORE_ALL
    at = utc(turn.started_at)
    time = f'<time datetime="{at}" data-form="day">{day_and_clock(at)}</time>' if at else ""
    return (
        f'<header class="turn-head"><h2><span class="number">{number}</span>'
        f'<span class="sr">{said}</span></h2>'
        f'<button type="button" class="js" data-do="turn" aria-expanded="true"'
        f' aria-label="{said}" title="Fold this turn (t)"></button>{time}'
        f'<span class="said"><bdi>{title}</bdi></span>'
        f'<span class="end">{" ".join(map(_figure, figures))}</span></header>'
    )


def _figure(figure: Figure) -> str:
    classes = f' class="{figure.tone}"' if figure.tone else ""
    classes += f' title="{figure.title}"' if figure.title else ""
    return f"<span{classes}>{escape_fully(figure.text)}</span>"


def _draw_all(items: Iterable[Item], options: HtmlOptions, depth: int) -> str:
    return "".join(_draw_each(items, options, depth))


def _draw_each(items: Iterable[Item], options: HtmlOptions, depth: int) -> Iterator[str]:
    before: MessageView | None = None
    for item in items:
        match item:
            case MessageView():
                level = level_of(item)
                yield _message(item, level, before, options, depth)
                if level < Detail.EVERYTHING:
                    before = item
            case CompactionView():
                before = None
                yield _compaction(item)
            case GapView():
                yield draw("gap.html", item=item, anchor=anchor("m", item.id))
            case RunView():
                yield _run(item, options, depth)
            case ForkView():
                before = None
                yield _fork(item, options, depth)
            case _:
                assert_never(item)


def _message(
    message: MessageView, level: int, before: MessageView | None, options: HtmlOptions, depth: int
) -> str:
    outcome = _draw_all(message.outcome, options, depth + 1) if message.outcome else ""
    run = _RunDrawer(options, depth)
    if options.author:
        message = msgspec.structs.replace(message, who=options.name_of(message.who))
    return draw_message(message, level, before, run, outcome)


class _RunDrawer:
    """Draws the runs that the calls of a message started."""

    def __init__(self, options: HtmlOptions, depth: int) -> None:
        self.options = options
        self.depth = depth

    def __call__(self, run: RunView) -> str:
        return _run(run, self.options, self.depth)


def _run(run: RunView, options: HtmlOptions, depth: int) -> str:
    if depth >= _DEEPEST:
        return draw_run(run, "", options) + _draw_all(run.items, options, depth)
    return draw_run(run, _draw_all(run.items, options, depth + 1), options)


def _compaction(item: CompactionView) -> str:
    said, summary = describe_compaction(item), markup(draw_parts(item.summary))
    loss = _shown_loss(item.loss)
    place = anchor("m", item.id)
    return draw("compaction.html", said=said, anchor=place, summary=summary, loss=loss)


def _shown_loss(loss: CompactionLoss | None) -> dict[str, object] | None:
    """Say in a line what a summary leaves out; nothing where it leaves nothing out."""
    if loss is None or not (loss.lost_files or loss.lost_prompts or loss.read_again):
        return None
    lost = [
        plural(len(found), noun)
        for found, noun in ((loss.lost_files, "file"), (loss.lost_prompts, "prompt"))
        if found
    ]
    said = [f"{' and '.join(lost)} not in the summary"] if lost else []
    if loss.read_again:
        said.append(f"{plural(len(loss.read_again), 'file')} read again")
    return {
        "said": ", ".join(said),
        "files": loss.lost_files,
        "changed": loss.lost_changed_files,
        "read_again": loss.read_again,
        "prompts": [
            (anchor("m", one.message_id), " ".join(one.text.split())[:_LONGEST_PROMPT])
            for one in loss.lost_prompts
        ],
    }


def _fork(fork: ForkView, options: HtmlOptions, depth: int) -> str:
    is_deep = depth >= _DEEPEST
    branches = [_branch(branch, options, depth, is_deep=is_deep) for branch in fork.branches]
    drawn = draw("fork.html", item=fork, branches=branches, anchor=anchor("f", fork.id))
    if not is_deep:
        return drawn
    return drawn + "".join(_draw_all(branch.items, options, depth) for branch in fork.branches)


def _branch(
    branch: BranchView, options: HtmlOptions, depth: int, *, is_deep: bool
) -> _BranchMarkup:
    return _BranchMarkup(
        anchor=anchor("b", branch.id),
        title=branch.title or ("Main thread" if branch.is_main else "Branch"),
        messages=branch.messages,
        is_main=branch.is_main,
        datetime=utc(branch.started_at),
        clock=clock(branch.started_at),
        items="" if is_deep else markup(_draw_all(branch.items, options, depth + 1)),
    )
