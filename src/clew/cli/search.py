"""`clew search`: hits with snippets, grouped by session."""

import datetime as dt
from itertools import groupby
from pathlib import Path
from typing import Final

import click
from rich.text import Text

from clew.cli.options import json_option, root_option
from clew.cli.output import make_console, write_json
from clew.cli.quiet import fresh_archive, no_sync_option
from clew.cli.text import plural, visible
from clew.clock import parse_time
from clew.search import Hit, Results

_ID_LENGTH: Final = 8
_HELP: Final = """\
Find words in everything that was said and done.

Tool results are searched when asked for, with in:results or in:all.

\b
Queries:
  retry bug             both words
  "gives up after"      a phrase; punctuation does not matter
  uploa*                a word's beginning
  retry OR backoff      either
  retry -flaky          not the second
  /time(d)? ?out/       a regular expression
  in:prompts  in:answers  in:thinking  in:inputs  in:results  in:titles  in:files  in:all
  project:uploader  branch:main  model:opus  tool:Bash  agent:Explore  file:upload.py
  is:error  after:2026-11-01  before:7d

\b
Examples:
  clew search retry bug
  clew search 'in:results "connection refused" after:14d'
  clew search 'tool:Bash pytest' --limit 50
  clew search api_key --json | jq .hits[].session_id

\b
Exit codes:
  0  found
  2  the query cannot be read; the character is pointed at
  3  nothing found
"""


@click.command("search", help=_HELP, context_settings={"ignore_unknown_options": True})
@click.argument("words", nargs=-1, required=True, metavar="QUERY", type=click.UNPROCESSED)
@click.option("--limit", type=click.IntRange(min=1), default=20, show_default=True, metavar="N")
@click.option("--offset", type=click.IntRange(min=0), default=0, metavar="N", help="Skip so many.")
@no_sync_option
@root_option
@json_option
def command(
    words: tuple[str, ...],
    limit: int,
    offset: int,
    roots: tuple[Path, ...],
    *,
    no_sync: bool,
    as_json: bool,
) -> None:
    """Search, and print the hits."""
    now = dt.datetime.now().astimezone()
    with fresh_archive(roots, no_sync=no_sync) as archive:
        results = archive.search(" ".join(words), now=now, limit=limit, offset=offset)
    if as_json:
        write_json(results)
    else:
        _print(results)
    if not results.hits:
        raise click.exceptions.Exit(3)


def _print(results: Results) -> None:
    console = make_console()
    if not results.hits:
        click.echo("nothing found; in:all looks in tool results, too", err=True)
    for _, found in groupby(results.hits, key=lambda hit: hit.session_id):
        hits = list(found)
        console.print(_heading(hits[0]))
        for hit in hits:
            console.print(_line(hit))
        console.print()
    if results.hits:
        at_least = "" if results.is_exact else "at least "
        console.print(Text(f"{at_least}{plural(results.total, 'hit')}", style="dim"))
    for note in results.notes:
        click.echo(visible(note), err=True)


def _heading(hit: Hit) -> Text:
    project = hit.project.replace("\\", "/").rstrip("/").rpartition("/")[2]
    heading = Text(visible(hit.title or "(no title)"), style="bold")
    heading.append(f"  {visible(project)} · {hit.session_id[:_ID_LENGTH]}", style="dim")
    return heading


def _line(hit: Hit) -> Text:
    moment = parse_time(hit.at)
    when = moment.astimezone().strftime("%d %b %H:%M") if moment else ""
    line = Text(f"  {when:<13}{hit.field!s:<9}", style="dim")
    line.append_text(_marked(hit))
    return line


def _marked(hit: Hit) -> Text:
    """Give a snippet on one line, with the words that match standing out."""
    text, position = Text(style="not dim"), 0
    for mark in hit.snippet.marks:
        text.append(_flat(hit.snippet.text[position : mark.start]))
        text.append(_flat(hit.snippet.text[mark.start : mark.end]), style="bold yellow")
        position = mark.end
    text.append(_flat(hit.snippet.text[position:]))
    return text


def _flat(text: str) -> str:
    return visible(" ".join(text.split("\n")))
