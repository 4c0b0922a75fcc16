"""Options and report of an export."""

from typing import Literal, TypeAlias

import msgspec

from clew.view import Detail

Form: TypeAlias = Literal["html", "markdown", "json"]


class ExportOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How sessions are written.

    `is_redacted` masks secrets. `is_new` writes everything again.
    """

    form: Form
    detail: Detail = Detail.EVERYTHING
    is_redacted: bool = False
    is_new: bool = False
    with_images: bool = True
    workers: int | None = None


class Secret(msgspec.Struct, frozen=True):
    """A kind of secret, and how many of it were found."""

    rule: str
    count: int


class ExportReport(msgspec.Struct, kw_only=True):
    """What an export did; `hidden` sessions, without a conversation, were left out.

    `secrets` were masked if `is_redacted`, else they are in the files.
    """

    schema: str = "clew.export/1"
    form: str
    folder: str
    sessions: int = 0
    hidden: int = 0
    written: int = 0
    unchanged: int = 0
    removed: int = 0
    files: int = 0
    bytes: int = 0
    is_redacted: bool = False
    secrets: list[Secret] = []
    secret_sessions: list[str] = []
    start: str = ""
