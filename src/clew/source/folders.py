"""Recognise the folders of Claude Code by their names and by the names in them."""

import os
from collections.abc import Sequence
from pathlib import Path

import msgspec

from clew.source.layout import (
    PROJECTS,
    ROOT_MARK,
    is_encoded_folder,
    is_listed_beside_projects,
    is_memory_folder,
    is_session_folder,
    is_sure_transcript_name,
    is_transcript_name,
)


class Folder(msgspec.Struct, frozen=True):
    """A folder on the way down.

    `inside` is its path relative to the root it belongs to, or None while no root is known.
    `is_sure` is true where all files are Claude Code's, so that unknown ones are listed too. `base`
    is the real path that links must not leave: that of the root, or nothing while none is known.
    """

    path: Path
    relative: str = ""
    inside: tuple[str, ...] | None = None
    is_sure: bool = False
    is_linked: bool = False
    base: str = ""


def locate_folder(folder: Folder, names: frozenset[str]) -> Folder:
    """Locate a folder in its root by the names in it."""
    is_encoded = is_encoded_folder(folder.path.name)
    is_sure = is_encoded or any(map(is_sure_transcript_name, names))
    if folder.inside is None:
        inside = _guess(folder, names, is_project=is_sure)
        return msgspec.structs.replace(folder, inside=inside, is_sure=is_encoded)
    if _is_project(folder.inside):
        return msgspec.structs.replace(folder, is_sure=is_sure)
    return folder


def child_folder(folder: Folder, name: str, names: frozenset[str]) -> Folder:
    """Return the folder `name` in a folder with these `names`, located as its parent is."""
    below = Folder(folder.path / name, f"{folder.relative}{name}/", base=folder.base)
    if folder.inside is None:
        return below
    is_sure = folder.is_sure or is_sure_folder((*folder.inside, name))
    is_sidecar = is_session_folder(name, names) or is_memory_folder(name)
    if _is_project(folder.inside) and not is_sure and not is_sidecar:
        return below
    return msgspec.structs.replace(below, inside=(*folder.inside, name), is_sure=is_sure)


def is_sure_folder(inside: tuple[str, ...]) -> bool:
    """Return whether only Claude Code writes at a place: beside the projects, or in a session's."""
    match inside:
        case (name,):
            return name != PROJECTS
        case (_, _, name):
            return is_session_folder(name)
        case _:
            return False


def find_base(path: Path, inside: tuple[str, ...]) -> str:
    """Return the real path that links at a place may not leave: that of the root above it."""
    root = os.path.realpath(path.parents[len(inside) - 1]) if inside else os.path.realpath(path)
    own = os.path.realpath(path.parent)
    return root if is_below(own, root) else own


def is_below(path: str, base: str) -> bool:
    """Return whether a real path is another one or is below it."""
    return path == base or path.startswith(base.rstrip(os.sep) + os.sep)


def path_in_root(path: Path) -> tuple[str, ...] | None:
    """Return a path relative to the root above it, or None when there is no root."""
    parts = path.parts
    for index in range(len(parts) - 1, 0, -1):
        if _is_in_root(Path(*parts[:index]), parts[index:]):
            return parts[index:]
    return None


def _is_in_root(parent: Path, parts: Sequence[str]) -> bool:
    match parts:
        case (folder, project, *_) if folder == PROJECTS:
            return _looks_like_project(parent / folder / project)
        case (name, *_) if name != PROJECTS and is_listed_beside_projects(name):
            return _looks_like_root(parent)
        case _:
            return False


def _looks_like_project(path: Path) -> bool:
    if is_encoded_folder(path.name):
        return True
    try:
        with os.scandir(path) as found:
            return any(is_sure_transcript_name(entry.name) for entry in found)
    except OSError:
        return False


def _guess(folder: Folder, names: frozenset[str], *, is_project: bool) -> tuple[str, ...] | None:
    if PROJECTS in names and _looks_like_root(folder.path):
        return ()
    if folder.path.name == PROJECTS:
        return (PROJECTS,)
    # In the folder that was requested, any transcript will do; further down, a chance find of
    # some other program's lines must not be taken for a session.
    is_asked_for = not folder.relative
    if is_project or (is_asked_for and any(map(is_transcript_name, names))):
        return (PROJECTS, folder.path.name)
    return None


def _looks_like_root(path: Path) -> bool:
    try:
        with os.scandir(path / PROJECTS) as found:
            folders = [Path(entry.path) for entry in found]
        return (path / ROOT_MARK).exists() or any(map(_looks_like_project, folders))
    except OSError:
        return False


def _is_project(inside: tuple[str, ...]) -> bool:
    match inside:
        case (folder, _):
            return folder == PROJECTS
        case _:
            return False
