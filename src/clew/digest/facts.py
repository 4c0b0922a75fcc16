"""A conversation → facts: what is known of it without asking anybody. They never guess."""

from collections.abc import Iterable, Iterator
from typing import Final

import msgspec

from clew.analytics import FileTouch, call_reports, file_touches
from clew.conversation import (
    Conversation,
    Message,
    Opening,
    ToolCall,
    find_opening,
    says_something,
)
from clew.digest.model import (
    DigestFacts,
    QuotedClaim,
    ReportedCommit,
    TestRun,
    TouchedFile,
)
from clew.digest.plain import cut
from clew.digest.sentences import is_quotable
from clew.digest.talk import ASSISTANT, USER, main_messages, speaker_of, without_injections
from clew.digest.tasks import last_tasks
from clew.digest.telling import READ, find_told, is_final, quote_told, read_sentences, tell
from clew.tools import (
    BashInput,
    BashResult,
    EditInput,
    MultiEditInput,
    NotebookEditInput,
    WriteInput,
    decode_input,
    find_tests,
    find_tool,
)

_PROMPT_LENGTH: Final = 200
_COMMAND_LENGTH: Final = 200
_CHANGES: Final = (EditInput, MultiEditInput, NotebookEditInput, WriteInput)
_NEVER_RAN: Final = ("denied", "pending")
_SILENT: Final = ("hook", "attachment", "system", "injection", "notification")
# What a person did without the model, and what the client did: neither ends its work.
_BESIDE: Final = ("command_output", "bash_input", "bash_output", "compaction_summary")


class _ShellCall(msgspec.Struct, frozen=True):
    """A call of a shell that ran, and its input."""

    call: ToolCall
    arguments: BashInput


def gather_facts(
    conversation: Conversation, touches: Iterable[FileTouch] | None = None
) -> DigestFacts:
    """Gather the facts of a session; `touches` are its uses of files, if they are known already."""
    session, calls = conversation.session, _in_order(conversation)
    main = list(main_messages(conversation))
    used = file_touches(conversation.tool_calls) if touches is None else touches
    shell = list(_shell_calls(calls))
    asked = _without_local_commands(main)
    last = next(reversed(asked), None)
    opening = find_opening(conversation.messages, conversation.threads)
    tasks = last_tasks(calls, {message.id for message in main})
    return DigestFacts(
        session_id=session.id,
        title=session.title,
        cwd=session.cwd,
        first_prompt=_first_prompt(conversation, opening),
        plan_heading=opening.plan_heading if opening else "",
        last_answer=_last_answer(main),
        told=find_told(main),
        files=_files(used),
        commits=tuple(_commits(shell)),
        tests=tuple(_tests(shell)),
        todos=tasks.items,
        is_interrupted=last is not None and (last.kind == "interrupt" or last.is_aborted),
        has_final_error=last is not None and last.kind == "api_error",
        has_final_answer=last is not None and is_final(last),
        prompted_at=_prompted_at(asked),
        listed_at=tasks.at,
        lacks_change=_lacks_change(calls),
    )


def _in_order(conversation: Conversation) -> list[ToolCall]:
    """Return all calls in the order of their times, else of their messages."""
    places = {message.id: place for place, message in enumerate(conversation.messages)}
    calls = sorted(conversation.tool_calls, key=lambda call: places.get(call.message_id, -1))
    has_times = all(call.started_at for call in calls)
    return sorted(calls, key=lambda call: call.started_at) if has_times else calls


def _without_local_commands(main: list[Message]) -> list[Message]:
    """Return what people asked and models did; `/exit` and others that only print are neither."""
    found: list[Message] = []
    following = ""
    for message in reversed(main):
        if message.kind in _SILENT or message.is_meta:
            continue
        is_local = message.kind == "command" and following == "command_output"
        if message.kind not in _BESIDE and not is_local:
            found.append(message)
        following = message.kind
    return found[::-1]


def _first_prompt(conversation: Conversation, opening: Opening | None) -> QuotedClaim | None:
    if opening is None:
        return None
    message = next(m for m in conversation.messages if m.id == opening.message_id)
    text = without_injections(opening.text[:READ])
    # A command is not what somebody said.
    is_said = speaker_of(message) == USER
    sentences = read_sentences(text, is_typed=True) if is_said else []
    quote = next(filter(is_quotable, sentences), "")
    shown = " ".join(text.split())
    return QuotedClaim(cut(shown, _PROMPT_LENGTH), (message.id,), quote, USER)


def _prompted_at(asked: list[Message]) -> str:
    """Return when somebody last asked for something: by a prompt, or by a command with one."""
    said = (m for m in reversed(asked) if m.kind == "command" or _is_telling_prompt(m))
    return next((message.started_at for message in said), "")


def _is_telling_prompt(message: Message) -> bool:
    return speaker_of(message) == USER and says_something(message.text)


def _last_answer(main: list[Message]) -> tuple[QuotedClaim, ...]:
    """Return the first sentences of the last answer that has words."""
    for message in reversed(main):
        if speaker_of(message) == ASSISTANT:
            return quote_told(tell(message.text), message.id)
    return ()


def _files(touches: Iterable[FileTouch]) -> tuple[TouchedFile, ...]:
    """Return the files that were changed, in the order of their first change."""
    changed: dict[str, list[FileTouch]] = {}
    for touch in touches:
        if touch.action != "read":
            changed.setdefault(touch.path, []).append(touch)
    return tuple(
        TouchedFile(
            path,
            _sum(touch.lines_added for touch in own),
            _sum(touch.lines_removed for touch in own),
            max(touch.at for touch in own),
        )
        for path, own in changed.items()
    )


def _sum(numbers: Iterable[int | None]) -> int | None:
    total = 0
    for number in numbers:
        if number is None:
            return None
        total += number
    return total


def _lacks_change(calls: Iterable[ToolCall]) -> bool:
    """Return whether some file is not as it was to be: its last change failed or was refused."""
    changes = [call for call in calls if find_tool(call.tool).input in _CHANGES]
    if all(call.status == "done" for call in changes):
        return False
    is_made = {}
    for call in changes:
        match decode_input(call.tool, bytes(call.input)):
            case EditInput(file_path=path) | MultiEditInput(file_path=path):
                is_made[path] = call.status == "done"
            case WriteInput(file_path=path) | NotebookEditInput(notebook_path=path):
                is_made[path] = call.status == "done"
            case _:
                continue
    return not all(is_made.values())


def _shell_calls(calls: Iterable[ToolCall]) -> Iterator[_ShellCall]:
    """Return the calls of a shell that may have made a commit or run tests."""
    for call in calls:
        if call.status in _NEVER_RAN or find_tool(call.tool).result is not BashResult:
            continue
        arguments = decode_input(call.tool, bytes(call.input))
        if isinstance(arguments, BashInput):
            yield _ShellCall(call, arguments)


def _commits(calls: Iterable[_ShellCall]) -> Iterator[ReportedCommit]:
    """Return the commits that git reported, each once."""
    seen: set[str] = set()
    for shell in calls:
        for found in call_reports(shell.call):
            if found.hash and found.hash not in seen:
                seen.add(found.hash)
                yield ReportedCommit(
                    found.hash, found.subject, found.branch, shell.call.message_id, found.at
                )


def _tests(calls: Iterable[_ShellCall]) -> Iterator[TestRun]:
    """Return the calls that ran tests."""
    for shell in calls:
        tests, call = find_tests(shell.call, shell.arguments), shell.call
        if tests is not None:
            command = cut(tests.command, _COMMAND_LENGTH)
            yield TestRun(
                command, tests.has_passed, tests.result, call.message_id, call.id, call.started_at
            )
