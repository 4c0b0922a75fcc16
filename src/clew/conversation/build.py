"""build(material): the six steps from entries to a conversation, in order, on one screen."""

import msgspec

from clew.collector import without_collector
from clew.conversation.agent_runs import make_runs
from clew.conversation.duplicate_prompts import set_aside_duplicate_prompts
from clew.conversation.flat_results import answer_flat_calls, has_flat_calls
from clew.conversation.graph import Forest
from clew.conversation.inline_prompts import find_inline_prompts
from clew.conversation.material import Material
from clew.conversation.messages import Drafted, join_messages, name_answers
from clew.conversation.missing_runs import report_missing, uncounted_turns
from clew.conversation.model import Conversation, Message
from clew.conversation.nodes import MAIN, Node, Nodes, arrange, collect
from clew.conversation.progress import note_progress
from clew.conversation.progress_runs import add_progress_runs
from clew.conversation.reading_order import reading_order
from clew.conversation.resume_copies import set_aside_copies
from clew.conversation.session import (
    account_ids,
    describe_session,
    last_cost_state,
    pull_requests,
    total_up,
)
from clew.conversation.shared_answers import share_answers
from clew.conversation.steering import find_queued
from clew.conversation.threads import Segment, cut_segments, make_threads
from clew.conversation.tool_calls import pair_calls
from clew.conversation.turns import (
    finish_turns,
    group_turns,
    number_epochs,
    pair_messages,
)
from clew.conversation.usage import count_searches
from clew.conversation.variants import attach_variants


def build(material: Material) -> Conversation:
    """Turn a session's entries into its conversation. Same entries, same result."""
    with without_collector():
        return _build(material)


def _build(material: Material) -> Conversation:
    material = msgspec.structs.replace(material, transcripts=arrange(material.transcripts))
    nodes = collect(material)
    set_aside_copies(nodes)
    add_progress_runs(nodes)
    names = name_answers(nodes.by_id)
    shared = share_answers(nodes, names)
    contexts = _by_context(nodes)
    around = material.surroundings
    for name, own in contexts.items():
        if has_flat_calls(own):
            draft = join_messages(own, names, around, shared)
            set_aside_duplicate_prompts(draft, nodes)
            forest = _plant(name, own, nodes, draft.of_node)
            answer_flat_calls(forest, cut_segments(forest))
    drafts = {name: join_messages(own, names, around, shared) for name, own in contexts.items()}
    of_node = _index(drafts, nodes)
    _add_inline_prompts(nodes, contexts, drafts, of_node)
    _add_queued(nodes, contexts, drafts, of_node)
    attach_variants(nodes, of_node)

    calls, links, problems = pair_calls(nodes, of_node, material.tool_results)
    count_searches(of_node.values(), calls, links)
    forests = {name: _plant(name, own, nodes, of_node) for name, own in contexts.items()}
    parted = {name: cut_segments(forest) for name, forest in forests.items()}
    segments = parted[MAIN]
    threads = make_threads(segments)
    epochs = number_epochs(segments, nodes.by_id)
    turns = group_turns(segments)
    pair_messages(segments)

    # Runs rarely fork, and then branch follows branch.
    messages = [m for own in parted.values() for segment in own for m in segment.messages]
    runs = make_runs(material, nodes, calls, links, messages)
    by_id = {message.id: message for message in messages}
    order = reading_order(runs, calls, by_id)
    for name, forest in forests.items():
        _set_parents(forest, parted[name])
    _join_turns(order)
    uncounted = uncounted_turns(runs, calls, by_id)
    finish_turns(turns, by_id, calls, nodes.by_id, uncounted)

    session = describe_session(material, nodes, order, threads, runs)
    conversation = Conversation(
        session=session,
        messages=tuple(order),
        tool_calls=tuple(calls),
        agent_runs=tuple(runs),
        threads=tuple(threads),
        turns=tuple(turns),
        epochs=tuple(epochs),
        duplicates=(*nodes.duplicates, *(c for d in drafts.values() for c in d.duplicates)),
        problems=(
            *nodes.problems,
            *(p for f in forests.values() for p in f.problems),
            *problems,
            *report_missing(session, runs, calls, by_id),
        ),
        cost_state=last_cost_state(nodes),
        account_ids=account_ids(nodes),
        progress=note_progress(nodes, calls, of_node),
        pull_requests=pull_requests(nodes),
    )
    conversation.totals = total_up(
        conversation, is_complete=session.has_transcript and not uncounted
    )
    return conversation


def _by_context(nodes: Nodes) -> dict[str, list[Node]]:
    contexts: dict[str, list[Node]] = {MAIN: []}
    for node in nodes.by_id.values():
        contexts.setdefault(node.context, []).append(node)
    return contexts


def _index(drafts: dict[str, Drafted], nodes: Nodes) -> dict[str, Message]:
    of_node: dict[str, Message] = {}
    for draft in drafts.values():
        set_aside_duplicate_prompts(draft, nodes)
        of_node.update(draft.of_node)
    return of_node


def _add_inline_prompts(
    nodes: Nodes,
    contexts: dict[str, list[Node]],
    drafts: dict[str, Drafted],
    of_node: dict[str, Message],
) -> None:
    """Put words from the row of a result right below it."""
    _insert(find_inline_prompts(nodes, of_node), nodes, contexts, drafts, of_node)


def _add_queued(
    nodes: Nodes,
    contexts: dict[str, list[Node]],
    drafts: dict[str, Drafted],
    of_node: dict[str, Message],
) -> None:
    """Put words that are only in the queue where they were typed: below the row before them."""
    queued = find_queued(nodes, of_node)
    if not queued:
        return
    _insert(queued, nodes, contexts, drafts, of_node)
    added = {node.id for node, _ in queued}
    previous: str | None = None
    for node in contexts[MAIN]:
        if node.id in added:
            node.parent = previous
        previous = node.id


def _insert(
    found: list[tuple[Node, Message]],
    nodes: Nodes,
    contexts: dict[str, list[Node]],
    drafts: dict[str, Drafted],
    of_node: dict[str, Message],
) -> None:
    """Put messages that no row of their own contains among the others, in order."""
    for node, message in found:
        nodes.by_id[node.id] = node
        of_node[node.id] = message
        drafts[node.context].messages.append(message)
        contexts[node.context].append(node)
    for context in {node.context for node, _ in found}:
        contexts[context].sort(key=lambda node: node.order)


def _plant(name: str, own: list[Node], nodes: Nodes, of_node: dict[str, Message]) -> Forest:
    return Forest(own, nodes.by_id if name != MAIN else {}, of_node)


def _set_parents(forest: Forest, segments: list[Segment]) -> None:
    """A message's parent is the nearest message above its row that is read first."""
    nearest: list[str | None] = [None] * len(forest.nodes)
    placed: set[str] = set()
    for segment in segments:
        for row in segment.nodes:
            above = forest.parent[row]
            parent = None if above is None else nearest[above]
            message = forest.messages[row]
            nearest[row] = parent if message is None else message.id
            if message is not None and message.id not in placed:
                placed.add(message.id)
                message.parent_id = parent


def _join_turns(order: list[Message]) -> None:
    """An agent run's messages belong to the turn and epoch in which the run was started."""
    turn, epoch = None, 0
    for message in order:
        if message.agent_run_id is None:
            turn, epoch = message.turn, message.epoch
        else:
            message.turn, message.epoch = turn, epoch
