"""PageContext: what every part of a page needs: the conversation, options and lookups."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final, TypeAlias

import msgspec

from clew.conversation import Message, ToolCall
from clew.problems import Problem
from clew.view.detail import Detail
from clew.view.index import PageIndex
from clew.view.options import ViewOptions
from clew.view.page import Item
from clew.view.task_names import name_tasks

ProblemsByLine: TypeAlias = dict[tuple[str, int], list[Problem]]
CallsByMessage: TypeAlias = dict[str, list[ToolCall]]
MakeItems: TypeAlias = Callable[[Sequence[Message], "PageContext"], tuple[Item, ...]]

# The kinds of problems that leave a gap; all others are listed with the frame.
_GAP_KINDS: Final = ("missing_parent", "cycle", "torn", "glued")


class PageContext(msgspec.Struct, frozen=True):
    """A conversation, how it is shown, and the current depth of agent runs.

    `gap_problems` are the problems that leave a gap, by file and offset. `make_items`
    makes the items of a run or a branch. `task_names` are the subjects of tasks that calls name by
    number alone, by the call's id. `worktrees` are the folders of those agent runs
    that worked in one of their own.
    """

    index: PageIndex
    options: ViewOptions
    calls_by_message: CallsByMessage
    gap_problems: ProblemsByLine
    make_items: MakeItems
    task_names: dict[str, str]
    worktrees: dict[str, str]
    depth: int = 0

    @property
    def detail(self) -> Detail:
        """How much is shown."""
        return self.options.detail

    @property
    def is_whole(self) -> bool:
        """Whether everything is shown."""
        return self.options.detail is Detail.EVERYTHING

    @property
    def shows_runs(self) -> bool:
        """Whether agent runs are shown; where there is nothing else, they are the page."""
        return self.options.detail >= Detail.TOOLS or not self.index.spine

    def folder_of(self, message: Message) -> str:
        """Return the folder from which paths are named: one for the session, whatever it visits."""
        own = self.worktrees.get(message.agent_run_id or "")
        return own or self.index.conversation.session.cwd

    def nested(self) -> "PageContext":
        """Return the context inside an agent run."""
        return msgspec.structs.replace(self, depth=self.depth + 1)


def make_context(index: PageIndex, options: ViewOptions, make_items: MakeItems) -> PageContext:
    """Look up once what every part of a page needs."""
    conversation = index.conversation
    calls: CallsByMessage = {}
    for call in conversation.tool_calls:
        calls.setdefault(call.message_id, []).append(call)
    gap_problems = _find_gap_problems(conversation.problems)
    names = name_tasks(conversation.tool_calls)
    worktrees = {run.id: run.worktree_path for run in conversation.agent_runs if run.worktree_path}
    return PageContext(index, options, calls, gap_problems, make_items, names, worktrees)


def _find_gap_problems(problems: Iterable[Problem]) -> ProblemsByLine:
    gap_problems: ProblemsByLine = {}
    for problem in problems:
        if problem.kind in _GAP_KINDS:
            gap_problems.setdefault((problem.file, problem.offset), []).append(problem)
    return gap_problems
