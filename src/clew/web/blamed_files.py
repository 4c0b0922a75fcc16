"""Blame of files on this machine, for its own web app: a team server has no repositories."""

from itertools import groupby
from pathlib import Path
from typing import Final

from clew.archive import Archive, FilterSet, Order
from clew.errors import NotFoundError
from clew.insight import BlameLine, FileBlame, blame_file
from clew.render.formatting import money_usd
from clew.render.site import APP, BlameGroup, BlamePage

_MOST_LINES: Final = 5_000


def can_blame(path: str) -> bool:
    """Whether a file is on this disk, in a folder that looks like a git repository."""
    file = Path(path)
    return file.is_absolute() and file.is_file() and any(_has_git(one) for one in file.parents)


def _has_git(folder: Path) -> bool:
    return (folder / ".git").exists()


def blame_known_file(archive: Archive, path: str, revision: str | None) -> FileBlame:
    """Blame a file that a session changed; no other file of this machine is read.

    Raises:
        NotFoundError: No session changed it, or it is in no repository.
    """
    uses = archive.file_uses(path, FilterSet(), Order(with_hidden=True))
    if not Path(path).is_absolute() or not any(use.path == path for use in uses):
        raise NotFoundError(f"no session read or changed {path[:200]!r}")
    return blame_file(archive, Path(path), revision)


def make_blame_page(path: str, blame: FileBlame) -> BlamePage:
    """Group the lines of a file by their origin."""
    shown = blame.lines[:_MOST_LINES]
    groups = [_group(blame, list(lines)) for _, lines in groupby(shown, key=_origin)]
    return BlamePage(
        path=path,
        name=blame.path,
        revision=blame.revision,
        groups=groups,
        notes=blame.notes,
        explained=sum(line.session_id is not None for line in blame.lines),
        total=len(blame.lines),
        left_out=len(blame.lines) - len(shown),
    )


def _origin(line: BlameLine) -> tuple[str | None, ...]:
    return (line.evidence, line.session_id, line.message_id, line.commit)


def _group(blame: FileBlame, lines: list[BlameLine]) -> BlameGroup:
    first = lines[0]
    commit = blame.commits.get(first.commit or "")
    cost = None if first.cost_usd is None else first.cost_usd * len(lines)
    url = "" if first.session_id is None else APP.session(first.session_id, first.message_id)
    return BlameGroup(
        evidence=first.evidence,
        lines=[(line.line, line.text) for line in lines],
        commit=first.commit or "",
        subject="" if commit is None else commit.subject,
        url=url,
        title=blame.sessions.get(first.session_id or "", ""),
        prompt=first.prompt or "",
        turn=first.turn,
        model=first.model or "",
        cost="" if cost is None else money_usd(cost, "exact"),
        is_told=first.is_told,
    )
