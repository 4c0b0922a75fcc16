"""Answers of the model, the results of their calls, and the agent runs they start."""

from datetime import timedelta

import msgspec

from tests.build.blocks import Block, text, thinking, tool_use
from tests.build.calls import Agent, Call, tool_use_result_of
from tests.build.draft import Draft, Turn
from tests.build.layout import HOME, project_folder
from tests.build.rows import Answer, answer_body, result_body
from tests.build.runs import Run, starting_input
from tests.build.texts import persisted_output
from tests.build.usage import Usage, tokens_of


def write_answer(
    draft: Draft,
    blocks: list[Block],
    usage: Usage | None = None,
    stop_reason: str = "end_turn",
    *,
    growing: bool = False,
) -> list[str]:
    """Write one row per block, all with one message id, and give their uuids."""
    blocks = [_completed(draft, block) for block in blocks]
    total = draft.usage = usage or _charge(draft, blocks)
    draft.spent[draft.model] = draft.spent.get(draft.model, Usage()) + total
    draft.message_id = draft.ids.message()
    request = draft.ids.request(), draft.ids.uuid("request")
    answer = Answer(draft.message_id, *request, draft.model, total, stop_reason)
    uuids = []
    for index, block in enumerate(blocks):
        share = (index + 1) / len(blocks)
        fragment = _fragment(draft, answer, share if growing else 1, is_last=share == 1)
        uuids.append(draft.add(answer_body(draft.place, fragment, block, index)))
    return uuids


def calling_blocks(
    draft: Draft, calls: tuple[Call | Agent, ...], say: str, think: str | None
) -> list[Block]:
    """Give the blocks of an answer that makes these calls."""
    opening = [] if think is None else [thinking(think)]
    opening += [text(say)] if say else []
    return opening + [_tool_use(draft, call) for call in calls]


def write_result(draft: Draft, call: Call, call_id: str, fragment: str) -> None:
    """Write how a call ended, below the fragment that made it; nothing for a pending call."""
    if call.result is None and not call.denied:
        return
    draft.now += timedelta(seconds=call.seconds)
    if call.persisted:
        call = _persist(draft, call)
    draft.fresh_tokens += tokens_of(call.result)
    body = result_body(draft.place, call, call_id, fragment)
    body = {"promptId": draft.turn.prompt_id, **body}
    # Older clients let the results of parallel calls follow one another.
    parent = fragment if draft.client.writes("sourceToolAssistantUUID") else draft.parent
    draft.add(body, parent=parent)


def open_run(draft: Draft, agent: Agent) -> Draft:
    """Give the draft on which an agent run is written."""
    agent_id = draft.ids.agent(draft.client.agent_id_digits)
    depth = draft.place.depth + 1
    return msgspec.structs.replace(
        draft,
        place=msgspec.structs.replace(
            draft.place, agent_id=agent_id, agent=agent.agent, depth=depth
        ),
        items=[],
        parent=None,
        names={},
        turn=Turn(prompt_id=draft.turn.prompt_id),
        context_tokens=0,
        fresh_tokens=0,
    )


def close_run(draft: Draft, below: Draft, agent: Agent, call_id: str) -> Run:
    """Note an agent run that is over; the oldest clients write it among the session's rows."""
    run = Run(
        agent,
        call_id,
        place=below.place,
        model=below.model,
        parent_id=draft.place.agent_id,
        rows=below.rows,
        content=below.content,
        usage=below.usage,
        duration_ms=int((below.now - draft.now) / timedelta(milliseconds=1)),
    )
    draft.runs.append(run)
    if draft.client.agent_layout == "inline":
        draft.items += below.items
    if not agent.background:
        draft.now = below.now
    return run


def _fragment(draft: Draft, answer: Answer, share: float, *, is_last: bool) -> Answer:
    usage = msgspec.structs.replace(answer.usage, output=int(answer.usage.output * share))
    # Clients write the stop reason on every fragment since they wait for the answer's end.
    is_told = is_last or draft.client.writes("message.stop_details")
    reason = answer.stop_reason if is_told else None
    return msgspec.structs.replace(answer, usage=usage, stop_reason=reason)


def _completed(draft: Draft, block: Block) -> Block:
    match block:
        case {"type": "thinking", "signature": None}:
            return block | {"signature": draft.ids.signature()}
        case {"type": "tool_use", "id": None}:
            return block | {"id": draft.ids.call()}
        case _:
            return block


def _charge(draft: Draft, blocks: list[Block]) -> Usage:
    output = tokens_of(blocks)
    usage = Usage(
        input=8,
        output=output,
        cache_read=draft.context_tokens,
        cache_write_5m=draft.fresh_tokens,
    )
    draft.context_tokens += draft.fresh_tokens + output
    draft.fresh_tokens = 0
    return usage


def _tool_use(draft: Draft, call: Call | Agent) -> Block:
    match call:
        case Call():
            return tool_use(call.tool, call.input, call.id or draft.ids.call())
        case Agent():
            arguments = starting_input(call, draft.client)
            return tool_use(draft.client.agent_tool, arguments, draft.ids.call())


def _persist(draft: Draft, call: Call) -> Call:
    full, name = str(call.result), f"tool-results/{draft.ids.task()}.txt"
    folder = f"{HOME}/projects/{project_folder(draft.place.cwd)}/{draft.place.session_id}"
    path = f"{folder}/{name}"
    draft.sidecars[name] = full.encode()
    beside = tool_use_result_of(call, draft.client)
    if isinstance(beside, dict):
        beside |= {"persistedOutputPath": path, "persistedOutputSize": len(full.encode())}
    return msgspec.structs.replace(
        call, result=persisted_output(full, path), tool_use_result=beside
    )
