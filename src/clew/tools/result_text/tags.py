"""Tags in a result's text."""

from typing import Final

_OPEN: Final = "<system-reminder>"
_CLOSE: Final = "</system-reminder>"


def read_tag(text: str, name: str) -> str | None:
    """Return the content of the first tag of this name."""
    start = text.find(f"<{name}>")
    end = text.find(f"</{name}>", start)
    return None if start < 0 or end < 0 else text[start + len(name) + 2 : end]


def read_body(text: str, name: str) -> str:
    """Return all between the first opening and the last closing tag, since output may quote tags.

    The newlines just inside the tags are left out.
    """
    start = text.find(f"<{name}>")
    end = text.rfind(f"</{name}>")
    if start < 0 or end < start:
        return ""
    return text[start + len(name) + 2 : end].removeprefix("\n").removesuffix("\n")


def without_reminders(text: str) -> str:
    """Remove the reminders that the client appends to a result."""
    return split_reminders(text)[0]


def split_reminders(text: str) -> tuple[str, tuple[str, ...]]:
    """Split a result from the reminders that the client appends; these come without their tags."""
    end = _before_blanks(text, len(text))
    if not text.endswith(_CLOSE, 0, end):
        return text, ()
    reminders: list[str] = []
    while text.endswith(_CLOSE, 0, end) and (start := text.rfind(_OPEN, 0, end)) >= 0:
        reminders.append(text[start + len(_OPEN) : end - len(_CLOSE)].strip())
        end = _before_blanks(text, start)
    return text[:end], tuple(reversed(reminders))


def _before_blanks(text: str, stop: int) -> int:
    while stop and text[stop - 1].isspace():
        stop -= 1
    return stop
