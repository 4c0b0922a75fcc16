"""Names from transcripts, made fit for a report: short, and free of talk."""

from typing import Final

from clew.entries import (
    AttachmentRow,
    Body,
    Broken,
    ProgressRow,
    System,
    attachment_kind,
    progress_kind,
)
from clew.problems import Problem

_LONGEST_NAME: Final = 60
_LONGEST_TEXT: Final = 200
_OF_TYPE: Final = " of type "


def type_name(body: Body) -> str:
    """Return the name under which an entry is counted: its type, with its subtype if it has one."""
    match body:
        case Broken():
            return "(broken)"
        case System(subtype=str(subtype)) if subtype:
            return f"system/{short_name(subtype)}"
        case AttachmentRow():
            return f"attachment/{short_name(attachment_kind(body.attachment))}"
        case ProgressRow():
            return f"progress/{short_name(progress_kind(body.data))}"
        case _:
            return short_name(body.type)


def short_name(name: str) -> str:
    """Return the beginning of a name that may be any text, up to its first blank.

    Types and keys of Claude Code have no blanks in them: what follows one is part of a message.
    """
    words = name.split(maxsplit=1)
    if not words:
        return "(none)"
    word = words[0]
    is_whole = word == name and len(word) <= _LONGEST_NAME
    return word if is_whole else f"{word[:_LONGEST_NAME]}…"


def short_path(path: str) -> str:
    """Return the beginning of a dotted path of keys, each of which may be any text."""
    return ".".join(short_name(key) for key in path.split("."))[:_LONGEST_TEXT]


def short_text(problem: Problem) -> str:
    """Cut what a problem says; the name of an unknown type, like any name, at its first blank."""
    text = problem.text
    if problem.kind == "unknown_type":
        text = _OF_TYPE.join(map(short_name, text.split(_OF_TYPE, 1)))
    return text if len(text) <= _LONGEST_TEXT else f"{text[: _LONGEST_TEXT - 1]}…"


def file_name(relative: str) -> str:
    """Return a path as text that can be encoded, also where its bytes are not UTF-8."""
    return relative.encode("utf-8", "backslashreplace").decode()


def version_key(version: str) -> list[tuple[int, str]]:
    """Order versions by their numbers: 2.0.9 before 2.0.10."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in version.split(".")]
