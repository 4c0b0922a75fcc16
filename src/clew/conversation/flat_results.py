"""Results of the flat dialect, which name no call: each answers the oldest one that still waits.

Calls wait along the branches of the conversation, so those are followed first; the rows of results
are then written anew with the id of their call, and from there on are like all others.
"""

from collections.abc import Iterable

import msgspec

from clew.conversation.graph import Forest
from clew.conversation.nodes import Node
from clew.conversation.threads import Segment
from clew.entries import (
    FLAT_ID,
    Assistant,
    System,
    ToolResultBlock,
    ToolUseBlock,
    User,
    may_be_result,
    to_result,
)


class _Waiting(msgspec.Struct, frozen=True, gc=False):
    """A call without a result so far, and after how many prompts of its branch it was made."""

    node: Node
    prompts: int

    @property
    def is_aborted(self) -> bool:
        """Return whether the call was broken off, so that a result is not to be expected."""
        body = self.node.entry.body
        return isinstance(body, Assistant) and body.is_aborted


class _Branch(msgspec.Struct):
    """Where a branch is: the calls that wait, oldest first, and the prompts so far."""

    waiting: list[_Waiting] = []
    prompts: int = 0


def has_flat_calls(nodes: Iterable[Node]) -> bool:
    """Return whether there are calls or results that name no other."""
    return any(map(_is_flat, nodes))


def answer_flat_calls(forest: Forest, segments: Iterable[Segment]) -> None:
    """Set an id for each flat call, and on each flat result that of the call it answers."""
    pairing = _Pairing(forest.nodes)
    ends: dict[int, _Branch] = {}
    for segment in segments:
        before = _Branch([]) if segment.parent is None else ends[segment.parent]
        branch = ends[segment.index] = _Branch([*before.waiting], before.prompts)
        for place in segment.nodes:
            node, message = forest.nodes[place], forest.messages[place]
            if _is_call(node):
                branch.waiting.append(_Waiting(node, branch.prompts))
            elif _is_result(node):
                pairing.answer(node, branch)
            elif message is not None and message.kind == "prompt":
                branch.prompts += 1
    for node in filter(_is_call, forest.nodes):
        _set_call_id(node)


class _Pairing:
    """Which results are below which calls, and which of them are already paired."""

    def __init__(self, nodes: Iterable[Node]) -> None:
        self._on_call: dict[str, set[str]] = {}
        self._own: set[str] = set()
        for node in filter(_is_result, nodes):
            self._on_call.setdefault(node.parent or "", set()).add(node.id)

    def answer(self, result: Node, branch: _Branch) -> None:
        """Pair a result with a call of its branch; a system row that answers none stays one."""
        call = self._choose(result, branch)
        if call is not None:
            branch.waiting.remove(call)
        self._on_call.get(result.parent or "", set()).discard(result.id)
        body = result.entry.body
        if isinstance(body, User) or (isinstance(body, System) and call is not None):
            name = FLAT_ID + (result.id if call is None else call.node.id)
            _replace_body(result, to_result(body, name))

    def _choose(self, result: Node, branch: _Branch) -> _Waiting | None:
        options = [call for call in branch.waiting if self._may_answer(result, call, branch)]
        direct = next((call for call in options if call.node.id == result.parent), None)
        if direct is not None and self._has_own_call(result, options):
            return direct
        return options[0] if options else None

    def _may_answer(self, result: Node, call: _Waiting, branch: _Branch) -> bool:
        """Only a row that says it is a result may come after another prompt."""
        if call.is_aborted:
            return call.node.id == result.parent
        return isinstance(result.entry.body, User) or call.prompts == branch.prompts

    def _has_own_call(self, result: Node, options: list[_Waiting]) -> bool:
        """Return whether several results wait to be paired, and each is below a call of its own."""
        if result.id not in self._own:
            hung = [self._on_call.get(call.node.id, set()) for call in options]
            if any(len(results) > 1 for results in hung):
                return False
            found = {name for results in hung for name in results}
            if len(found) > 1:
                self._own |= found
        return result.id in self._own


def _is_flat(node: Node) -> bool:
    # Of the many rows that are not, most are told by their type or by one field.
    body = node.entry.body
    if isinstance(body, Assistant):
        return not body.message.id and _is_call(node)
    return isinstance(body, User) and _is_sure_result(node)


def _is_call(node: Node) -> bool:
    body = node.entry.body
    # Answers that the server gave have an id: nearly all end here.
    if not isinstance(body, Assistant) or body.message.id or isinstance(body.message.content, str):
        return False
    return any(_is_flat_use(block) for block in body.message.content)


def _is_flat_use(block: msgspec.Struct) -> bool:
    return isinstance(block, ToolUseBlock) and block.id.startswith(FLAT_ID)


def _is_result(node: Node) -> bool:
    body = node.entry.body
    return may_be_result(body) if isinstance(body, System) else _is_sure_result(node)


def _is_sure_result(node: Node) -> bool:
    body = node.entry.body
    if not isinstance(body, User) or isinstance(body.message.content, str):
        return False
    for block in body.message.content:
        if isinstance(block, ToolResultBlock) and block.tool_use_id == FLAT_ID:
            return True
    return False


def _set_call_id(node: Node) -> None:
    """Name a call after its row, which has a name also where it has no uuid."""
    body = node.entry.body
    if isinstance(body, Assistant) and not isinstance(body.message.content, str):
        blocks = [
            msgspec.structs.replace(block, id=FLAT_ID + node.id)
            if isinstance(block, ToolUseBlock) and _is_flat_use(block)
            else block
            for block in body.message.content
        ]
        message = msgspec.structs.replace(body.message, content=blocks)
        _replace_body(node, msgspec.structs.replace(body, message=message))


def _replace_body(node: Node, body: User | Assistant) -> None:
    node.entry = msgspec.structs.replace(node.entry, body=body)
