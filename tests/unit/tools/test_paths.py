"""Paths: the language they hold, and how they are told."""

import pytest

from clew.tools import resolve_path
from clew.tools.display.paths import language_of


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("/w/a.py", "python"),
        ("C:\\w\\A.TSX", "tsx"),
        ("Dockerfile", "dockerfile"),
        ("/w/Makefile", "makefile"),
        ("a.unknown", ""),
        ("py", ""),
        ("/w.py/a", ""),
        ("", ""),
    ],
)
def test_a_path_tells_its_language(path: str, language: str) -> None:
    assert language_of(path) == language


@pytest.mark.parametrize(
    ("path", "cwd", "whole"),
    [
        ("src/a.py", "/home/dev", "/home/dev/src/a.py"),
        ("../a.py", "/w/dev", "/w/a.py"),
        ("/etc/hosts", "/home/dev", "/etc/hosts"),
        ("~/notes.md", "/home/dev", "~/notes.md"),
        ("src\\a.py", "C:\\dev", "C:\\dev\\src\\a.py"),
        ("D:\\a.py", "C:\\dev", "D:\\a.py"),
        ("a.py", "", "a.py"),
    ],
)
def test_a_path_is_made_whole_from_the_folder_it_was_given_in(
    path: str, cwd: str, whole: str
) -> None:
    assert resolve_path(path, cwd) == whole
