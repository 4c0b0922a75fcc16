"""Output of commands: as plain text, or as Markdown where it is Markdown."""

import re
from typing import Final

from clew.conversation import Message
from clew.entries import CommandOutput
from clew.parts import Output as Printed
from clew.parts import Part, Prose
from clew.view.context import PageContext
from clew.view.description import Description, texts_of

# A heading below an empty line or at the start, or the rule of a table below a row of it.
_HEADING: Final = re.compile(r"(?:\A|\n[ \t]*\n)#{1,6} \S")
_TABLE: Final = re.compile(
    r"^[ \t]*\|[^\n]+\|[ \t]*\n[ \t]*\|(?:[ \t]*:?-{3,}:?[ \t]*\|)+[ \t]*$", re.MULTILINE
)
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def describe_output(message: Message, _context: PageContext) -> Description:
    """Show what a slash command or a shell command printed."""
    match message.content:
        case CommandOutput() as output:
            printed: list[Part] = [_printed(output.stdout, message)] if output.stdout else []
            if output.stderr:
                printed.append(Printed(output.stderr, "stderr", is_error=True))
            return Description(title="output", body=tuple(printed))
        case _:
            body = (_printed(message.text, message),) if message.text else tuple(texts_of(message))
            return Description(title="output", body=body)


def _printed(text: str, message: Message) -> Part:
    """Take Markdown only from slash commands: a shell prints comments that look like headings."""
    is_markdown = message.kind == "command_output" and _is_markdown(text)
    return Prose(text) if is_markdown else Printed(text)


def _is_markdown(text: str) -> bool:
    if _CONTROL.search(text):
        return False
    return _HEADING.search(text) is not None or _TABLE.search(text) is not None
