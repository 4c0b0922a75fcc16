"""AskUserQuestion: questions to the user, with answers to choose from."""

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from clew.conversation import ToolCall
from clew.parts import CheckItem, Checklist, Code, Fold, Part, Prose
from clew.tools.display import input_fields, note, prose, words
from clew.tools.tool import Number, Tool

_ANSWERED: Final = ("User has answered your questions: ", "Your questions have been answered: ")
_AFTER_ANSWER: Final = ('" user notes: ', '" selected preview:')


class Option(msgspec.Struct, frozen=True):
    """One answer to choose."""

    label: str
    description: str = ""
    preview: str = ""


class Question(msgspec.Struct, frozen=True, rename="camel"):
    """One question; `header` is its short name."""

    question: str
    header: str = ""
    options: tuple[Option | str, ...] = ()
    multi_select: bool = False


class Annotation(msgspec.Struct, frozen=True):
    """The user's notes on an answer."""

    notes: str = ""
    preview: str = ""


class AskUserQuestionInput(msgspec.Struct, frozen=True):
    """The questions; a string is a list that the model wrote as text."""

    questions: tuple[Question, ...] | str = ()
    question: str = ""
    answers: dict[str, Any] | None = None
    annotations: dict[str, Annotation] | None = None
    metadata: Any = None


class AskUserQuestionResult(msgspec.Struct, frozen=True, rename="camel"):
    """The answers by question; `response` is text in place of any choice."""

    answers: dict[str, str]
    questions: tuple[Question, ...] | str = ()
    annotations: dict[str, Annotation] | None = None
    response: str = ""
    afk_timeout_ms: Number | None = None


def _read_text(arguments: AskUserQuestionInput, text: str) -> AskUserQuestionResult | None:
    """Read the answers to the questions that were asked."""
    if not text.startswith(_ANSWERED) or isinstance(arguments.questions, str):
        return None
    marks = [f'"{question.question}"="' for question in arguments.questions]
    starts = [text.find(mark) for mark in marks]
    answers = {
        question.question: _answer(text, start + len(mark), starts)
        for question, mark, start in zip(arguments.questions, marks, starts, strict=True)
        if start >= 0
    }
    return AskUserQuestionResult(answers, arguments.questions)


def _answer(text: str, start: int, starts: list[int]) -> str:
    """Return the text between `start` and the next question, up to the closing quote."""
    end = min((other for other in starts if other > start), default=len(text))
    answer = text[start:end].rpartition('"')[0]
    for mark in _AFTER_ANSWER:
        answer = answer.partition(mark)[0]
    return answer


def _label(ask: AskUserQuestionInput, _cwd: str) -> str:
    """Return the first question."""
    if isinstance(ask.questions, str) or not ask.questions:
        return ask.question
    more = len(ask.questions) - 1
    return f"{ask.questions[0].question}{f' (and {more} more)' if more else ''}"


def _parts(
    ask: AskUserQuestionInput, result: AskUserQuestionResult | None, call: ToolCall
) -> Iterator[Part]:
    """Show each question with its options, and the user's answer."""
    yield from prose(ask.question)
    shown = () if isinstance(ask.questions, str) else ("questions", "answers", "annotations")
    yield from input_fields(call, "question", *shown)
    answers = {} if result is None else result.answers
    notes = (None if result is None else result.annotations) or {}
    questions = () if isinstance(ask.questions, str) else ask.questions
    for question in questions:
        answer = answers.get(question.question)
        yield from _question_parts(question, answer, notes.get(question.question))
    known = {question.question for question in questions}
    for other, answer in answers.items():
        if other not in known:
            yield Prose(other)
            yield Checklist((CheckItem(answer, "done"),))
    if result is not None:
        yield from words(result.response)
        yield from note("No answer in time", when=result.afk_timeout_ms)


def _question_parts(
    question: Question, answer: str | None, added: Annotation | None
) -> Iterator[Part]:
    yield from note(question.header)
    yield Prose(question.question)
    yield from note("Multiple choice", when=question.multi_select)
    choices = [_option(option) for option in question.options]
    chosen, said = _chosen([choice.label for choice in choices], answer)
    items = [
        CheckItem(choice.label, "done" if choice.label in chosen else "open", choice.description)
        for choice in choices
    ]
    if said:
        items.append(CheckItem(said, "done", "own answer"))
    if items:
        yield Checklist(tuple(items))
    for choice in choices:
        if choice.preview:
            yield Fold(f"Preview: {choice.label}", (Code(choice.preview),))
    if added is not None:
        yield from words(added.notes)


def _option(option: Option | str) -> Option:
    return Option(option) if isinstance(option, str) else option


def _chosen(labels: list[str], answer: str | None) -> tuple[set[str], str]:
    """Split an answer into the options it names and other text."""
    if answer is None:
        return set(), ""
    if answer in labels:
        return {answer}, ""
    chosen: set[str] = set()
    said: list[str] = []
    for piece in answer.split(", "):
        if piece in labels:
            chosen.add(piece)
        else:
            said.append(piece)
    # An option may have a comma in its name: look for it in the rest.
    left = ", ".join(said)
    for name in sorted(set(labels) - chosen, key=len, reverse=True):
        if ", " in name and name in left:
            chosen.add(name)
            left = left.replace(name, "", 1).strip(", ")
    return chosen, left


ASK_USER_QUESTION: Final = Tool(
    names=("AskUserQuestion",),
    asks_person=True,
    input=AskUserQuestionInput,
    result=AskUserQuestionResult,
    label=_label,
    parts=_parts,
    read_text=_read_text,
)
