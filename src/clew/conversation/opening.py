"""The opening of a session: the prompt that tells what it is about, and the plan pasted in it."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Final

import msgspec

from clew.conversation.fillers import says_something
from clew.conversation.model import Message, Thread

_FRESH_START: Final = "/clear"
_ASIDES: Final = ("steering", "command", "bash_input")
# Clients write this above a plan that was approved for a new session.
_PLAN_LEAD: Final = "Implement the following plan:"
_HEADING: Final = re.compile(r"#{1,6}[ \t]+(\S[^\n]*)")
_LINK: Final = re.compile(r"!?\[([^\[\]\n]{0,400})\]\([^()\s]{0,2000}\)")
_MARKS: Final = re.compile(r"`+|\*\*+|__+|~~+")
_PLAN_LINES: Final = 200
_MOST_HEADINGS: Final = 3
_GENERIC_WORDS: Final = """
a the plan plans implementation overview context summary background goal goals task
"""
_GENERIC: Final = frozenset(_GENERIC_WORDS.split())


class Opening(msgspec.Struct, frozen=True):
    """The prompt that names a session, and the heading of the plan that it contains, if any."""

    message_id: str
    text: str
    plan_heading: str = ""


def find_opening(messages: Iterable[Message], threads: Iterable[Thread]) -> Opening | None:
    """Return the first prompt that says something, else such a command; None if none does."""
    own = own_messages(messages, threads)
    for kinds in (("prompt",), _ASIDES):
        for message in own:
            if message.kind in kinds and says_something(message.text):
                return Opening(message.id, message.text.strip(), plan_heading(message))
    return None


def first_prompt(messages: Sequence[Message], threads: Iterable[Thread]) -> str:
    """Return the first prompt of the main thread, else a command, else any prompt."""
    for kinds in (("prompt",), _ASIDES):
        for message in own_messages(messages, threads):
            text = message.text.strip()
            if message.kind in kinds and text and text != _FRESH_START:
                return text
    prompts = (m.text.strip() for m in messages if m.agent_run_id is None and m.kind == "prompt")
    return next(filter(None, prompts), "")


def own_messages(messages: Iterable[Message], threads: Iterable[Thread]) -> list[Message]:
    """Return the messages of the main thread; without one, all but those of agent runs."""
    main = next((set(thread.message_ids) for thread in threads if thread.is_main), set[str]())
    return [m for m in messages if m.agent_run_id is None and (m.id in main or not main)]


def plan_heading(message: Message) -> str:
    """Return the heading of a plan that a prompt begins with; "" if it begins otherwise."""
    text = message.text.lstrip()
    plan = message.plan or text.removeprefix(_PLAN_LEAD)
    if not plan.lstrip().startswith("#"):
        return ""
    headings = list(islice(_headings(plan), _MOST_HEADINGS))
    telling = (heading for heading in headings if not _is_generic(heading))
    return next(telling, headings[0] if headings else "")


def _headings(text: str) -> Iterator[str]:
    is_code = False
    for line in islice(_lines(text), _PLAN_LINES):
        if line.lstrip().startswith(("```", "~~~")):
            is_code = not is_code
        heading = None if is_code else _HEADING.match(line)
        bare = _bare(heading[1]) if heading is not None else ""
        if bare:
            yield bare


def _lines(text: str) -> Iterator[str]:
    """Return lines one by one: a prompt may be long."""
    start = 0
    while start < len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        yield text[start:end]
        start = end + 1


def _bare(heading: str) -> str:
    """Return a heading without marks of Markdown."""
    named = _LINK.sub(r"\1", heading[:1_000]).rstrip().rstrip("#")
    return " ".join(_MARKS.sub("", named).split())


def _is_generic(heading: str) -> bool:
    return all(word in _GENERIC for word in re.findall(r"\w+", heading.casefold()))
