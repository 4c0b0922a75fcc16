"""Which names, models, projects and paths a pattern matches."""

import pytest

from clew.analytics import matches_path, matches_project, select_paths
from clew.analytics.patterns import matches_model, matches_name, matches_set_name


@pytest.mark.parametrize(
    ("pattern", "name", "expected"),
    [
        ("bash", "Bash", True),
        ("mcp__*", "mcp__linear__get", True),
        ("mcp", "mcp__linear__get", False),
        ("Re?d", "Bash", False),
        ("*", "", True),
    ],
)
def test_a_name_matches_whole_or_by_a_pattern(pattern: str, name: str, *, expected: bool) -> None:
    assert matches_name(pattern, name) is expected


@pytest.mark.parametrize(
    ("pattern", "name", "expected"),
    [("*", "main", True), ("*", "", False), ("", "", True), ("", "main", False)],
)
def test_a_star_needs_some_name(pattern: str, name: str, *, expected: bool) -> None:
    assert matches_set_name(pattern, name) is expected


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [("opus", True), ("Opus 5.5", True), ("opus-5", True), ("haiku", False)],
)
def test_a_model_matches_by_part_of_its_id_or_name(pattern: str, *, expected: bool) -> None:
    assert matches_model(pattern, "claude-opus-5-5") is expected


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("uploader", True),
        ("UP", True),
        ("/home/dev", True),
        ("/home/dev/uploader", True),
        ("/home/dev/uploader/", True),
        ("/home/dev/up", False),
        ("other", False),
    ],
)
def test_a_project_matches_by_a_part_or_by_a_folder_above(pattern: str, *, expected: bool) -> None:
    assert matches_project(pattern, "/home/dev/uploader") is expected


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("app.py", "/home/dev/src/app.py", True),
        ("src/app.py", "/home/dev/src/app.py", True),
        ("pp.py", "/home/dev/src/app.py", False),
        ("src", "/home/dev/src/app.py", True),
        ("src/", "/home/dev/src/app.py", True),
        ("/home/dev", "/home/dev/src/app.py", True),
        ("/dev", "/home/dev/src/app.py", False),
        ("*.PY", "/home/dev/src/app.py", True),
        ("src/*.py", "/home/dev/src/app.py", True),
        ("app.py", "C:\\work\\app.py", True),
        ("work\\app.py", "C:\\work\\app.py", True),
        ("app.py", "app.py", True),
        ("/home/dev/a*[1]?.py", "/home/dev/a*[1]?.py", True),
        ("a*[1]?.py", "/home/dev/a*[1]?.py", True),
        ("/home/dev/[id]/page.ts", "/home/dev/[id]/page.ts", True),
        ("/home/dev/[id]/page.ts", "/home/dev/i/page.ts", False),
        ("retry.py", "/a/my_retry.py", False),
        ("x/retry.py", "/x/a/retry.py", False),
        ("/a/*.py", "/a/b/retry.py", True),
        ("*.ts", "/a/retry.py", False),
        ("a/retry.py", "C:\\a\\retry.py", True),
        ("what?.md", "/home/dev/what?.md", True),
        ("what?.md", "/home/dev/whats.md", False),
    ],
)
def test_a_path_means_a_file_by_its_end_or_a_folder(
    pattern: str, path: str, *, expected: bool
) -> None:
    assert matches_path(pattern, path) is expected


def test_a_star_is_an_ordinary_character_in_the_whole_name_of_a_file() -> None:
    paths = ["/src/a*.py", "/src/ab.py"]

    assert select_paths("/src/a*.py", paths) == ["/src/a*.py"]
    assert select_paths("a*.py", paths) == paths


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("upload", ["/a/upload.py", "/a/upload/x.txt", "/b/my_Upload.ts"]),
        ("UPLOAD.p", ["/a/upload.py"]),
        ("load.py", ["/a/upload.py"]),
        ("x.txt", ["/a/upload/x.txt"]),
        ("a/up", []),
        ("nothing", []),
    ],
)
def test_a_part_of_a_name_is_enough_unless_a_file_is_called_so(
    pattern: str, expected: list[str]
) -> None:
    paths = ["/a/upload.py", "/a/upload/x.txt", "/b/my_Upload.ts", "/b/xx.txt", "/b/big-x.txt"]

    assert select_paths(pattern, paths) == expected
