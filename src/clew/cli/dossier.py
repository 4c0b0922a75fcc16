"""`clew dossier`: the sessions, prompts, decisions, tests and cost behind a change."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click
import msgspec

from clew.cli.options import archive_option, file_path, json_option, root_option
from clew.cli.output import write_file
from clew.cli.refresh import fresh_archive, no_sync_option
from clew.cli.text import safe_json, visible_lines
from clew.errors import NotFoundError, UsageError

if TYPE_CHECKING:
    from clew.insight import Repository
    from clew.view import Dossier

_FORMATS: Final = ("markdown", "html", "json")
_STDOUT: Final = Path("-")
_HELP: Final = """\
Show the sessions, prompts, tests and cost behind a change.

CHANGE is a commit (a branch, tag or hash), a range of commits (A..B), or a pull request: its
address or its number, as #12. Run the command inside the repository, or name it with --repo.

A session is behind a commit if git reported the commit in one of its commands, if the commit
contains lines that the session wrote (see `clew blame`), or if the session links to the pull
request. Times alone prove nothing and are not used. Each answer's cost counts once.

\b
Examples:
  clew dossier HEAD                       the last commit
  clew dossier main..feature              the commits of a branch
  clew dossier #12 --redact               a pull request, without secrets
  clew dossier v1.2 --format html -o why.html
  clew dossier HEAD~5..HEAD --json | jq .cost_usd

\b
Exit codes:
  0  success, also if no session is behind the change
  1  git is missing or fails, or a file cannot be written
  2  usage error
  3  no such revision, pull request or repository, or no sessions at all
"""


@click.command("dossier", help=_HELP)
@click.argument("change", metavar="CHANGE")
@click.option(
    "--format",
    "chosen",
    type=click.Choice(_FORMATS),
    default="markdown",
    show_default=True,
    help="Output format.",
)
@click.option("--redact", is_flag=True, help="Mask secrets, names, home paths and addresses.")
@click.option(
    "--repo",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="The git repository. Default: that of the working directory.",
)
@click.option("-o", "--output", type=file_path, metavar="FILE", help="Write to a file.")
@archive_option
@root_option
@no_sync_option
@json_option
def command(
    change: str,
    chosen: str,
    repo: Path | None,
    output: Path | None,
    roots: tuple[Path, ...],
    *,
    redact: bool,
    no_sync: bool,
    as_json: bool,
) -> None:
    """Gather a dossier and print it."""
    if as_json and chosen == "html":
        raise UsageError("--json and --format html cannot be combined")
    from clew.insight import make_dossier, redact_dossier

    repository = _find_repository(repo)
    with fresh_archive(roots, no_sync=no_sync) as archive:
        dossier = make_dossier(archive, repository, change)
    if redact:
        dossier = redact_dossier(dossier)
    text = _render(dossier, "json" if as_json else chosen)
    if output is not None and output != _STDOUT:
        write_file(output, [text])
    elif sys.stdout.isatty():
        click.echo(visible_lines(text.decode("utf-8", "replace")), nl=False)
    else:
        sys.stdout.buffer.write(text)


def _find_repository(repo: Path | None) -> "Repository | None":
    """Return the repository; a pull request that sessions link to needs none."""
    from clew.insight import find_repository

    try:
        return find_repository(Path.cwd() if repo is None else repo)
    except NotFoundError:
        if repo is not None:
            raise
        return None


def _render(dossier: "Dossier", chosen: str) -> bytes:
    match chosen:
        case "json":
            return safe_json(msgspec.json.encode(dossier)) + b"\n"
        case "html":
            from clew.render.site import render_dossier

            return render_dossier(dossier).encode("utf-8", "replace")
        case _:
            from clew.render.markdown import render_dossier_markdown

            return render_dossier_markdown(dossier).encode("utf-8", "replace")
