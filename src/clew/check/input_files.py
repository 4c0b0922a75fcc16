"""Requested paths → the files to check, each once, under the name that the report shows."""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from clew.check.names import file_name
from clew.problems import Problem
from clew.source import Discovery, FileKind, SourceFile, discover


class CheckInput(msgspec.Struct, frozen=True):
    """The requested paths, the files found there, and what could not be read."""

    paths: list[str]
    files: list[SourceFile]
    problems: list[Problem]


def find_files(paths: Sequence[Path]) -> CheckInput:
    """List all files at or below some paths.

    Files are named relative to the requested path; with several paths, with the path in
    front, so that each name is of one file.

    Raises:
        PathNotFoundError: Nothing exists at one of the paths.
    """
    files: dict[Path, SourceFile] = {}
    problems: list[Problem] = []
    for path in paths:
        found = discover(path)
        base = path if path.is_dir() else path.parent
        prefix = f"{base.as_posix()}/" if len(paths) > 1 else ""
        for file in found.files:
            files.setdefault(file.path.resolve(), _named(file, path, prefix))
        problems.extend(_problems(found, base.absolute(), prefix))
    return CheckInput(
        [file_name(str(path)) for path in paths],
        sorted(files.values(), key=lambda file: file.relative),
        problems,
    )


def _named(file: SourceFile, requested: Path, prefix: str) -> SourceFile:
    """Name a file as it is shown; one that was itself requested is taken for a transcript."""
    is_requested = file.path == requested.absolute()
    kind = FileKind.SESSION if is_requested and file.kind is FileKind.OTHER else file.kind
    return msgspec.structs.replace(file, relative=f"{prefix}{file.relative}", kind=kind)


def _problems(found: Discovery, base: Path, prefix: str) -> list[Problem]:
    return [
        Problem(problem.kind.value, problem.text, _shown(problem.path, base, prefix))
        for problem in found.problems
    ]


def _shown(path: Path, base: Path, prefix: str) -> str:
    inside = path.relative_to(base).as_posix() if path.is_relative_to(base) else path.as_posix()
    return file_name(f"{prefix}{inside}")
