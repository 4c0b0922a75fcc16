"""What people typed: prompts with their pictures, and what the editor put in beside them."""

from collections.abc import Iterator

from clew.conversation import Message
from clew.entries import IdeNotice, classify_text
from clew.parts import Code, Fold, Note, Part, Prose, Words
from clew.tools import diagnostic_parts
from clew.view.blocks import block_part, block_parts, format_json
from clew.view.context import PageContext
from clew.view.fields import checklist, struct_parts
from clew.view.labels import field_label, humanize


def typed_parts(message: Message, context: PageContext) -> Iterator[Part]:
    """Show the words of a prompt and its pictures, in their order.

    What a person typed is shown as it was typed; what a model wrote for an agent is Markdown.
    """
    is_typed = message.agent_run_id is None
    for part in _prompt_parts(message, context):
        yield Words(part.text, is_typed=True) if is_typed and isinstance(part, Prose) else part


def _prompt_parts(message: Message, context: PageContext) -> Iterator[Part]:
    texts = [block.text for block in message.blocks if block.kind == "text"]
    if message.text == "\n".join(texts):
        yield from block_parts(message.blocks)
    elif len(texts) > 1:
        yield from _separated_parts(message, context)
        return
    else:
        if message.text.strip():
            yield Prose(message.text)
        yield from block_parts(block for block in message.blocks if block.kind != "text")
    if context.is_whole:
        yield from map(notice_part, message.notices)


def prompt_details(message: Message) -> Iterator[Part]:
    """Show what else the entry of a prompt contains: plan, to-do list, thinking settings."""
    if message.plan:
        yield Fold("Plan", (Prose(message.plan),))
    if message.todos:
        yield Fold("To-do list", (checklist(message.todos),))
    if message.thinking_metadata is not None:
        settings = struct_parts(message.thinking_metadata)
        if settings:
            yield Fold("Thinking settings", settings, is_meta=True)


def notice_part(notice: IdeNotice) -> Part:
    """Show what the editor said."""
    title = " ".join(
        filter(None, (f"Editor: {humanize(notice.kind)}", notice.path, _lines(notice)))
    )
    parts: tuple[Part, ...] = (Words(notice.text),)
    if notice.kind == "selection":
        parts = (Code(notice.text, path=notice.path, first_line=notice.first_line),)
    elif notice.kind == "diagnostics":
        parts = diagnostic_parts(notice.text) or (Code(format_json(notice.text), "json"),)
    return Fold(title, parts, is_meta=True) if notice.text else Note(title)


def _separated_parts(message: Message, context: PageContext) -> Iterator[Part]:
    """Part what was typed from what the client put between, text by text."""
    for block in message.blocks:
        if block.kind != "text":
            yield from block_part(block)
            continue
        said = classify_text(block.text)
        if context.is_whole:
            yield from map(notice_part, said.notices)
        if said.kind == "prompt":
            if said.text.strip():
                yield Prose(said.text)
        elif context.is_whole and said.text.strip():
            yield Fold(field_label(said.subtype or said.kind), (Prose(block.text),), is_meta=True)


def _lines(notice: IdeNotice) -> str:
    if notice.first_line is None:
        return ""
    return f"{notice.first_line}-{notice.last_line}"
