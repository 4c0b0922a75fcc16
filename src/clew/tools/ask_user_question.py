"""AskUserQuestion: questions to the person, with answers to choose from."""

from typing import Any, Final

import msgspec

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
    """What the person added to an answer."""

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


def read_text(arguments: AskUserQuestionInput, text: str) -> AskUserQuestionResult | None:
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
    """Give what stands between `start` and the next question, up to the closing quote."""
    end = min((other for other in starts if other > start), default=len(text))
    answer = text[start:end].rpartition('"')[0]
    for mark in _AFTER_ANSWER:
        answer = answer.partition(mark)[0]
    return answer


ASK_USER_QUESTION: Final = Tool(
    names=("AskUserQuestion",),
    input=AskUserQuestionInput,
    result=AskUserQuestionResult,
    read_text=read_text,
)
