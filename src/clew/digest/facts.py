"""A conversation → facts: what is known of it without asking anybody. They never guess."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

import msgspec

from clew.analytics import FileTouch, file_touches
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
from clew.digest.plain import cut, is_plain
from clew.digest.sentences import count_words, split_sentences
from clew.digest.talk import ASSISTANT, USER, main_messages, speaker_of, without_injections
from clew.digest.tasks import last_tasks
from clew.digest.test_runs import find_test_command, read_test_result
from clew.tools import BashInput, BashResult, decode_input, find_tool

QUOTE_WORDS: Final = 5
QUOTE_LENGTH: Final = 300
_PROMPT_LENGTH: Final = 200
_ANSWER_SENTENCES: Final = 2
# Sentences near the beginning are enough; a text may be very long.
_READ: Final = 2_000
_CLOSED: Final = (".", "!", "?", "。", "\uff01", "\uff1f", '."', ".)", "!)")
_COMMAND_LENGTH: Final = 200
_NEVER_RAN: Final = ("denied", "pending")
_SILENT: Final = ("hook", "attachment", "system", "injection", "notification")
_MAKES_COMMIT: Final = re.compile(r"\bgit\b[^\n;|&]{0,400}?\b(?:commit|cherry-pick|revert)\b")
_COMMIT: Final = re.compile(
    r"^\[(?P<branch>[^\[\]\s]{1,250}|detached HEAD)(?: \(root-commit\))?"
    r" (?P<hash>[0-9a-f]{7,40})\] (?P<subject>[^\n]{0,1000})",
    re.MULTILINE,
)


class _ShellCall(msgspec.Struct, frozen=True):
    """A call of a shell that ran, and its command line."""

    call: ToolCall
    line: str


def gather_facts(
    conversation: Conversation, touches: Iterable[FileTouch] | None = None
) -> DigestFacts:
    """Gather the facts of a session; `touches` are its uses of files, if they are known already."""
    session, calls = conversation.session, _in_order(conversation)
    main = list(main_messages(conversation))
    used = file_touches(conversation.tool_calls) if touches is None else touches
    shell = list(_shell_calls(calls))
    last = next((m for m in reversed(main) if m.kind not in _SILENT and not m.is_meta), None)
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
        prompted_at=_prompted_at(main),
        listed_at=tasks.at,
    )


def is_quotable(sentence: str) -> bool:
    """Return whether a sentence may be quoted: long enough, not too long, and plain."""
    return (
        len(sentence) <= QUOTE_LENGTH
        and count_words(sentence) >= QUOTE_WORDS
        and is_plain(sentence)
    )


def _in_order(conversation: Conversation) -> list[ToolCall]:
    """Return all calls in the order of their times, else of their messages."""
    places = {message.id: place for place, message in enumerate(conversation.messages)}
    calls = sorted(conversation.tool_calls, key=lambda call: places.get(call.message_id, -1))
    has_times = all(call.started_at for call in calls)
    return sorted(calls, key=lambda call: call.started_at) if has_times else calls


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


def _prompted_at(main: list[Message]) -> str:
    said = (m for m in reversed(main) if speaker_of(m) == USER and says_something(m.text))
    return next((message.started_at for message in said), "")


def _last_answer(main: list[Message]) -> tuple[QuotedClaim, ...]:
    """Return the first sentences of the last answer that has words."""
    for message in reversed(main):
        if speaker_of(message) == ASSISTANT:
            quotable = list(filter(is_quotable, _sentences(message.text)))
            # Headings and items of lists say less than sentences do.
            closed = [sentence for sentence in quotable if sentence.endswith(_CLOSED)]
            return tuple(
                QuotedClaim(sentence, (message.id,), sentence, ASSISTANT)
                for sentence in (closed or quotable)[:_ANSWER_SENTENCES]
            )
    return ()


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


def _shell_calls(calls: Iterable[ToolCall]) -> Iterator[_ShellCall]:
    """Return the calls of a shell that may have made a commit or run tests."""
    for call in calls:
        if call.status in _NEVER_RAN or find_tool(call.tool).result is not BashResult:
            continue
        arguments = decode_input(call.tool, bytes(call.input))
        if isinstance(arguments, BashInput):
            yield _ShellCall(call, arguments.command)


def _commits(calls: Iterable[_ShellCall]) -> Iterator[ReportedCommit]:
    """Return the commits that git reported, each once."""
    seen: set[str] = set()
    for shell in calls:
        call = shell.call
        if call.status != "done" or _MAKES_COMMIT.search(shell.line) is None:
            continue
        for found in _COMMIT.finditer(call.result_text):
            if found["hash"] not in seen:
                seen.add(found["hash"])
                subject = " ".join(found["subject"].split())
                yield ReportedCommit(
                    found["hash"], subject, found["branch"], call.message_id, call.started_at
                )


def _tests(calls: Iterable[_ShellCall]) -> Iterator[TestRun]:
    """Return the commands that ran tests; those in the background have no result."""
    for shell in calls:
        command, call = find_test_command(shell.line), shell.call
        if command is None:
            continue
        in_background = call.background_id is not None
        result = read_test_result(command, call.status, call.result_text)
        yield TestRun(
            cut(command.text, _COMMAND_LENGTH),
            None if in_background else result.has_passed,
            "" if in_background else result.line,
            call.message_id,
            call.id,
            call.started_at,
        )
