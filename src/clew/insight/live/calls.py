"""Calls without a result: which of them run, and which probably ask a person."""

from collections.abc import Sequence
from typing import Final

from clew.conversation import AgentRun, Conversation, Message, ToolCall
from clew.insight.live.model import LONGEST_ACTION, LONGEST_CALL_MS, Activity
from clew.tools import (
    UNASKED_MODES,
    BashInput,
    call_label,
    call_subject,
    decode_input,
    find_tool,
    is_edit,
    read_decision,
    tool_title,
)

_UNSURE: Final = "is running, or asks for permission"
_ENDED: Final = frozenset(("done", "failed", "denied", "interrupted", "missing"))


class OpenCalls:
    """The calls of a conversation, and what its people were asked about before.

    The transcript does not say that a permission is being asked for. It is inferred for edits,
    and for calls like one that a person had to decide before in this session, unless the mode of
    the turn lets them through or the call has shown that it runs.
    """

    def __init__(self, conversation: Conversation) -> None:
        self._by_id = {call.id: call for call in conversation.tool_calls}
        self._by_message: dict[str, list[ToolCall]] = {}
        for call in conversation.tool_calls:
            self._by_message.setdefault(call.message_id, []).append(call)
        self._cwd = conversation.session.cwd
        self._decided = self._read_decisions(conversation)
        self._mode = _last_mode(conversation)

    def of(self, answer: Message) -> list[ToolCall]:
        """Return the calls of an answer."""
        return self._by_message.get(answer.id, [])

    def pending(self, answer: Message) -> list[ToolCall]:
        """Return the calls of an answer that have no result."""
        return [call for call in self.of(answer) if call.status == "pending"]

    def is_open(self, run: AgentRun) -> bool:
        """Return whether an agent run has not ended."""
        call = self._by_id.get(run.tool_call_id or "")
        if call is None:
            return False
        return call.status == "pending" or bool(call.background_id and run.status not in _ENDED)

    def activity(self, answer: Message, pending: Sequence[ToolCall]) -> Activity:
        """Return what calls without a result do: the one that asks a person counts most."""
        cwd = answer.cwd or self._cwd
        for call in pending:
            if find_tool(call.tool).asks_person:
                return _activity(answer, call, cwd, is_sure=True)
        for call in pending:
            if self._may_ask(call, cwd):
                return _activity(answer, call, cwd, is_sure=False)
        last = pending[-1]
        return Activity(
            doing="calling",
            reason=(reason := self._describe_running(last, cwd)),
            is_unsure=reason.endswith(_UNSURE),
            limit_ms=_limit_ms(last),
            action=action_of_call(last, cwd),
            message_id=answer.id,
            call_id=last.id,
        )

    def _describe_running(self, call: ToolCall, cwd: str) -> str:
        is_sure = _is_running(call) or self._mode in UNASKED_MODES or call.started_run_id
        words = "is running" if is_sure or self._is_allowed(call, cwd) else _UNSURE
        return f"{tool_title(call.tool)} {words}"

    def _is_allowed(self, call: ToolCall, cwd: str) -> bool:
        """Return whether calls like this one were let through without a question before."""
        return not call_subject(call.tool, bytes(call.input), cwd) or self._decided.get(
            _key(call, cwd), False
        )

    def _may_ask(self, call: ToolCall, cwd: str) -> bool:
        if _is_running(call) or self._mode in UNASKED_MODES:
            return False
        return is_edit(call.tool) or self._decided.get(_key(call, cwd)) is False

    def _read_decisions(self, conversation: Conversation) -> dict[tuple[str, str], bool]:
        """Return whether calls were let through without a question, or for the whole session."""
        found: dict[tuple[str, str], bool] = {}
        for call in conversation.tool_calls:
            decision = read_decision(call)
            # A hook may decide otherwise the next time.
            if decision is not None and decision.by != "hook":
                is_settled = decision.answer in ("accepted_session", "accepted_always")
                found[_key(call, self._cwd)] = is_settled or not decision.by_person
        return found


def action_of_call(call: ToolCall, cwd: str) -> str:
    """Describe a call in one line; a command as it is, since people have to decide about it."""
    arguments = decode_input(call.tool, bytes(call.input))
    if isinstance(arguments, BashInput):
        label = " ".join(arguments.command.split())
    else:
        label = call_label(call.tool, arguments, cwd=cwd)
    return f"{tool_title(call.tool)} {label}"[:LONGEST_ACTION].strip()


def _limit_ms(call: ToolCall) -> float:
    """Return after how long a call has ended if it runs."""
    arguments = decode_input(call.tool, bytes(call.input))
    stated = arguments.timeout_ms if isinstance(arguments, BashInput) else None
    return LONGEST_CALL_MS if stated is None else stated


def _activity(answer: Message, call: ToolCall, cwd: str, *, is_sure: bool) -> Activity:
    action = action_of_call(call, cwd)
    words = "a question is open" if is_sure else "probably asks for permission"
    return Activity(
        doing="asking" if is_sure else "may_ask",
        reason=f"{tool_title(call.tool)}: {words}",
        action=action,
        message_id=answer.id,
        call_id=call.id,
    )


def _is_running(call: ToolCall) -> bool:
    """Return whether a call has shown that it runs."""
    return call.times is not None and call.times.ran_from is not None


def _key(call: ToolCall, cwd: str) -> tuple[str, str]:
    return call.tool, call_subject(call.tool, bytes(call.input), cwd)


def _last_mode(conversation: Conversation) -> str:
    """Return the permission mode of the last message that states one."""
    modes = (m.permission_mode for m in reversed(conversation.messages) if m.permission_mode)
    return next(modes, None) or ""
