"""Requests measured by part, where the client wrote them down."""

import msgspec

from clew.conversation import ToolCall
from clew.insight.context.measure import NOTHING, Vector, add, measure_sent, vector
from clew.insight.context.requests import RequestLog, SentNode


class MeasuredRequests:
    """How many characters each part of a request has; each message is measured once."""

    def __init__(self, log: RequestLog, calls: tuple[ToolCall, ...]) -> None:
        self._log = log
        self._tools = {call.id: call.tool for call in calls}
        self._measured: dict[str, Vector] = {}

    def measure(self, message_id: str) -> Vector | None:
        """Return the characters of the request of an answer; None if no row describes it."""
        request = self._log.request_of(message_id)
        if request is None or request.last is None or request.is_cut:
            return None
        shape = self._log.shapes.get(request.shape_hash)
        fixed = NOTHING if shape is None else _sizes(shape.system, shape.tools)
        return add(fixed, self._sum(request.last))

    def _sum(self, last: SentNode) -> Vector:
        """Add up all messages up to one; what is known of earlier ones is not added up again."""
        waiting = []
        node: SentNode | None = last
        while node is not None and node.sums is None:
            waiting.append(node)
            node = node.parent
        sums = NOTHING if node is None or node.sums is None else node.sums
        for one in reversed(waiting):
            sums = one.sums = add(sums, self._of(one.hash))
        return sums

    def _of(self, name: str) -> Vector:
        if name not in self._measured:
            source = self._log.sources.get(name)
            found = NOTHING if source is None else measure_sent(source.message, self._tools)
            self._measured[name] = found
        return self._measured[name]


def _sizes(system: msgspec.Raw, tools: msgspec.Raw) -> Vector:
    return vector(system=len(bytes(system)), tools=len(bytes(tools)))
