"""Show nothing twice: a prompt or report that a run shows is a link in its call."""

from collections.abc import Iterable, Iterator

from clew.parts import Fold, Note, Part, Prose
from clew.view.page import MessageView, RunView


def link_to_runs(parts: Iterable[Part], runs: Iterable[RunView]) -> tuple[Part, ...]:
    """Replace the prompt and the report of a call by links, where a run below it shows them."""
    shown = {words: pointer for run in runs for words, pointer in _texts_of_run(run)}
    return tuple(shown.get(_words(part), part) for part in parts)


def _texts_of_run(run: RunView) -> Iterator[tuple[str, Note]]:
    """Yield the texts of a run's prompt and last answer with links to them."""
    messages = [item for item in run.items if isinstance(item, MessageView)]
    prompt = next((message for message in messages if message.kind == "prompt"), None)
    answers = (message for message in reversed(messages) if message.kind == "answer")
    last = next((message for message in answers if any(_texts(message))), None)
    if prompt is not None:
        yield from _links(prompt, "Prompt: see the first message of the run")
    if last is not None:
        yield from _links(last, "Report: see the last answer of the run")


def _links(message: MessageView, words: str) -> Iterator[tuple[str, Note]]:
    return ((text, Note(words, message_id=message.id)) for text in _texts(message))


def _texts(message: MessageView) -> Iterator[str]:
    pieces = (piece for piece in message.body if isinstance(piece, Prose))
    return filter(None, map(_words, pieces))


def _words(part: object) -> str:
    """Return the words of a text or a folded one; indentation does not matter."""
    match part:
        case Prose(text):
            return " ".join(text.split())
        case Fold(parts=(Prose(text),)):
            return " ".join(text.split())
        case _:
            return ""
