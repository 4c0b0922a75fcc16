"""A conversation, chosen answers → the turns of a dossier, with their tests, files and cost."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from typing import Final, TypeVar

from clew.analytics import Bill, Recounts, add_bills, bill_messages, file_touches
from clew.conversation import Conversation, Message, ToolCall
from clew.digest import TestRun, gather_facts
from clew.insight.session_work import turns_of_messages
from clew.tools import (
    AskUserQuestionResult,
    ExitPlanModeInput,
    decode_call,
    short_path,
)
from clew.view import (
    DossierDecision,
    DossierFile,
    DossierTest,
    DossierTurn,
)

_T = TypeVar("_T")
_LONGEST_PROMPT: Final = 2_000
_LONGEST_PLAN: Final = 1_000


class ChosenWork:
    """What some answers of a session did."""

    def __init__(self, conversation: Conversation, message_ids: AbstractSet[str]) -> None:
        self._conversation = conversation
        self._turns = turns_of_messages(conversation)
        self._messages = {m.id: m for m in conversation.messages if m.id in message_ids}
        self._calls = [c for c in conversation.tool_calls if c.message_id in self._messages]
        bills = bill_messages(conversation)
        self._bills = {name: bills[name] for name in self._messages if name in bills}

    @property
    def bill(self) -> Bill:
        """What the answers cost; those that another session made cost nothing here."""
        return add_bills(bill for bill in self._bills.values() if "inherited" not in bill.quality)

    def turns(self, commits: dict[str, list[str]]) -> tuple[DossierTurn, ...]:
        """Return the turns in order; `commits` are the hashes that answers reported."""
        by_turn: dict[int, list[Message]] = defaultdict(list)
        for message in self._messages.values():
            by_turn[self._turns.get(message.id, 0)].append(message)
        tests = self._by_turn((t.message_id, t) for t in gather_facts(self._conversation).tests)
        decisions = self._by_turn((each.message_id, each) for each in self._decisions())
        files = self._files()
        return tuple(
            self._turn(turn, messages, files.get(turn, {}), tests, decisions, commits)
            for turn, messages in sorted(by_turn.items())
        )

    def _turn(
        self,
        turn: int,
        messages: list[Message],
        files: dict[str, list[int | None]],
        tests: dict[int, list[TestRun]],
        decisions: dict[int, list[DossierDecision]],
        commits: dict[str, list[str]],
    ) -> DossierTurn:
        prompt = self._prompt(turn)
        own = add_bills(self._bills[m.id] for m in messages if m.id in self._bills)
        return DossierTurn(
            turn=turn or None,
            prompt="" if prompt is None else _cut(prompt.text, _LONGEST_PROMPT),
            prompt_id=None if prompt is None else prompt.id,
            at=prompt.started_at if prompt else min(m.started_at for m in messages),
            answers=sum(message.kind == "answer" for message in messages),
            models=tuple(dict.fromkeys(m.model for m in messages if m.model and m.usage)),
            cost_usd=own.usd,
            files=tuple(DossierFile(path, *numbers) for path, numbers in files.items()),
            tests=tuple(map(_test, tests.get(turn, ()))),
            decisions=tuple(decisions.get(turn, ())),
            commits=tuple(c for m in messages for c in commits.get(m.id, ())),
        )

    def _prompt(self, turn: int) -> Message | None:
        found = next((t for t in self._conversation.turns if t.index == turn), None)
        messages = self._conversation.messages
        return next((m for m in messages if found and m.id == found.prompt_id), None)

    def _by_turn(self, items: Iterable[tuple[str, _T]]) -> dict[int, list[_T]]:
        found: dict[int, list[_T]] = defaultdict(list)
        for message_id, each in items:
            if message_id in self._messages:
                found[self._turns.get(message_id, 0)].append(each)
        return found

    def _files(self) -> dict[int, dict[str, list[int | None]]]:
        callers = {call.id: call.message_id for call in self._calls}
        found: dict[int, dict[str, list[int | None]]] = defaultdict(dict)
        for touch in file_touches(self._calls, recounts=Recounts(self._conversation)):
            if touch.action == "read":
                continue
            turn = self._turns.get(callers[touch.tool_call_id], 0)
            path = short_path(touch.path, self._conversation.session.cwd)
            numbers = found[turn].setdefault(path, [0, 0])
            numbers[0] = _add(numbers[0], touch.lines_added)
            numbers[1] = _add(numbers[1], touch.lines_removed)
        return found

    def _decisions(self) -> Iterator[DossierDecision]:
        for call in self._calls:
            arguments, result = decode_call(call)
            if isinstance(result, AskUserQuestionResult):
                for question, answer in result.answers.items():
                    yield _decision(call, "question", question, answer)
            elif isinstance(arguments, ExitPlanModeInput) and call.status in ("done", "denied"):
                verdict = "approved" if call.status == "done" else "refused"
                yield _decision(call, "plan", _cut(arguments.plan, _LONGEST_PLAN), verdict)


def _decision(call: ToolCall, kind: str, text: str, answer: str) -> DossierDecision:
    return DossierDecision(kind, text, answer, call.started_at, call.message_id)


def _test(run: TestRun) -> DossierTest:
    return DossierTest(run.command, run.has_passed, run.result, run.at, run.message_id)


def _add(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one + other


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[:length]}…"
