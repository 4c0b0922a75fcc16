"""A place in a session → the past before it: all that what stands behind must know."""

import msgspec

from clew.clock import milliseconds
from clew.conversation import AgentRun, Conversation, Material, Message, Thread, Transcript
from clew.store.fits import GUESSED, latest_time
from clew.store.past import OpenTurn, Past
from clew.store.queued import Operation, follow_queue, lone_words
from clew.store.rows import SessionRows
from clew.store.tail import open_turn_of


class Whole(msgspec.Struct, frozen=True):
    """What a session, or its tail behind a past, was made of and gave; `queued` are operations."""

    material: Material
    main: Transcript
    conversation: Conversation
    rows: SessionRows
    queued: list[Operation]
    base: Past | None = None
    names: bytes = b""
    said: str = ""


class Place(msgspec.Struct, frozen=True):
    """A place that is tried: an entry and a message, and what stands before and behind them."""

    whole: Whole
    index: int
    number: int
    stretch: Material
    behind: Material
    tail: Conversation

    @property
    def message(self) -> Message:
        """The message at which the tail begins."""
        return self.whole.conversation.messages[self.number]

    @property
    def offset(self) -> int:
        """Where it stands in the session's transcript."""
        return self.message.lines[0].offset

    @property
    def queued(self) -> list[Operation]:
        """The operations of the queue before it."""
        offset = self.offset
        return [operation for operation in self.whole.queued if operation.offset < offset]


def past_before(place: Place) -> Past | None:
    """Say what a tail must know of its past: mostly what the whole has beyond the tail.

    None means that something before the place still waits for something.
    """
    whole, tail, message = place.whole, place.tail, place.message
    conversation, session, base = whole.conversation, whole.rows.session, whole.base
    thread = next((t for t in conversation.threads if t.is_main), Thread(id=""))
    ended = milliseconds(str(session["ended_at"]))
    open_turn = _open_turn(place)
    queued = place.queued
    lone = lone_words(queued, conversation.messages[: place.number])
    _, waiting = follow_queue(queued, base.waiting if base else ())
    if message.thread_ids != (thread.id,) or len(tail.threads) != 1 or ended is None:
        return None
    if not _are_runs_settled(place) or (open_turn is not None and _is_measured(place)):
        return None
    transcripts = tuple(t.path for t in whole.material.transcripts)
    claim = str(session["claim"])
    return Past(
        transcripts=base.transcripts if base else transcripts,
        number=base.number if base else transcripts.index(whole.main.path),
        offset=place.offset,
        line=message.lines[0].line,
        agents=tuple(t.path for t in place.behind.transcripts[1:]),
        entries=(base.entries if base else 0) + place.index,
        messages=session["message_count"] - tail.totals.messages,
        calls=session["tool_call_count"] - tail.totals.tool_calls,
        turns=(base.turns if base else 0) + len(conversation.turns) - len(tail.turns),
        open_turn=open_turn,
        parent_id=message.parent_id,
        thread_id=thread.id,
        thread_messages=(base.thread_messages if base else 0)
        + len(thread.message_ids)
        - len(tail.threads[0].message_ids),
        epoch=message.epoch,
        last_epoch=base.last_epoch if base else len(conversation.epochs) - 1,
        time=latest_time(place.stretch.transcripts[0].entries),
        first_ms=ended - session["duration_ms"],
        active_ms=session["active_ms"] - tail.session.active_ms,
        models=_models(place),
        prompts=session["prompt_count"] - tail.totals.prompts,
        answers=session["answer_count"] - tail.totals.answers,
        errors=session["error_count"] - tail.totals.errors,
        agent_runs=session["agent_run_count"] - tail.totals.agent_runs,
        began=claim[len("|0|") : -len(f"|{whole.material.session_id}")],
        is_fork=claim.startswith("|1"),
        lone=(*(base.lone if base else ()), *lone),
        waiting=waiting,
        has_loose_runs=bool(base and base.has_loose_runs) or _has_guessed_runs(place),
        has_title_file=base.has_title_file if base else whole.material.custom_title is not None,
    )


def _open_turn(place: Place) -> OpenTurn | None:
    """Give the turn that the tail goes on with; None when it begins one."""
    conversation, base = place.whole.conversation, place.whole.base
    index = place.message.turn
    turn = next((turn for turn in conversation.turns if turn.index == index), None)
    if index is None or (turn is not None and turn.prompt_id == place.message.id):
        return None
    begun = base.open_turn if base and turn is None else None
    if begun is None:
        begun = OpenTurn(index=index, prompt_id=turn.prompt_id if turn else "")
    return open_turn_of(begun, _turn_before(place), conversation.tool_calls)


def _turn_before(place: Place) -> list[Message]:
    """Give the messages before a place that belong to its turn."""
    messages = place.whole.conversation.messages
    first = place.number
    while first > 0 and messages[first - 1].turn == place.message.turn:
        first -= 1
    return list(messages[first : place.number])


def _is_measured(place: Place) -> bool:
    return any(message.subtype == "turn_duration" for message in _turn_before(place))


def _models(place: Place) -> tuple[str, ...]:
    base = place.whole.base
    before = place.whole.conversation.messages[: place.number]
    own = (message.model for message in before if message.usage is not None and message.model)
    return tuple(dict.fromkeys((*(base.models if base else ()), *own)))


def _runs_before(place: Place) -> list[AgentRun]:
    behind = {run.id for run in place.tail.agent_runs}
    return [run for run in place.whole.conversation.agent_runs if run.id not in behind]


def _are_runs_settled(place: Place) -> bool:
    """Tell whether all runs that hang on no call began before the cut."""
    loose = [run for run in _runs_before(place) if run.tool_call_id is None]
    return all(run.started_at < place.message.started_at for run in loose)


def _has_guessed_runs(place: Place) -> bool:
    """Tell whether a later call might be found to have started an earlier run."""
    return any(run.link in GUESSED and not run.is_hidden for run in _runs_before(place))
