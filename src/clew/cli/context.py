"""`clew context`: what filled the context of a model, what broke its cache, what was lost."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from clew.archive import open_archive
from clew.cli.options import archive_option, root_option
from clew.cli.output import make_console
from clew.cli.search_paths import find_existing_roots, no_transcripts
from clew.errors import NotFoundError, SessionNotFoundError
from clew.source import LATEST

if TYPE_CHECKING:
    from clew.insight import ContextReport

_HELP: Final = """\
Show what filled a session's context, and what that cost.

For each turn, the table shows how full the context window was and with what: system text and tools,
files read, tool results, prompts, answers, thinking. Below it are the cache breaks (requests that
paid again for what was cached before) with their causes and costs, and for each compaction what the
summary leaves out.

The API counts only all tokens of a request. clew shares them out by characters: of the request
itself if the client wrote it down (2.1.325 and later), otherwise of the messages before it, which
is marked as an estimate.

\b
Examples:
  clew context                          the latest session
  clew context 3f2a --turn 4            one turn, request by request
  clew context 3f2a --turn 4 --request  the requests as they were sent
  clew context 3f2a --json              all samples, breaks and compactions

\b
Exit codes:
  0  success
  2  usage error
  3  no such session or turn, or the client wrote no requests down
"""


class NoSuchTurnError(NotFoundError):
    """A session has no request in this turn."""

    def __init__(self, turn: int, last: int) -> None:
        turns = f"its last turn is {last}" if last else "it has no turns"
        super().__init__(f"no request in turn {turn}; {turns}")


class NoRequestsError(NotFoundError):
    """The client of a session did not write its requests down."""

    def __init__(self) -> None:
        super().__init__(
            "the client of this session did not record its requests (2.1.325 and later do); "
            "run `clew context` without --request for an estimate"
        )


@click.command("context", help=_HELP)
@click.argument("session", default=LATEST)
@click.option("--turn", type=click.IntRange(min=1), metavar="N", help="Show only this turn.")
@click.option("--request", "with_requests", is_flag=True, help="Show the requests as sent.")
@archive_option
@root_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(
    session: str,
    roots: tuple[Path, ...],
    turn: int | None,
    *,
    with_requests: bool,
    as_json: bool,
) -> None:
    """Load a session and show its context."""
    report = _load(session, roots)
    _require(report, turn, with_requests=with_requests and not as_json)
    if as_json:
        from clew.insight.context import stream_context

        pieces = stream_context(report, turn, with_requests=with_requests)
        sys.stdout.buffer.writelines(pieces)
    elif with_requests:
        from clew.cli.context_requests import print_requests

        print_requests(report, turn, make_console())
    else:
        from clew.cli.context_table import print_context

        print_context(report, turn, make_console())


def _load(session: str, roots: tuple[Path, ...]) -> "ContextReport":
    """Load a session from its transcript or, if that was deleted, from the archive."""
    from clew.conversation import build
    from clew.insight import make_context

    paths = find_existing_roots(roots)
    with open_archive() as archive:
        try:
            material = archive.load_material(session, paths)
        except SessionNotFoundError as error:
            raise (no_transcripts(paths) if session == LATEST else error) from error
    return make_context(build(material), material)


def _require(report: "ContextReport", turn: int | None, *, with_requests: bool) -> None:
    """Make sure that there is something to show."""
    turns = {sample.turn or 0 for sample in report.samples}
    if turn is not None and turn not in turns:
        raise NoSuchTurnError(turn, max(turns, default=0))
    if with_requests and not report.log.requests:
        raise NoRequestsError
