"""`clew search`: hits with snippets, grouped by session."""

import datetime as dt
import re
import shlex
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final

import click
import msgspec
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from clew.archive import FilterSet
from clew.cli.filters import FilteredCommand, filter_options
from clew.cli.options import archive_option, json_option, root_option
from clew.cli.output import make_console, write_json
from clew.cli.refresh import SearchCoverage, indexed_archive, no_sync_option
from clew.cli.session_table import project_name, when
from clew.cli.text import cut_front, visible
from clew.figures import plural
from clew.search import Field, Hit, Results, WiderSearch, parse_query

_ID_LENGTH: Final = 8
# With less room than this, the text goes on its own line.
_LEAST_ROOM: Final = 24
# Bold yellow is unreadable on white in many terminals.
_MATCH_STYLE: Final = "bold red"
_SPACES: Final = re.compile(r"\s+")
_OFFERS: Final = {
    "any_word": "Search for any of these words",
    "as_text": "Search for the words with a minus",
    "everywhere": "Also search tool results and injected text",
}
_HELP: Final = """\
Search all sessions.

By default, tool results, injected text, such as skill bodies, and digests are not searched; use
in:results, in:injections, in:digest or in:all. With is:error, the results of failed calls are
searched. New transcripts are indexed first; if they are many, clew searches what is indexed, says
how much that is, and indexes the rest afterwards.

\b
Queries:
  retry bug             both words
  "connection reset"    a phrase; punctuation is ignored
  uploa*                words that start with uploa
  retry OR backoff      either
  retry -flaky          the first, without the second; one letter, as in
                        claude -p, is searched for
  C#  a->b  --flag      symbols count; underscores and dashes join words
  /time(d)? ?out/       a regular expression; /…/i ignores case
  in:prompts  in:answers  in:thinking  in:inputs  in:results  in:injections
  in:titles  in:files  in:digest  in:all
  project:uploader  branch:main  model:opus  tool:Bash  agent:Explore
  session:3f2a  since:7d  until:2026-11-14  entrypoint:cli  client-version:2.1
  outcome:done  starred:yes  tag:bug  hidden:yes  file:upload.py  is:error
  after:2026-11-01  before:7d

\b
Examples:
  clew search retry bug
  clew search 'in:results "connection refused" after:14d'
  clew search '"--- FAIL" is:error'
  clew search 'tool:Bash pytest' --limit 50
  clew search 'tool:Bash pytest' --limit 50 --offset 50
  clew search api_key --json | jq .hits[].session_id

\b
Exit codes:
  0  success
  2  usage error, or invalid query
  3  no matches
"""


class _SearchCommand(FilteredCommand):
    """A command whose arguments may start with one dash, as `-flaky`, but not with two."""

    # typing.override comes with Python 3.12
    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:  # type: ignore[explicit-override]
        """Reject unknown options, which would otherwise be searched for."""
        known = {name for option in self.get_params(ctx) for name in option.opts}
        for word in args[: args.index("--")] if "--" in args else args:
            name = word.partition("=")[0]
            if name.startswith("--") and " " not in name and name not in known:
                raise click.NoSuchOption(
                    name, possibilities=get_close_matches(name, known), ctx=ctx
                )
        return super().parse_args(ctx, args)


@click.command(
    "search",
    cls=_SearchCommand,
    help=_HELP,
    context_settings={"ignore_unknown_options": True},
)
@click.argument("words", nargs=-1, required=True, metavar="QUERY", type=click.UNPROCESSED)
@filter_options
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=20,
    show_default=True,
    metavar="N",
    help="Maximum number of hits.",
)
@click.option(
    "--offset", type=click.IntRange(min=0), default=0, metavar="N", help="Skip the first N hits."
)
@click.option("-C", "--context", is_flag=True, help="Show the lines around each hit.")
@click.option("--all", "is_all", is_flag=True, help="Include sessions without a conversation.")
@no_sync_option
@archive_option
@root_option
@json_option
def command(
    words: tuple[str, ...],
    filters: FilterSet,
    roots: tuple[Path, ...],
    *,
    no_sync: bool,
    as_json: bool,
    **chosen: Any,
) -> None:
    """Search, and print the hits."""
    now, offset = dt.datetime.now().astimezone(), chosen["offset"]
    query = " ".join(words)
    parse_query(query, now=now)  # before a first search waits for its index
    with indexed_archive(roots, no_sync=no_sync, is_data=as_json) as (archive, coverage):
        results = archive.search(
            query,
            now=now,
            limit=chosen["limit"],
            offset=offset,
            with_hidden=chosen["is_all"],
            filters=filters,
        )
        wider: Sequence[WiderSearch] = ()
        if not offset:
            wider = archive.wider_searches(
                results, now=now, with_hidden=chosen["is_all"], filters=filters
            )
        if as_json:
            _write_json(results, wider, coverage)
        else:
            _print(results, now, offset, with_context=chosen["context"])
            _offer(wider)
    if not results.hits:
        raise click.exceptions.Exit(3)


def _write_json(results: Results, wider: Sequence[WiderSearch], coverage: SearchCoverage) -> None:
    found = {**msgspec.structs.asdict(results), "wider": wider}
    write_json({**found, **msgspec.structs.asdict(coverage)})


def _offer(wider: Iterable[WiderSearch]) -> None:
    """Offer less strict queries, each as the command that runs it."""
    for one in wider:
        at_least = "" if one.is_exact else "at least "
        command = shlex.join(["clew", "search", one.query])
        click.echo(
            f"{_OFFERS[one.kind]}: {visible(command)} ({at_least}{plural(one.total, 'hit')})",
            err=True,
        )


def _print(results: Results, now: dt.datetime, offset: int, *, with_context: bool) -> None:
    console = make_console()
    if not results.hits:
        click.echo(_no_matches(results), err=True)
    for hits in _by_session(results.hits):
        console.print(_heading(hits[0], console), soft_wrap=True)
        for hit in hits:
            _print_hit(hit, console, now, with_context=with_context)
        console.print()
    if results.hits:
        console.print(Text(_count(results, offset), style="dim"))
    for note in results.notes:
        click.echo(visible(note), err=True)


def _count(results: Results, offset: int) -> str:
    """Format the number of hits and, if there are more, how to see them."""
    at_least = "" if results.is_exact else "at least "
    total = f"{at_least}{plural(results.total, 'hit')}"
    if results.next_offset is None and not offset:
        return total
    shown = f"{offset + 1:,} to {offset + len(results.hits):,}"
    following = results.next_offset
    more = "" if following is None else f" (`--offset {following}` for more)"
    return f"Showing {shown} of {total}{more}"


def _no_matches(results: Results) -> str:
    if results.total:
        return f"No more hits ({results.total:,} in total); use a smaller --offset"
    hidden = results.hidden_sessions
    more = f"; use --all to include {plural(hidden, 'hidden session')}" if hidden else ""
    return f"No matches{more}"


def _by_session(hits: Iterable[Hit]) -> list[list[Hit]]:
    """Group the hits by session, the session with the best hit first."""
    groups: dict[str, list[Hit]] = {}
    for hit in hits:
        groups.setdefault(hit.session_id, []).append(hit)
    return list(groups.values())


def _heading(hit: Hit, console: Console) -> Text:
    """Format title, project and id; on a terminal, the title is cut to fit one line."""
    place = f"  {visible(project_name(hit.project))} · {visible(hit.session_id)[:_ID_LENGTH]}"
    title = Text(visible(hit.title or "(no title)"))
    if console.is_terminal:
        room = max(console.width - cell_len(place), _LEAST_ROOM)
        title.truncate(room, overflow="ellipsis")
    return Text.assemble((title.plain, "bold"), (place, "dim"))


def _print_hit(hit: Hit, console: Console, now: dt.datetime, *, with_context: bool) -> None:
    """Print time, field and text of a hit; on a terminal, wrap the text in a column."""
    label = f"  {when(hit.at, now):>12} {hit.field!s:<9}"
    words = _around(hit) if with_context else _marked(hit)
    room = console.width - len(label)
    lines: Iterable[Text]
    if not console.is_terminal or room < _LEAST_ROOM:
        lines = words.split("\n")
    elif hit.field is Field.FILE:
        lines = [Text(cut_front(words.plain, room))]
    else:
        lines = words.wrap(console, room)
    for number, line in enumerate(lines):
        front = label if number == 0 else " " * len(label)
        line.rstrip()
        console.print(Text(front, style="dim").append_text(line), soft_wrap=True)


def _around(hit: Hit) -> Text:
    return Text("\n".join(map(visible, hit.context)), style="not dim")


def _marked(hit: Hit) -> Text:
    """Return a snippet on one line, with the matches highlighted."""
    text, position = Text(style="not dim"), 0
    for mark in hit.snippet.marks:
        text.append(_flat(hit.snippet.text[position : mark.start]))
        text.append(_flat(hit.snippet.text[mark.start : mark.end]), style=_MATCH_STYLE)
        position = mark.end
    text.append(_flat(hit.snippet.text[position:]))
    return text


def _flat(text: str) -> str:
    return visible(_SPACES.sub(" ", text))
