"""List the transcripts and sidecars under a root, a folder or beside one file."""

import os
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path

from clew.errors import PathNotFoundError
from clew.source.files import Discovery
from clew.source.folders import Folder, find_base, is_sure_folder, path_in_root
from clew.source.kinds import AGENT_KINDS, FileKind
from clew.source.layout import (
    AGENT_FILES,
    DEFAULT_ROOTS,
    PROJECTS,
    ROOTS_VARIABLE,
    classify,
    meta_name,
    session_folder_name,
)
from clew.source.walk import Walk


def find_roots(environ: Mapping[str, str], home: Path, extra: Iterable[Path] = ()) -> list[Path]:
    """Return the roots to look in: those of the environment, the usual ones, then the extra ones.

    Each real folder comes once. Folders that are not there are left out, except extra ones: those
    were requested, so that looking into them must fail.
    """
    roots = [root for root in possible_roots(environ, home) if _is_folder(root)]
    by_target: dict[str, Path] = {}
    for root in [*roots, *extra]:
        by_target.setdefault(os.path.realpath(root), root)
    return list(by_target.values())


def find_missing_roots(environ: Mapping[str, str], home: Path) -> list[Path]:
    """Return the folders that the environment names and that do not exist."""
    configured = _configured_roots(environ.get(ROOTS_VARIABLE, ""), home)
    return [root for root in configured if not _is_folder(root)]


def find_root_above(path: Path) -> Path | None:
    """Return the root that a path is in; None where it is in none."""
    inside = path_in_root(path)
    return None if inside is None else path.parents[len(inside) - 1]


def possible_roots(environ: Mapping[str, str], home: Path) -> list[Path]:
    """Return the folders that are searched for data of Claude Code, whether they exist or not."""
    configured = _configured_roots(environ.get(ROOTS_VARIABLE, ""), home)
    return [*configured, *(home / name for name in DEFAULT_ROOTS)]


def discover(requested: Path) -> Discovery:
    """List all files of Claude Code at or below a path, sorted by their path relative to it.

    A folder may be a root, its `projects` folder, one project, one session's sidecars, or anything
    above. Of a root's other contents only what goes with sessions is listed, never credentials
    or settings. Links below a root are followed as long as they stay in it. A file brings its
    sidecars along, and the flat agent files that may be its own.

    Raises:
        PathNotFoundError: Nothing exists at `requested`.
    """
    path = requested.absolute()
    walk = Walk()
    if _is_folder(path):
        inside = path_in_root(path)
        base = find_base(path, inside) if inside else ""
        walk.add_folder(Folder(path, inside=inside, is_sure=inside is not None, base=base))
    elif path.exists():
        _add_file_and_sidecars(walk, path)
    else:
        raise PathNotFoundError(requested)
    return walk.finish()


def _configured_roots(value: str, home: Path) -> list[Path]:
    # A name may contain a separator itself: a folder that is there by the whole name comes first.
    if value and _is_folder(Path(value)):
        return [Path(value)]
    names = [name.strip() for name in value.replace(",", os.pathsep).split(os.pathsep)]
    return [_from_home(name, home) for name in names if name]


def _is_folder(path: Path) -> bool:
    """Return whether a path is a folder, or may be one: what is out of reach is not left out."""
    try:
        return stat.S_ISDIR(path.stat().st_mode)
    except PermissionError:
        return True
    except (OSError, ValueError):
        return False


def _from_home(name: str, home: Path) -> Path:
    return home / name[2:] if name.startswith("~/") else Path(name)


def _add_file_and_sidecars(walk: Walk, path: Path) -> None:
    """Have a file listed with what is beside it and may belong to it."""
    known = path_in_root(path)
    place = known or (PROJECTS, path.parent.name, path.name)
    base = find_base(path, known) if known else os.path.realpath(path.parent)
    folder = Folder(path.parent, inside=place[:-1], is_sure=True, base=base)
    walk.add_file(path, folder)
    kind = classify("/".join(place)).kind
    if kind in AGENT_KINDS:
        walk.add_beside(path.with_name(meta_name(path.name)), folder)
    elif kind is FileKind.SESSION:
        name = session_folder_name(path.name)
        inside = (*place[:-1], name)
        is_sure = known is not None or is_sure_folder(inside)
        beside = Folder(path.parent / name, f"{name}/", inside, is_sure, base=base)
        if not walk.leaves(beside.path, folder):
            walk.add_folder(beside)
        for agent in path.parent.glob(AGENT_FILES):
            walk.add_beside(agent, folder)
