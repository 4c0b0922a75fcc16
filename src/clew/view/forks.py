"""Forks: where a conversation went several ways, and where it begins again."""

from collections.abc import Iterator, Sequence

from clew.conversation import Message
from clew.view.context import PageContext
from clew.view.index import Branch
from clew.view.labels import summary_line
from clew.view.page import BranchView, ForkView


def make_fork(place: str, context: PageContext) -> Iterator[ForkView]:
    """Make the fork at a message, if there is one; the page goes on with its main way."""
    branches = context.index.branches.get(place)
    if not branches:
        return
    others = (_branch(branch, context) for branch in branches)
    yield ForkView(id=f"fork-{place}", branches=(_main(place, context), *others))


def make_beginning(message: Message) -> ForkView:
    """Mark a message that does not continue the ones above."""
    return ForkView(id=f"beginning-{message.id}", kind="beginning")


def branch_name(branch: Branch) -> str:
    """Return the id of a branch on a page."""
    return f"branch-{branch.messages[0].id}"


def _main(place: str, context: PageContext) -> BranchView:
    rest = context.index.without_progress(_after(place, context))
    return BranchView(
        id=f"branch-{rest[0].id}" if rest else f"branch-after-{place}",
        title=_title(rest),
        started_at=rest[0].started_at if rest else "",
        messages=len(rest),
        is_main=True,
    )


def _branch(branch: Branch, context: PageContext) -> BranchView:
    messages = branch.messages
    return BranchView(
        id=branch_name(branch),
        title=_title(messages),
        started_at=messages[0].started_at,
        messages=len(context.index.without_progress(messages)),
        items=context.make_items(messages, context) if context.options.with_branches else (),
    )


def _after(place: str, context: PageContext) -> Sequence[Message]:
    """Return the messages that go on behind a place, on the spine or on a branch."""
    index = context.index
    if not place:
        return index.spine
    branches = (branch.messages for own in index.branches.values() for branch in own)
    for way in (index.spine, *branches):
        found = next((n for n, message in enumerate(way, 1) if message.id == place), 0)
        if found:
            return way[found:]
    return []


def _title(messages: Sequence[Message]) -> str:
    """Return the first words of a branch: those of its first prompt, if it has one."""
    prompt = next((message for message in messages if message.kind == "prompt"), None)
    if prompt is None:
        prompt = next((message for message in messages if message.text.strip()), None)
    return "" if prompt is None else summary_line(prompt.text)
