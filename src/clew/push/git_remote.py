"""A repository's address at its host → the same name, however the address is written.

Two clones of one repository have it in common. It is the suggestion for a project's name on a team
server, and leaves only if the user accepts it.
"""

import configparser
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

from clew.source import open_regular

_SCHEMES: Final = frozenset({"ssh", "git+ssh", "ssh+git", "git", "http", "https", "git+https"})
# `host:path` as scp writes it; with a slash before the colon it is a path, as is a drive's letter.
_SCP: Final = re.compile(r"(?:[^/@:]+@)?(\[[0-9a-fA-F:.]+\]|[^/:@\[\]]{2,}):(?!//)(.+)", re.DOTALL)
_HOST: Final = re.compile(r"[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?|[0-9a-f:.]*:[0-9a-f:.]*")
_SEGMENT: Final = re.compile(r"[\w.~+-]+")
_LONGEST: Final = 255
_MOST_BYTES: Final = 1 << 20
_SECTION: Final = re.compile(r'remote "(.+)"')


def normalise_remote(address: str) -> str | None:
    """Return `host/path` of a repository in lower case, without user, port and `.git`.

    None for a path on this machine, which is no name for others, and for what is no address.
    """
    address = address.strip()
    found = _split(address) if address.isprintable() else None
    if found is None:
        return None
    host, path = found[0].lower().strip("[]").rstrip("."), unquote(found[1]).lower()
    segments = [part for part in path.strip("/").removesuffix(".git").split("/") if part]
    if not segments or not _HOST.fullmatch(host) or not all(map(_is_segment, segments)):
        return None
    name = "/".join((host, *segments))
    return name if len(name) <= _LONGEST else None


def find_remote(folder: Path) -> str | None:
    """Return the normalised remote of the repository that a folder is in: `origin`, else the first.

    None if there is no repository, or none with a remote at another host.
    """
    root = find_repository(folder)
    if root is None:
        return None
    remotes = dict(_read_remotes(_git_folder(root)))
    names = [name for name in ("origin", *remotes) if name in remotes]
    return next(filter(None, (normalise_remote(remotes[name]) for name in names)), None)


def find_repository(folder: Path) -> Path | None:
    """Return the folder itself or the nearest one above it that is the root of a repository."""
    for place in (folder, *folder.parents):
        try:
            if (place / ".git").exists():
                return place
        except OSError:
            return None
    return None


def _split(address: str) -> tuple[str, str] | None:
    """Return host and path of an address."""
    if "://" not in address:
        found = _SCP.fullmatch(address)
        return (found[1], found[2]) if found else None
    try:
        parts = urlsplit(address)
        host = parts.hostname
    except ValueError:
        return None
    return (host, parts.path) if host and parts.scheme.lower() in _SCHEMES else None


def _is_segment(part: str) -> bool:
    return part not in (".", "..") and _SEGMENT.fullmatch(part) is not None


def _git_folder(root: Path) -> Path:
    """Return where the settings of a repository are: those of a worktree are with its main one."""
    own = root / ".git"
    pointer = _read_text(own).removeprefix("gitdir:").strip()
    folder = root / pointer if pointer else own
    common = _read_text(folder / "commondir").strip()
    return folder / common if common else folder


def _read_remotes(folder: Path) -> Iterator[tuple[str, str]]:
    """Read the names and addresses of a repository's remotes; nothing of settings that are bad."""
    parser = configparser.RawConfigParser(strict=False, allow_no_value=True, interpolation=None)
    text = "\n".join(line.strip() for line in _read_text(folder / "config").splitlines())
    try:
        parser.read_string(text)
    except configparser.Error:
        return
    for section in parser.sections():
        found = _SECTION.fullmatch(section)
        address = parser.get(section, "url", fallback=None) if found else None
        if found and address:
            yield found[1], address.strip('"')


def _read_text(path: Path) -> str:
    """Read a small file; empty if there is none."""
    try:
        with open_regular(path) as stream:
            return (stream.read(_MOST_BYTES) or b"").decode("utf-8", "replace")
    except (OSError, ValueError):
        return ""
