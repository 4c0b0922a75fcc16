"""Walk down folders and list the files of Claude Code in them."""

import os
import stat
from collections import deque
from pathlib import Path

import msgspec

from clew.source.files import Discovery, SourceFile, SourceProblem, SourceProblemKind
from clew.source.folders import Folder, child_folder, is_below, locate_folder
from clew.source.kinds import FileKind
from clew.source.layout import classify, is_listed_beside_projects, is_private, is_shortcut
from clew.source.names import to_text
from clew.source.own_sessions import is_own_project, is_own_transcript


class Walk:
    """Everything found so far.

    Links wait until all that is reached without them has been seen, folders before files. So a
    file is listed under its real path when that is in reach, and once however often it is linked.
    """

    def __init__(self) -> None:
        self._files: list[SourceFile] = []
        self._problems: list[SourceProblem] = []
        self._folders: deque[Folder] = deque()
        self._links: deque[tuple[Path, Folder, frozenset[str]]] = deque()
        self._file_links: deque[tuple[Path, Folder]] = deque()
        self._seen_folders: set[tuple[int, int]] = set()
        self._seen_files: set[tuple[int, int]] = set()

    def add_folder(self, folder: Folder) -> None:
        """Have a folder walked."""
        self._folders.append(folder)

    def add_file(self, path: Path, folder: Folder) -> None:
        """Have a file listed, unless it is gone or not regular; `folder` is where it is."""
        self._file_links.append((path, folder))

    def add_beside(self, path: Path, folder: Folder) -> None:
        """Have a file listed that was not requested by name: a link must stay in the root."""
        if not self.leaves(path, folder):
            self.add_file(path, folder)

    def leaves(self, path: Path, folder: Folder) -> bool:
        """Return whether a link in a folder leads out of the root, and report it if so.

        Otherwise, a process that can write one file of a session could add any file to the archive.
        """
        if not (folder.base and path.is_symlink()):
            return False
        target = os.path.realpath(path)
        if is_below(target, folder.base) or not Path(target).exists():
            return False
        text = "a symbolic link to a path outside the root; not followed"
        self._problems.append(SourceProblem(path, SourceProblemKind.LINK_OUTSIDE, text))
        return True

    def finish(self) -> Discovery:
        """Walk what was added and return all files found."""
        while self._folders or self._links or self._file_links:
            if self._folders:
                self._visit(self._folders.popleft())
            elif self._links:
                self._follow(*self._links.popleft())
            else:
                self._list_once(*self._file_links.popleft())
        return Discovery(
            sorted(self._files, key=lambda file: file.relative),
            sorted(self._problems, key=lambda problem: problem.path),
        )

    def _visit(self, folder: Folder) -> None:
        try:
            key = _key(folder.path.stat())
            if key in self._seen_folders:
                return
            self._seen_folders.add(key)
            with os.scandir(folder.path) as found:
                entries = sorted(found, key=lambda entry: entry.name)
        except OSError as error:
            self._report(folder.path, error)
            return
        names = frozenset(entry.name for entry in entries)
        folder = locate_folder(folder, names)
        if folder.inside == () or (folder.inside is not None and not folder.base):
            folder = msgspec.structs.replace(folder, base=os.path.realpath(folder.path))
        # A link that leads to no known place may lead anywhere, even to the top of the disk.
        if folder.inside is None and folder.is_linked:
            return
        for entry in entries:
            if folder.inside != () or is_listed_beside_projects(entry.name):
                self._take(entry, folder, names)

    def _take(self, entry: os.DirEntry[str], folder: Folder, names: frozenset[str]) -> None:
        try:
            if entry.is_symlink():
                if is_shortcut(folder.inside or (), entry.name):
                    return
                self._links.append((folder.path / entry.name, folder, names))
            elif _is_own(entry, folder):
                return
            elif entry.is_dir():
                self._folders.append(child_folder(folder, entry.name, names))
            elif folder.inside is not None:
                self._list(folder.path / entry.name, folder, entry.stat(follow_symlinks=False))
        except OSError as error:
            self._report(folder.path / entry.name, error)

    def _follow(self, path: Path, folder: Folder, names: frozenset[str]) -> None:
        try:
            is_folder = stat.S_ISDIR(path.stat().st_mode)
        except OSError as error:
            self._report(path, error)
            return
        target = child_folder(folder, path.name, names)
        if is_folder and folder.inside == ():
            # People move the folders of a root to another disk: those are roots of their own.
            base = os.path.realpath(path)
            self._folders.append(msgspec.structs.replace(target, is_linked=True, base=base))
        elif self.leaves(path, folder):
            return
        elif is_folder:
            self._folders.append(msgspec.structs.replace(target, is_linked=True))
        else:
            self._file_links.append((path, folder))

    def _list_once(self, path: Path, folder: Folder) -> None:
        if folder.inside is None:
            return
        try:
            status = path.stat()
            target = path.resolve()
        except OSError as error:
            self._report(path, error)
            return
        if _key(status) not in self._seen_files and not is_private(target.name):
            self._list(path, folder, status)

    def _list(self, path: Path, folder: Folder, status: os.stat_result) -> None:
        if is_private(path.name):
            return
        place = classify(to_text("/".join((*(folder.inside or ()), path.name))))
        if place.kind is FileKind.OTHER and not folder.is_sure:
            return
        if not stat.S_ISREG(status.st_mode):
            text = "neither a file nor a directory"
            self._problems.append(SourceProblem(path, SourceProblemKind.NOT_REGULAR, text))
            return
        self._seen_files.add(_key(status))
        file = SourceFile(
            path=path,
            relative=to_text(f"{folder.relative}{path.name}"),
            kind=place.kind,
            session_id=place.session_id,
            agent_id=place.agent_id,
            workflow_id=place.workflow_id,
            project_folder=place.project_folder,
            size=status.st_size,
            mtime_ns=status.st_mtime_ns,
            inode=status.st_ino,
            device=status.st_dev,
        )
        self._files.append(file)

    def _report(self, path: Path, error: OSError) -> None:
        # What vanishes between two looks is no problem: it is as if it had never been there.
        if not isinstance(error, FileNotFoundError | NotADirectoryError):
            text = error.strerror or str(error)
            self._problems.append(SourceProblem(path, SourceProblemKind.UNREADABLE, text))


def _is_own(entry: os.DirEntry[str], folder: Folder) -> bool:
    """Return whether a file is a transcript of a session that clew itself started."""
    match folder.inside:
        case (str(_), str(project)) if is_own_project(project) and entry.name.endswith(".jsonl"):
            return is_own_transcript(folder.path / entry.name)
        case _:
            return False


def _key(status: os.stat_result) -> tuple[int, int]:
    return status.st_dev, status.st_ino
