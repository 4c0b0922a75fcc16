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
from clew.digest.plain import cut, plain_words
from clew.digest.sentences import QUOTE_LENGTH, count_words, is_quotable, split_sentences
from clew.digest.talk import ASSISTANT, USER, main_messages, speaker_of, without_injections
from clew.digest.tasks import last_tasks
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
_TOLD_LENGTH: Final = 300
# Sentences near the beginning are enough; a text may be very long.
_READ: Final = 2_000
_CLOSED: Final = (".", "!", "?", "。", "\uff01", "\uff1f", '."', ".)", "!)")
_COMMAND_LENGTH: Final = 200
_CHANGES: Final = (EditInput, MultiEditInput, NotebookEditInput, WriteInput)
_NEVER_RAN: Final = ("denied", "pending")
_SILENT: Final = ("hook", "attachment", "system", "injection", "notification")
# What a person did without the model, and what the client did: neither ends its work.
_BESIDE: Final = ("command_output", "bash_input", "bash_output", "compaction_summary")
_GAP: Final = "…"
_TOLD_WORDS: Final = 2


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
        files=_files(used),
        commits=tuple(_commits(shell)),
        tests=tuple(_tests(shell)),
        todos=tasks.items,
        is_interrupted=last is not None and (last.kind == "interrupt" or last.is_aborted),
        has_final_error=last is not None and last.kind == "api_error",
        has_final_answer=last is not None and _is_final(last),
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


def _is_final(message: Message) -> bool:
    """Return whether a message is an answer that came to its end, and not a request for a tool."""
    has_calls = any(block.kind == "tool_use" for block in message.blocks)
    is_answer = message.kind == "answer" and not message.is_aborted
    return is_answer and not has_calls and bool(message.text.strip())


def _first_prompt(conversation: Conversation, opening: Opening | None) -> QuotedClaim | None:
    if opening is None:
        return None
    message = next(m for m in conversation.messages if m.id == opening.message_id)
    text = without_injections(opening.text[:_READ])
    # A command is not what somebody said.
    is_said = speaker_of(message) == USER
    sentences = _sentences(text, is_typed=True) if is_said else []
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
            return tuple(
                QuotedClaim(text, (message.id,), quote, ASSISTANT)
                for text, quote in _first_told(_sentences(message.text))
            )
    return ()


def _first_told(sentences: list[str]) -> list[tuple[str, str]]:
    """Return how an answer begins: sentences, each with itself as quote if it may be quoted.

    Headings and items of lists say less than sentences do. A beginning that is too short to be
    quoted is followed by the next sentence that is not.
    """
    told = [place for place, sentence in enumerate(sentences) if _is_told(sentence)]
    if not told:
        headings = filter(_has_words, sorted(sentences, key=is_quotable, reverse=True))
        return [_with_quote(heading) for heading in headings][:1]
    start, opening = told[0], sentences[told[0]]
    limit = start + 1 if is_quotable(opening) else len(sentences)
    for place in told[1:]:
        sentence = sentences[place]
        is_short = len(opening) + len(sentence) < _TOLD_LENGTH
        if place <= limit and is_short and is_quotable(sentence):
            gap = "" if place == start + 1 else f"{_GAP} "
            return [_with_quote(opening), (f"{gap}{sentence}", sentence)]
    return [_with_quote(opening)]


def _with_quote(sentence: str) -> tuple[str, str]:
    return sentence, sentence if is_quotable(sentence) else ""


def _is_told(sentence: str) -> bool:
    return sentence.endswith(_CLOSED) and _has_words(sentence)


def _has_words(sentence: str) -> bool:
    return len(sentence) <= QUOTE_LENGTH and count_words(plain_words(sentence)) >= _TOLD_WORDS


def _sentences(text: str, *, is_typed: bool = False) -> list[str]:
    """Return the sentences at the beginning of a text, without tables and one that was cut."""
    is_cut = len(text) > _READ
    lines = text[:_READ].split("\n")
    prose = "\n".join("" if line.lstrip().startswith("|") else line for line in lines)
    found = split_sentences(prose, is_typed=is_typed)
    return [sentence.text for sentence in (found[:-1] if is_cut else found)]


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
