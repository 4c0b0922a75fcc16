"""Notifications of background tasks, and messages of teammates."""

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

import msgspec

from clew.conversation import Message
from clew.entries import Notification, Teammate
from clew.parts import Code, Fold, Note, Part, Prose, Tone, Words
from clew.view.blocks import format_json
from clew.view.context import PageContext
from clew.view.description import Description, texts_of
from clew.view.fields import dict_parts
from clew.view.labels import field_label, summary_line

_TAG: Final = re.compile(r"</?[a-z][a-z_-]{0,60}(?: [^<>]{0,400})?>")
_TONES: Final[dict[str, Tone]] = {"failed": "bad", "killed": "warn", "stopped": "warn"}
# What went well, the summary says.
_DONE: Final = "completed"
# Type, sender and time, which the message shows already.
_ENVELOPE: Final = ("type", "from", "timestamp")


def describe_notification(message: Message, context: PageContext) -> Description:
    """Describe the outcome of a background task, shell or agent."""
    news = message.content
    if not isinstance(news, Notification):
        body = tuple(texts_of(message))
        return Description(who="Notification", title=summary_line(message.text), body=body)
    return Description(
        who="Notification",
        title=summary_line(message.text),
        state="" if news.status == _DONE else news.status,
        tone=_TONES.get(news.status, "" if news.status == _DONE else "quiet"),
        body=tuple(_notification_parts(news, message, context)),
    )


def describe_teammate(message: Message, context: PageContext) -> Description:
    """Describe messages of teammates; one message may contain several."""
    known = message.content if isinstance(message.content, tuple) else ()
    if not known:
        return Description(who="Teammate", body=tuple(texts_of(message)))
    names = dict.fromkeys(one.teammate_id for one in known if one.teammate_id)
    return Description(
        who=", ".join(names) or "Teammate",
        color=next((one.color for one in known if one.color), ""),
        body=tuple(_teammate_parts(known, message, context)),
    )


def _notification_parts(
    news: Notification, message: Message, context: PageContext
) -> Iterator[Part]:
    fields = msgspec.structs.asdict(news)
    if news.summary != summary_line(news.summary):
        yield Prose(news.summary)
    if news.result.strip():
        yield Fold("Result", (Prose(news.result),))
    if not news.summary:
        yield from texts_of(message)
    if context.is_whole:
        yield Fold("Task", dict_parts(fields, without=("summary", "result")), is_meta=True)
        if news.summary:
            yield from _rest(message, map(str, fields.values()))


def _teammate_parts(
    known: tuple[Teammate, ...], message: Message, context: PageContext
) -> Iterator[Part]:
    for one in known:
        if len(known) > 1:
            yield Note(one.teammate_id or "teammate", "")
        if one.summary:
            yield Note(one.summary, "")
        yield from _teammate_text(one, context)
    if context.is_whole:
        yield from _rest(message, (one.text for one in known))


def _teammate_text(one: Teammate, context: PageContext) -> Iterator[Part]:
    """Show the text of a teammate; clients send each other JSON."""
    fields = _decoded(one.text)
    if fields is None:
        yield Prose(one.text)
        return
    yield Note(field_label(str(fields.get("type") or "message")), "")
    yield from dict_parts(fields, without=_ENVELOPE)
    if context.is_whole:
        yield Fold("Sent to the model", (Code(format_json(one.text), "json"),), is_meta=True)


def _decoded(text: str) -> dict[str, Any] | None:
    if not text.lstrip().startswith("{"):
        return None
    try:
        return msgspec.json.decode(text, type=dict[str, Any])
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return None


def _rest(message: Message, shown: Iterable[str]) -> Iterator[Part]:
    """Show what else the client wrote around the words that were read out of its tags."""
    known = "\n".join(shown)
    texts = (_TAG.sub("\n", block.text) for block in message.blocks if block.kind == "text")
    lines = (line.strip() for text in texts for line in text.split("\n"))
    left = [line for line in lines if line and line not in known]
    if left:
        yield Fold("Sent to the model", (Words("\n".join(left)),), is_meta=True)
