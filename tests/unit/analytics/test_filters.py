"""What filters accept, and which paths a pattern names."""

import pytest

from clew.analytics import Filters, matches_path, select_paths
from clew.errors import UsageError


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


@pytest.mark.parametrize("text", ["7d", "soon", "", "2026-13-01"])
@pytest.mark.parametrize("name", ["since", "until"])
def test_a_time_that_is_not_one_is_rejected(name: str, text: str) -> None:
    with pytest.raises(UsageError, match=f"{name}=.* is not a time"):
        Filters(**{name: text})


@pytest.mark.parametrize("name", Filters.__struct_fields__)
def test_a_value_that_is_not_text_is_rejected(name: str) -> None:
    with pytest.raises(UsageError, match=f"{name} must be text, not int"):
        Filters(**{name: 7})  # type: ignore[arg-type]
