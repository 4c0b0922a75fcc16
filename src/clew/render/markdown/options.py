"""Options of Markdown output, and the context in which parts are written."""

import datetime as dt
from collections.abc import Callable, Mapping
from typing import Final, Literal, TypeAlias

import msgspec

from clew.view.page import TurnView

Details: TypeAlias = Literal["fold", "plain", "none"]
ImageMode: TypeAlias = Literal["embed", "link", "none"]
Keep: TypeAlias = Literal["newest", "outline"]

# Takes the path a picture is linked under, and its bytes.
SaveImage: TypeAlias = Callable[[str, bytes], None]

DEEPEST: Final = 6
_MESSAGE: Final = 3


class MarkdownOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What to write, and how.

    `details` are the bodies of calls, thinking, and all else that is closed at first: folded with
    `<details>`, written plainly, or left out. Pictures are embedded, linked as files beside, or
    only named. With `max_tokens` a page is cut to what a model is to be given: `newest` keeps the
    last turns, `outline` a list of all prompts before them. Without a zone, times are those of
    this machine.
    """

    front_matter: bool = True
    details: Details = "fold"
    images: ImageMode = "none"
    zone: dt.tzinfo | None = None
    max_tokens: int | None = None
    keep: Keep = "newest"


class MarkdownContext(msgspec.Struct, frozen=True, kw_only=True):
    """What every part of a page needs.

    `level` is that of the headings of messages here. `first_day` is the day on which the session
    began, which times do not repeat. `turns` are those that begin with a message, by its id. At
    most `most_chars` of a text are written, the ends of it.
    """

    options: MarkdownOptions
    save: SaveImage
    level: int = _MESSAGE
    first_day: str = ""
    is_whole: bool = False
    turns: Mapping[str, TurnView] = {}
    most_chars: int | None = None

    @property
    def details(self) -> Details:
        """How details are written."""
        return self.options.details

    def nested(self) -> "MarkdownContext":
        """Return the context one heading level below."""
        return msgspec.structs.replace(self, level=min(self.level + 1, DEEPEST))


def discard_image(_path: str, _data: bytes) -> None:
    """Ignore an image, where no files are written."""
