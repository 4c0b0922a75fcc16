"""Paths: the language they hold, and how they are told."""

import pytest

from clew.tools import language_of


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
