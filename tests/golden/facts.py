"""What a person would count in the sessions of a recording."""

from collections.abc import Callable, Iterable
from typing import Any, Final

from clew.conversation import Conversation, Message, build
from clew.sessions import gather, group_sessions, link_neighbours
from clew.source import discover
from tests.recordings import Recording

# What these clients do otherwise, or leave no trace of: the number found, and why.
_NOT_WRITTEN: Final = "words typed while the model works are written nowhere"
_NO_FILE: Final = "no file is written when the first stream is cut or empty"
_NO_RESUME_AT: Final = "the client does not know --resume-session-at, and writes nothing"
_NO_BOUNDARY: Final = "the client marks compactions with neither a boundary nor a summary"
EXPLAINED: Final[dict[str, dict[str, tuple[int, str]]]] = {
    "1.0.30/autocompact": {"compactions": (0, _NO_BOUNDARY)},
    "1.0.30/commands": {
        "user_prompts": (3, "commands it does not know go to the model as prompts")
    },
    "1.0.30/compact": {
        "compactions": (0, _NO_BOUNDARY),
        "user_prompts": (6, "the model answers each /compact, as if it were a prompt"),
    },
    "1.0.30/hooks": {"stop_hook_blocks": (0, "the client leaves no trace of a hook's words")},
    "1.0.30/stream-oddities": {"user_prompts": (5, _NO_FILE), "sessions": (5, _NO_FILE)},
    "1.0.30/subagent-types": {"subagents": (3, "the client starts agents of any type")},
    "1.0.30/tools": {"tool_errors": (4, "the client refuses an argument of Grep")},
    "1.0.30/tui-interrupt": {"interrupts": (1, "the first one is told as a failed request")},
    "1.0.128/resume-at": {"user_prompts": (2, _NO_RESUME_AT), "branches": (1, _NO_RESUME_AT)},
    "1.0.128/steering": {"user_prompts": (1, _NOT_WRITTEN), "queued": (0, _NOT_WRITTEN)},
    "1.0.128/stream-oddities": {"user_prompts": (5, _NO_FILE), "sessions": (5, _NO_FILE)},
    "1.0.128/subagent-types": {"subagents": (1, "the client has no Explore agent")},
    "1.0.128/tui-queue": {"user_prompts": (2, _NOT_WRITTEN), "queued": (0, _NOT_WRITTEN)},
    "2.0.14/commands": {
        "user_prompts": (1, "of a command it does not know only the answer is written"),
        "slash_commands": (3, "of a command it does not know only the answer is written"),
    },
    "2.0.14/resume-at": {"user_prompts": (2, _NO_RESUME_AT), "branches": (1, _NO_RESUME_AT)},
    "2.0.14/steering": {"user_prompts": (1, _NOT_WRITTEN), "queued": (0, _NOT_WRITTEN)},
    "2.0.14/stream-oddities": {"user_prompts": (5, _NO_FILE), "sessions": (5, _NO_FILE)},
    "2.0.14/subagent-types": {"subagents": (1, "the client has no Explore agent")},
    "2.0.76/steering": {"user_prompts": (1, _NOT_WRITTEN), "queued": (0, _NOT_WRITTEN)},
    "2.1.150/hooks-block": {"user_prompts": (0, "a prompt that a hook blocks leaves no file")},
    "2.1.325/transcript-gc": {
        "user_prompts": (1, "the client took all rows before the compaction out of its file")
    },
}
# How many answers were never written, or taken out again when the client rewrote its file.
UNWRITTEN: Final = {
    "1.0.30/tui-interrupt": 2,
    "1.0.30/tui-permission": 2,
    "1.0.30/web": 1,
    "2.0.76/web": 1,
    "2.1.47/content-blocks": 1,
    "2.1.325/bgsession": 4,
    "2.1.325/no-persist": 1,
    "2.1.325/transcript-gc": 13,
}
# Without a word on them, none were made.
_NONE_BY_DEFAULT: Final = {"branches": 1, "compactions": 0}


def conversations(recording: Recording) -> list[Conversation]:
    """Build all sessions of a recording; some recordings left no file at all."""
    if not recording.root.exists():
        return []
    files = discover(recording.root).files
    sessions = group_sessions(files)
    return [build(link_neighbours(gather(session), session, files)) for session in sessions]


def expected_facts(recording: Recording) -> dict[str, int]:
    """Give what should be counted, as it was written down when the session was recorded."""
    told = {**_NONE_BY_DEFAULT, **recording.expected}
    return {name: told[name] for name in _COUNTS if name in told}


def count_facts(recording: Recording, found: list[Conversation]) -> dict[str, int]:
    """Count the same in the conversations."""
    return {name: count(recording, found) for name, count in _COUNTS.items()}


def _own(found: Iterable[Conversation], *kinds: str) -> list[Message]:
    return [m for c in found for m in c.messages if m.kind in kinds and m.agent_run_id is None]


def _prompts(recording: Recording, found: list[Conversation]) -> int:
    said = _own(found, "prompt", "steering")
    if "slash_commands" not in recording.expected:
        starts = {turn.prompt_id for conversation in found for turn in conversation.turns}
        said += [command for command in _own(found, "command") if command.id in starts]
    return len(_distinct(recording, said))


def _distinct(recording: Recording, messages: Iterable[Message]) -> set[str]:
    """Count a prompt once; 1.0.30 copies it under a new uuid each time a session is resumed."""
    has_copies = recording.version == "1.0.30"
    return {message.text if has_copies else message.entry_ids[0] for message in messages}


def _commands(recording: Recording, found: list[Conversation]) -> int:
    sent = [message for message in _own(found, "prompt") if message.text.startswith("/")]
    return len(_distinct(recording, [*_own(found, "command"), *sent]))


def _calls(**wanted: Any) -> Callable[[Recording, list[Conversation]], int]:
    def count(_: Recording, found: list[Conversation]) -> int:
        calls = [call for conversation in found for call in conversation.tool_calls]
        return sum(
            all(getattr(call, name) in values for name, values in wanted.items()) for call in calls
        )

    return count


def _messages(kind: str, start: str = "") -> Callable[[Recording, list[Conversation]], int]:
    def count(_: Recording, found: list[Conversation]) -> int:
        return sum(message.text.startswith(start) for message in _own(found, kind))

    return count


def _runs(_: Recording, found: list[Conversation]) -> int:
    return sum(not run.is_hidden for conversation in found for run in conversation.agent_runs)


def _run_calls(_: Recording, found: list[Conversation]) -> int:
    return sum(call.agent_run_id is not None for c in found for call in c.tool_calls)


def _sessions(_: Recording, found: list[Conversation]) -> int:
    return sum(bool(_own([conversation], "prompt", "answer")) for conversation in found)


_COUNTS: Final[dict[str, Callable[[Recording, list[Conversation]], int]]] = {
    "bash_inputs": _messages("bash_input"),
    "branches": lambda _, found: max((len(c.threads) for c in found), default=1),
    "clears": _messages("command", "/clear"),
    "compactions": lambda _, found: sum(len(c.epochs) - 1 for c in found),
    "interrupts": _messages("interrupt"),
    "pending_tool_calls": _calls(status=("pending", "interrupted")),
    "plans": _calls(tool=("ExitPlanMode",)),
    "questions": _calls(tool=("AskUserQuestion",)),
    "queued": _messages("steering"),
    "rejected": _calls(status=("denied",)),
    "sessions": _sessions,
    "slash_commands": _commands,
    "stop_hook_blocks": _messages("injection", "Stop hook"),
    "subagent_tool_calls": _run_calls,
    "subagents": _runs,
    "tool_calls": _calls(),
    "tool_errors": _calls(status=("failed",)),
    "user_prompts": _prompts,
}
