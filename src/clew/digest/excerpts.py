"""Messages → what a model is shown of them: words, labels of calls, and how they ended."""

import re
from collections.abc import Iterable, Mapping
from typing import Final

import msgspec

from clew.conversation import Conversation, Message, ToolCall
from clew.digest.framing import LEFT_OUT, data_line, data_lines
from clew.digest.model import DigestFacts, TestRun
from clew.digest.quotes import Mask
from clew.digest.talk import Spoken, find_spoken, main_messages
from clew.tools import call_label, call_state, decode_call, tool_title

_PARAGRAPHS: Final = re.compile(r"\n[ \t]*\n")
_CODE: Final = re.compile(
    r"^[ \t]*(`{3,}|~{3,}).*?(?:^[ \t]*\1[ \t]*$|\Z)", re.DOTALL | re.MULTILINE
)
_COMMITS: Final = re.compile(r"\bgit (?:commit|push|merge|revert|reset)\b")
_ASIDES: Final = {
    "command": "command",
    "bash_input": "shell command",
    "interrupt": "interrupted by the user",
    "api_error": "failed request",
    "compaction_summary": "compaction summary",
}
_LABEL: Final = 160
_RESULT: Final = 120
_ERROR: Final = 2000


class Depth(msgspec.Struct, frozen=True):
    """How many characters are shown of each text, and whether calls that succeeded are."""

    prompt: int
    answer: int
    aside: int
    error: int
    has_all_calls: bool


DEPTHS: Final = (
    Depth(1 << 30, 3200, 6000, 300, has_all_calls=True),
    Depth(4000, 1600, 3000, 200, has_all_calls=True),
    Depth(1200, 800, 1500, 120, has_all_calls=False),
    Depth(400, 300, 600, 80, has_all_calls=False),
)
"""From the most that is ever shown to the least."""


class CallNote(msgspec.Struct, frozen=True):
    """A call in a line; whether it is shown even if it is one of many; the words of its error."""

    label: str
    state: str
    is_notable: bool
    error: str = ""


class ShownMessage(msgspec.Struct, frozen=True):
    """What there is to show of a message, with its secrets masked."""

    heading: str
    text: str
    epoch: int
    calls: tuple[CallNote, ...] = ()
    speaker: str = ""

    def lines(self, depth: Depth) -> list[str]:
        """Return the lines that show it."""
        shown = [self.heading, *data_lines(self._cut(depth))] if self.heading else []
        calls = [call for call in self.calls if depth.has_all_calls or call.is_notable]
        return [*shown, *(_call_line(call, depth.error) for call in calls)]

    def _cut(self, depth: Depth) -> str:
        match self.speaker:
            case "":
                return shorten(self.text, depth.aside)
            case "user":
                return shorten(self.text, depth.prompt)
            case _:
                return shorten(_CODE.sub("(code)", self.text), depth.answer)


def show_messages(conversation: Conversation, facts: DigestFacts, mask: Mask) -> list[ShownMessage]:
    """Return what there is to show of the main thread, in order."""
    spoken = {one.message_id: one for one in find_spoken(conversation)}
    tests = {run.tool_call_id: run for run in facts.tests}
    runs = {run.id: run.status for run in conversation.agent_runs}
    calls: dict[str, list[ToolCall]] = {}
    for call in conversation.tool_calls:
        calls.setdefault(call.message_id, []).append(call)
    shown = []
    for message in main_messages(conversation):
        heading, text = _words_of(message, spoken.get(message.id))
        notes = tuple(
            _note_call(call, message.cwd or conversation.session.cwd, tests, runs, mask)
            for call in calls.get(message.id, ())
        )
        if heading or notes:
            speaker = spoken[message.id].speaker if message.id in spoken else ""
            shown.append(ShownMessage(heading, mask(text), message.epoch, notes, speaker))
    return shown


def shorten(text: str, length: int) -> str:
    """Keep the first and the last paragraphs of a text, about half of the length each."""
    if len(text) <= length:
        return text
    paragraphs = [part for part in _PARAGRAPHS.split(text.strip()) if part.strip()]
    first = _fitting(paragraphs, length // 2)
    rest = paragraphs[len(first) :]
    last = _fitting(reversed(rest), length // 2)[::-1]
    if not first:
        first = [_head(paragraphs[0], length // 2)]
        last = last if len(last) < len(paragraphs) else []
    if not last and len(paragraphs) > 1:
        last = [_tail(paragraphs[-1], length // 2)]
    return "\n\n".join([*first, LEFT_OUT, *last])


def _fitting(paragraphs: Iterable[str], length: int) -> list[str]:
    """Return the first paragraphs that have so many characters together at most."""
    found = []
    for paragraph in paragraphs:
        length -= len(paragraph) + 2
        if length < 0:
            break
        found.append(paragraph)
    return found


def _head(text: str, length: int) -> str:
    return text[:length].rpartition(" ")[0] or text[:length]


def _tail(text: str, length: int) -> str:
    return text[-length:].partition(" ")[2] or text[-length:]


def _words_of(message: Message, spoken: Spoken | None) -> tuple[str, str]:
    """Return the heading of a message and its text; both empty where its words are not shown."""
    if spoken is not None:
        return f"[{spoken.reference} {spoken.speaker}]", spoken.text
    if message.kind in _ASIDES and not message.is_deleted:
        return f"[{_ASIDES[message.kind]}]", message.error or message.text
    return "", ""


def _note_call(
    call: ToolCall,
    cwd: str,
    tests: Mapping[str, TestRun],
    runs: Mapping[str, str],
    mask: Mask,
) -> CallNote:
    arguments, result = decode_call(call)
    label = data_line(mask(call_label(call.tool, arguments, result, cwd)), _LABEL)
    state = call_state(call, arguments, result)[0]
    test = tests.get(call.id)
    if test is not None:
        state = _test_state(test, mask)
    elif call.started_run_id in runs:
        state = f"agent run {runs[call.started_run_id or '']}".strip()
    is_notable = bool(test or call.status != "done" or call.started_run_id)
    is_notable = is_notable or bool(_COMMITS.search(label))
    error = mask((call.error or call.result_text)[:_ERROR]) if call.is_error else ""
    return CallNote(f"{data_line(tool_title(call.tool), 60)}: {label}", state, is_notable, error)


def _test_state(test: TestRun, mask: Mask) -> str:
    words = {True: "tests passed", False: "tests failed", None: "tests"}[test.has_passed]
    result = data_line(mask(test.result), _RESULT)
    return f"{words}: {result}" if result else words


def _call_line(call: CallNote, length: int) -> str:
    state = f" → {data_line(call.state, _RESULT + 20)}" if call.state else ""
    error = f" ({data_line(call.error, length)})" if call.error else ""
    return f"- {call.label}{state}{error}"
