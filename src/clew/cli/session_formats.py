"""One session as text, HTML, Markdown or JSON, with secrets masked or counted."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import click

from clew.cli.show_options import ShowOptions
from clew.cli.text import safe_json
from clew.conversation import Conversation
from clew.digest import SessionDigest, extract_session
from clew.export import mask_json, mask_page, write_page
from clew.figures import plural
from clew.render import ColourMode, TerminalOptions, render_page_json
from clew.render.html import HtmlOptions
from clew.render.markdown import MarkdownOptions
from clew.render.terminal import render_page
from clew.view import Detail, SessionPage, ViewOptions, make_page
from clew.writing import whole_file

_DEEPEST = 64


def make_format(
    conversation: Conversation, digest: SessionDigest | None, options: ShowOptions
) -> Iterable[bytes]:
    """Format a session as bytes, and report its secrets."""
    if options.is_json:
        shown = digest or extract_session(conversation)
        masked = mask_json(conversation, shown, options.note, is_wanted=options.redact)
        report_secrets(masked.secrets, is_redacted=options.redact)
        return map(safe_json, masked.pieces)
    view = ViewOptions(
        detail=Detail.EVERYTHING if options.format == "html" else options.detail,
        turn=options.turn,
        max_run_depth=_DEEPEST,
        with_hidden_runs=options.detail is Detail.EVERYTHING,
    )
    page = make_page(conversation, view, digest, options.note)
    masked_page = mask_page(page, conversation, is_wanted=options.redact)
    report_secrets(masked_page.secrets, is_redacted=options.redact)
    return _pieces(masked_page.page, options)


def make_text(
    page: SessionPage,
    conversation: Conversation,
    options: ShowOptions,
    look: TerminalOptions,
    ink: ColourMode,
) -> Iterator[str]:
    """Format the page of a session as lines of text, and report its secrets."""
    masked = mask_page(page, conversation, is_wanted=options.redact)
    report_secrets(masked.secrets, is_redacted=options.redact)
    return render_page(masked.page, look, ink)


def report_secrets(secrets: Mapping[str, int], *, is_redacted: bool) -> None:
    """Report how many secrets were masked, or that there are some in the output."""
    if not secrets:
        return
    by_rule = ", ".join(f"{rule} {count:,}" for rule, count in secrets.items())
    total = sum(secrets.values())
    if is_redacted:
        click.echo(f"Masked {plural(total, 'value')}: {by_rule}", err=True)
    else:
        click.echo(
            f"Found {plural(total, 'possible secret')}: {by_rule} (`--redact` to mask them)",
            err=True,
        )


def _pieces(page: SessionPage, options: ShowOptions) -> Iterable[bytes]:
    if options.format == "page":
        return [safe_json(render_page_json(page))]
    html = HtmlOptions(detail=options.detail)
    markdown = MarkdownOptions(
        images="none" if options.output is None else "link",
        max_tokens=options.max_tokens,
        keep=options.keep,
    )
    if options.output is None or options.format == "html":
        return write_page(page, options.format, html, markdown)
    return _with_pictures(page, markdown, options.output.parent)


def _with_pictures(page: SessionPage, options: MarkdownOptions, folder: Path) -> Iterator[bytes]:
    def save(name: str, data: bytes) -> None:
        with whole_file(folder / name, folder) as stream:
            stream.write(data)

    return write_page(page, "markdown", None, options, save)
