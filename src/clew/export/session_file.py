"""One session as one file: mask secrets, then render."""

import getpass
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any, Final

import msgspec

from clew.conversation import Conversation
from clew.digest import SessionDigest
from clew.notes import SessionNote
from clew.redact import (
    Redactor,
    SecretFinding,
    find_names,
    find_tree_secrets,
    learn_conversation,
    prepare_tree,
    redact_tree,
)
from clew.render import render_json
from clew.render.html import HtmlOptions, render_html
from clew.render.markdown import MarkdownOptions, SaveImage, render_markdown
from clew.view import SessionPage

_BETWEEN: Final = b",\n"
_BATCH_BYTES: Final = 4 << 20


class MaskedPage(msgspec.Struct, frozen=True):
    """A page, and the number of secrets that were masked or found in it, by rule.

    `listing_texts` are the masked texts of the session on the pages that list it.
    """

    page: SessionPage
    secrets: dict[str, int]
    listing_texts: tuple[str, ...] = ()


class MaskedJson(msgspec.Struct, frozen=True):
    """A conversation's JSON, and the number of secrets that were masked or found in it, by rule."""

    pieces: list[bytes]
    secrets: dict[str, int]


def mask_page(
    page: SessionPage,
    conversation: Conversation,
    *,
    is_wanted: bool,
    listing_texts: tuple[str, ...] = (),
) -> MaskedPage:
    """Mask the secrets in a page and in its listing texts, or only count them."""
    if not is_wanted:
        return MaskedPage(page, count_rules(find_tree_secrets(page)))
    redactor = make_redactor(conversation)
    # A password may be named as one only in a part that the page leaves out.
    prepare_tree(conversation, redactor)
    masked = redact_tree(page, redactor)
    secrets = count_rules(redactor.report.findings)
    return MaskedPage(masked, secrets, tuple(map(redactor.redact, listing_texts)))


def mask_json(
    conversation: Conversation,
    digest: SessionDigest | None = None,
    note: SessionNote | None = None,
    *,
    is_wanted: bool,
) -> MaskedJson:
    """Mask the secrets in the JSON of a conversation, its digest and note, or only count them."""
    pieces = list(render_json(conversation, digest, note))
    if not is_wanted:
        batches = map(find_tree_secrets, _batches(_values(pieces)))
        return MaskedJson(pieces, count_rules(chain.from_iterable(batches)))
    redactor = make_redactor(conversation)
    value: Any = msgspec.json.decode(b"".join(pieces))
    masked = redact_tree(value, redactor)
    return MaskedJson([msgspec.json.encode(masked)], count_rules(redactor.report.findings))


def _values(pieces: Iterable[bytes]) -> Iterator[tuple[int, Any]]:
    """Decode a conversation's JSON value by value, and return each with its size.

    All of it at once would take many times the memory of the text. What is between the values has
    no text of the transcript.
    """
    for piece in pieces:
        text = piece.lstrip(_BETWEEN)
        if text.endswith(b"}") and text.startswith(b'"'):
            text = b"{" + text + b"}"
        if text.endswith(b"}") and text.startswith(b"{"):
            yield len(text), msgspec.json.decode(text)


def _batches(values: Iterable[tuple[int, Any]]) -> Iterator[list[Any]]:
    """Put values together: to search a few large texts is faster than many small ones."""
    batch: list[Any] = []
    total = 0
    for size, value in values:
        batch.append(value)
        total += size
        if total >= _BATCH_BYTES:
            yield batch
            batch, total = [], 0
    if batch:
        yield batch


def make_redactor(conversation: Conversation) -> Redactor:
    """Return a redactor that knows whose session it is."""
    session = conversation.session
    paths = {session.cwd, session.project, *(m.cwd or "" for m in conversation.messages)}
    ids = dict.fromkeys(conversation.account_ids, "account-id")
    return Redactor(names_in(paths), ids)


def learn_session(conversation: Conversation) -> Redactor:
    """Return a redactor that has read a whole session: what one part reveals is masked in all."""
    redactor = make_redactor(conversation)
    learn_conversation(conversation, redactor)
    return redactor


def names_in(paths: Iterable[str]) -> set[str]:
    """Return the names to hide: those of homes that paths lead to, and that of whoever exports."""
    return {*find_names(paths), *_user()}


def count_rules(findings: Iterable[SecretFinding]) -> dict[str, int]:
    """Sum the findings of secrets by rule."""
    counts: dict[str, int] = {}
    for finding in findings:
        counts[finding.rule] = counts.get(finding.rule, 0) + finding.count
    return counts


def write_page(
    page: SessionPage,
    form: str,
    html: HtmlOptions | None = None,
    markdown: MarkdownOptions | None = None,
    save: SaveImage | None = None,
) -> Iterator[bytes]:
    """Return a page as HTML or Markdown, piece by piece."""
    if form == "html":
        return _encoded(render_html(page, html))
    options = markdown or MarkdownOptions()
    return _encoded(
        render_markdown(page, options) if save is None else render_markdown(page, options, save)
    )


def _encoded(pieces: Iterable[str]) -> Iterator[bytes]:
    for piece in pieces:
        yield piece.encode("utf-8", "backslashreplace")


def _user() -> list[str]:
    try:
        return [getpass.getuser()]
    except (OSError, KeyError, ImportError):
        return []
