"""replay_session(conversation): every version of every file that a session touched."""

from collections.abc import Iterable

from clew.backups import Backup
from clew.conversation import Conversation, Message, ToolCall
from clew.replay.causes import call_cause
from clew.replay.model import Disturbance, SessionReplay, Version
from clew.replay.observations import (
    Edited,
    Observation,
    Seen,
    Told,
    Written,
    named_file,
    observe,
    observe_shell,
)
from clew.replay.steps import Phase, ReplayStep, SessionSteps, is_copied
from clew.replay.tracker import Running, Tracker
from clew.tools import is_edit, resolve_path


def replay_session(conversation: Conversation, backups: Iterable[Backup] = ()) -> SessionReplay:
    """Follow the files of a session through its steps. Same conversation, same result.

    Args:
        conversation: The session.
        backups: Copies of files that the client made, if there are any.
    """
    return _SessionReplay(conversation, backups).run()


class _SessionReplay:
    def __init__(self, conversation: Conversation, backups: Iterable[Backup]) -> None:
        self.conversation = conversation
        self.backups = backups
        self.tracker = Tracker()
        self.steps: dict[str, int] = {}

    def run(self) -> SessionReplay:
        for order, step in enumerate(
            SessionSteps(self.conversation, self.backups).in_order(), start=1
        ):
            self.tracker.order = order
            self._take(step)
        session = self.conversation.session
        return SessionReplay(
            session_id=session.id,
            project=session.project,
            cwd=session.cwd,
            started_at=session.started_at,
            ended_at=session.ended_at,
            versions=tuple(self.tracker.versions),
            disturbances=tuple(self.tracker.disturbances.all),
            steps=self.steps,
        )

    def _take(self, step: ReplayStep) -> None:
        match step.phase:
            case Phase.MESSAGE:
                self.steps.setdefault(step.id, self.tracker.order)
            case Phase.CALL if step.call is not None and step.message is not None:
                self._take_call(step.call, step.message)
            case Phase.BEGIN if step.effects is not None and step.cause is not None:
                self.tracker.begin(step.id, Running(step.effects, step.cause, step.context))
            case Phase.END:
                self.tracker.end(step.id)
            case Phase.WRITE:
                self._take_write(step)
            case Phase.BACKUP if step.backup is not None:
                self._take_backup(step.backup)
            case _:
                pass

    def _take_call(self, call: ToolCall, message: Message) -> None:
        cwd = message.cwd or self.conversation.session.cwd
        cause = call_cause(self.conversation, call, "call", call.tool)
        if call.status == "failed":
            return
        if call.status != "done":
            if is_edit(call.tool):
                self.tracker.disturb_files([named_file(call, cwd)], cause)
            return
        found = observe(call, cwd)
        if not found and is_edit(call.tool):
            self.tracker.disturb_files([named_file(call, cwd)], cause)
        for seen in found:
            self.tracker.observe(seen, call, self._version(seen, call, message), cause)

    def _take_backup(self, backup: Backup) -> None:
        """Take a copy as what the file was then."""
        session = self.conversation.session
        path = resolve_path(backup.path, session.cwd)
        version = Version(
            path=path,
            action="backup",
            tool="",
            session_id=session.id,
            message_id="",
            call_id=f"backup:{backup.name}",
            at=backup.at,
            order=self.tracker.order,
            is_shown=True,
        )
        self.tracker.see(Seen(path, backup.text), version)

    def _take_write(self, step: ReplayStep) -> None:
        cause, effects, call = step.cause, step.effects, step.call
        if cause is None or effects is None:
            return
        if cause.kind == "hook" and call is not None and step.message is not None:
            cwd = step.message.cwd or self.conversation.session.cwd
            self.tracker.disturb_files([named_file(call, cwd)], cause)
            return
        if step.path:
            self.tracker.disturb_files([step.path], cause)
            return
        if call is None or step.message is None or not self._take_told(step, call, step.message):
            self.tracker.disturb(effects, cause)

    def _take_told(self, step: ReplayStep, call: ToolCall, message: Message) -> bool:
        """Take what a command is said to have changed; the rest is as it was, as far as is told."""
        cwd = message.cwd or self.conversation.session.cwd
        told = observe_shell(call, cwd) if call.status == "done" else None
        if told is None or step.cause is None or step.effects is None:
            return False
        mark = Disturbance(self.tracker.order, step.cause, (cwd,), is_told=True)
        changes = [(seen, self.tracker.current(seen.path)) for seen in told]
        if not step.effects.is_none:
            self.tracker.disturbances.add(mark)
        for seen, expected in changes:
            self.tracker.tell(seen, expected, self._version(seen, call, message), step.cause)
        return True

    def _version(self, seen: Observation, call: ToolCall, message: Message) -> Version:
        return Version(
            path=seen.path,
            action=_action(seen),
            tool=call.tool,
            session_id=self.conversation.session.id,
            message_id=call.message_id,
            call_id=call.id,
            agent_run_id=call.agent_run_id,
            turn=message.turn,
            at=call.ended_at or call.started_at,
            order=self.tracker.order,
            is_inherited=is_copied(message),
            is_shown=_is_shown(seen),
        )


def _is_shown(seen: Observation) -> bool:
    match seen:
        case Seen():
            return True
        case Edited() | Written():
            return seen.original is not None
        case _:
            return False


def _action(seen: Observation) -> str:
    match seen:
        case Edited():
            return "edit"
        case Written():
            return "create" if seen.is_new else "write"
        case Told():
            return "delete" if seen.deleted else "shell"
        case _:
            return "read"
