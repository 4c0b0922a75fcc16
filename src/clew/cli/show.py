"""`clew show`: one session → a page on the terminal, or in a file."""

import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import click
from rich.console import Console

from clew.archive import open_archive
from clew.cli.options import file_path, root_option
from clew.cli.output import make_console, write_file
from clew.cli.pager import find_pager, page
from clew.cli.search_paths import find_existing_roots, no_transcripts
from clew.cli.show_options import ShowOptions
from clew.conversation import Conversation
from clew.errors import SessionNotFoundError, UsageError
from clew.render import PROSE_WIDTH, ColourMode, Detail, TerminalOptions, render_terminal
from clew.sessions import LATEST

_FORMATS: Final = ("terminal", "markdown", "html", "json", "page")
_STDOUT: Final = Path("-")
_HELP: Final = """\
Show one session on the terminal, as a page, Markdown or JSON.

SESSION is an id or the beginning of one, a path to a transcript or its folder, or `latest`, which
is also what is shown when nothing is named. What Claude Code has deleted comes from the archive.

\b
Details:
  outline     the first line of each prompt
  prompts     whole prompts
  talk        also answers and commands
  tools       also tool calls and agent runs, one line each
  everything  also thinking, results, hooks, and what the client put in

\b
Formats:
  terminal  text, with colours where there are any
  html      one file that needs nothing else; it holds every detail and opens
            with the one given
  markdown  for people, notes and models
  json      the conversation, with everything in it
  page      what a page shows, as JSON

\b
Examples:
  clew show                              the session written to last
  clew show 3f2a --detail talk           the session whose id begins with 3f2a
  clew show session.jsonl --turn 3       one turn of a transcript
  clew show latest --format html -o session.html
  clew show latest --format html --redact -o to-share.html
  clew show latest --format markdown --max-tokens 20000
  clew show latest --format json | jq .totals

\b
Environment:
  PAGER    what long output goes through on a terminal; empty for nothing
  COLUMNS  how wide a page is

\b
Exit codes:
  0  done
  1  a file cannot be read or written
  2  wrong use
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
    help="How much to show.",
)
@click.option(
    "--format",
    type=click.Choice(_FORMATS),
    default="terminal",
    show_default=True,
    help="What to make of it.",
)
@click.option("--redact", is_flag=True, help="Mask secrets, names, home paths and addresses.")
@click.option(
    "--max-tokens",
    type=click.IntRange(min=200),
    metavar="N",
    help="Markdown for a model: at most so many tokens.",
)
@click.option(
    "--keep",
    type=click.Choice(["newest", "outline"]),
    default="newest",
    show_default=True,
    help="What --max-tokens keeps first.",
)
@click.option("--turn", type=int, metavar="N", help="Show one turn alone.")
@click.option("--branches", is_flag=True, help="Show the branches that were left, too.")
@click.option(
    "-o",
    "--output",
    type=file_path,
    callback=_to_output,
    metavar="FILE",
    help="Write to a file; - is stdout.",
)
@click.option("--no-pager", is_flag=True, help="Print at once, however long it is.")
@root_option
@click.option("--json", "as_json", is_flag=True, help="Short for --format json.")
def command(session: str, roots: tuple[Path, ...], **chosen: Any) -> None:
    """Load a session and show it."""
    options = ShowOptions(**chosen)
    if options.as_json and options.format not in ("terminal", "json"):
        raise UsageError(f"--json and --format {options.format} are two formats; give one of them")
    if options.is_json and options.turn is not None:
        raise UsageError("--turn is for pages; the JSON of a session holds all its turns")
    if options.max_tokens is not None and options.format != "markdown":
        raise UsageError("--max-tokens is for --format markdown")
    show(load(session, roots), options)


def load(session: str, roots: Iterable[Path]) -> Conversation:
    """Load a session from the disk or, when it is gone from there, from the archive."""
    places = find_existing_roots(roots)
    with open_archive() as archive:
        try:
            return archive.load(session, places)
        except SessionNotFoundError as error:
            raise (no_transcripts(places) if session == LATEST else error) from error


def show(conversation: Conversation, options: ShowOptions) -> None:
    """Show a conversation on stdout, or write it to a file."""
    if options.is_json or options.format != "terminal":
        from clew.cli.session_formats import make_format

        pieces = make_format(conversation, options)
        if options.output is None:
            sys.stdout.buffer.writelines(pieces)
        else:
            write_file(options.output, pieces)
    elif options.output is not None:
        write_file(options.output, _as_bytes(conversation, options))
    else:
        _print_page(conversation, options)


def _print_page(conversation: Conversation, options: ShowOptions) -> None:
    console = make_console()
    # Without a terminal to measure, a page is as wide as prose reads well.
    is_measured = console.is_terminal or "COLUMNS" in os.environ
    width = console.width if is_measured else PROSE_WIDTH
    pieces = _render(conversation, options, width, _choose_ink(console))
    pager = find_pager() if sys.stdout.isatty() and not options.no_pager else []
    if not pager or not page(pieces, pager):
        sys.stdout.writelines(pieces)


def _choose_ink(console: Console) -> ColourMode:
    if not console.is_terminal or console.is_dumb_terminal:
        return ColourMode.PLAIN
    return (
        ColourMode.MONO if console.no_color or console.color_system is None else ColourMode.COLOUR
    )


def _as_bytes(conversation: Conversation, options: ShowOptions) -> Iterable[bytes]:
    lines = _render(conversation, options, PROSE_WIDTH, ColourMode.PLAIN)
    return (line.encode("utf-8", "backslashreplace") for line in lines)


def _render(
    conversation: Conversation, options: ShowOptions, width: int, ink: ColourMode
) -> Iterator[str]:
    chosen = TerminalOptions(
        detail=options.detail, turn=options.turn, branches=options.branches, width=width
    )
    # What only passes over the screen is not looked through for secrets, unless that is asked for.
    if not options.redact and options.output is None:
        return render_terminal(conversation, chosen, ink)
    from clew.cli.session_formats import make_text

    return make_text(conversation, options, chosen, ink)
