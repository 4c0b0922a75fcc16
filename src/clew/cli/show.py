"""`clew show`: one session on the terminal, or in a file."""

import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import click
import msgspec
from rich.console import Console

from clew.archive import open_archive
from clew.cli.options import archive_option, file_path, root_option
from clew.cli.output import make_console, write_file
from clew.cli.pager import find_pager, page
from clew.cli.refresh import sync_afterwards
from clew.cli.search_paths import find_existing_roots, no_transcripts
from clew.cli.show_options import ShowOptions
from clew.conversation import Conversation
from clew.digest import SessionDigest
from clew.errors import SessionNotFoundError, UsageError
from clew.render import (
    PROSE_WIDTH,
    ColourMode,
    Detail,
    TerminalOptions,
    render_terminal,
)
from clew.sessions import is_path
from clew.source import LATEST

_FORMATS: Final = ("terminal", "markdown", "html", "json", "page")
_STDOUT: Final = Path("-")
_HELP: Final = """\
Show a session as text, HTML, Markdown or JSON.

SESSION is an id or the start of one, a path to a transcript or its directory, or `latest` (the
default). Sessions that Claude Code has deleted are read from the archive. On a terminal, new
transcripts are archived afterwards.

\b
Levels of detail:
  outline     the first line of each prompt
  prompts     whole prompts
  talk        also answers and commands
  tools       also tool calls and agent runs, one line each
  everything  also thinking, results, hooks and injected text

\b
Formats:
  terminal  text, in colour on a terminal
  html      a self-contained page with every detail; --detail sets what it
            shows at first
  markdown  Markdown, for notes and language models
  json      the complete conversation
  page      the structure of the page, as JSON

\b
Examples:
  clew show                              show the latest session
  clew show 3f2a --detail talk           show 3f2a…, without tool calls
  clew show session.jsonl --turn 3       show one turn of a transcript
  clew show latest --format html -o session.html
  clew show latest --format html --redact -o to-share.html
  clew show latest --format markdown --max-tokens 20000
  clew show latest --format json | jq .totals

\b
Environment:
  PAGER    pager for long output; empty for none
  COLUMNS  width of the output

\b
Exit codes:
  0  success
  1  a file cannot be read or written
  2  usage error
  3  no such session, path or turn
"""


def _to_detail(_context: click.Context, _option: click.Parameter, word: str) -> Detail:
    return Detail[word.upper()]


def _to_output(_context: click.Context, _option: click.Parameter, path: Path | None) -> Path | None:
    return None if path == _STDOUT else path


@click.command("show", help=_HELP)
@click.argument("session", default=LATEST)
@click.option(
    "--detail",
    type=click.Choice([detail.label for detail in Detail]),
    callback=_to_detail,
    default=Detail.TOOLS.label,
    show_default=True,
    help="Level of detail.",
)
@click.option(
    "--format",
    type=click.Choice(_FORMATS),
    default="terminal",
    show_default=True,
    help="Output format.",
)
@click.option("--redact", is_flag=True, help="Mask secrets, names, home paths and addresses.")
@click.option(
    "--max-tokens",
    type=click.IntRange(min=200),
    metavar="N",
    help="Limit Markdown to about N tokens.",
)
@click.option(
    "--keep",
    type=click.Choice(["newest", "outline"]),
    default="newest",
    show_default=True,
    help="With --max-tokens, what to include first.",
)
@click.option("--turn", type=int, metavar="N", help="Show only this turn.")
@click.option("--branches", is_flag=True, help="Also show abandoned branches.")
@click.option(
    "-o",
    "--output",
    type=file_path,
    callback=_to_output,
    metavar="FILE",
    help="Write to a file; - for stdout.",
)
@click.option("--no-pager", is_flag=True, help="Do not use a pager.")
@archive_option
@root_option
@click.option("--no-sync", is_flag=True, help="Do not archive new transcripts afterwards.")
@click.option("--json", "as_json", is_flag=True, help="Same as --format json.")
def command(session: str, roots: tuple[Path, ...], *, no_sync: bool, **chosen: Any) -> None:
    """Load a session and show it."""
    options = ShowOptions(**chosen)
    if options.as_json and options.format not in ("terminal", "json"):
        raise UsageError(f"--json and --format {options.format} cannot be combined")
    if options.is_json and options.turn is not None:
        raise UsageError("--turn and JSON cannot be combined; the JSON of a session has all turns")
    if options.max_tokens is not None and options.format != "markdown":
        raise UsageError("--max-tokens requires --format markdown")
    conversation, digest = load_with_digest(session, roots)
    show(conversation, digest, _with_note(session, conversation, options))
    if not no_sync and not is_path(session):
        sync_afterwards(roots, is_data=options.format != "terminal" or options.is_json)


def load(session: str, roots: Iterable[Path]) -> Conversation:
    """Load a session from its transcript or, if that was deleted, from the archive."""
    paths = find_existing_roots(roots)
    with open_archive() as archive:
        try:
            return archive.load(session, paths)
        except SessionNotFoundError as error:
            raise (no_transcripts(paths) if session == LATEST else error) from error


def load_with_digest(
    session: str, roots: Iterable[Path]
) -> tuple[Conversation, SessionDigest | None]:
    """Load a session, and what a model wrote of it, if one did."""
    conversation = load(session, roots)
    if is_path(session):
        return conversation, None
    with open_archive() as archive:
        return conversation, archive.kept_digest(conversation.session.id, conversation)


def _with_note(session: str, conversation: Conversation, options: ShowOptions) -> ShowOptions:
    """Add what the reader noted of a session, if it is archived."""
    if is_path(session):
        return options
    with open_archive() as archive:
        return msgspec.structs.replace(options, note=archive.kept_note(conversation.session.id))


def show(conversation: Conversation, digest: SessionDigest | None, options: ShowOptions) -> None:
    """Show a conversation on stdout, or write it to a file."""
    if options.is_json or options.format != "terminal":
        from clew.cli.session_formats import make_format

        pieces = make_format(conversation, digest, options)
        if options.output is None:
            sys.stdout.buffer.writelines(pieces)
        else:
            write_file(options.output, pieces)
    elif options.output is not None:
        write_file(options.output, _as_bytes(conversation, digest, options))
    else:
        _print_page(conversation, digest, options)


def _print_page(
    conversation: Conversation, digest: SessionDigest | None, options: ShowOptions
) -> None:
    console = make_console()
    # Without a terminal, use a width that is comfortable to read.
    is_measured = console.is_terminal or "COLUMNS" in os.environ
    width = console.width if is_measured else PROSE_WIDTH
    look = _look(options, width)
    pieces = _render(conversation, digest, options, look, _choose_ink(console))
    pager = find_pager() if sys.stdout.isatty() and not options.no_pager else []
    if not pager or not page(pieces, pager):
        sys.stdout.writelines(pieces)


def _choose_ink(console: Console) -> ColourMode:
    if not console.is_terminal or console.is_dumb_terminal:
        return ColourMode.PLAIN
    return (
        ColourMode.MONO if console.no_color or console.color_system is None else ColourMode.COLOUR
    )


def _as_bytes(
    conversation: Conversation, digest: SessionDigest | None, options: ShowOptions
) -> Iterable[bytes]:
    look = _look(options, PROSE_WIDTH)
    lines = _render(conversation, digest, options, look, ColourMode.PLAIN)
    return (line.encode("utf-8", "backslashreplace") for line in lines)


def _look(options: ShowOptions, width: int) -> TerminalOptions:
    return TerminalOptions(
        detail=options.detail, turn=options.turn, branches=options.branches, width=width
    )


def _render(
    conversation: Conversation,
    digest: SessionDigest | None,
    options: ShowOptions,
    look: TerminalOptions,
    ink: ColourMode,
) -> Iterator[str]:
    # Output on the screen is scanned for secrets only with --redact.
    if not options.redact and options.output is None:
        return render_terminal(conversation, look, ink, digest, options.note)
    from clew.cli.session_formats import make_text
    from clew.render.terminal import make_text_page

    return make_text(
        make_text_page(conversation, look, digest, options.note), conversation, options, look, ink
    )
