"""Long output through a pager."""

import sys
from pathlib import Path

import pytest

from clew.cli.pager import find_pager, page


def test_the_pager_is_the_one_the_person_chose(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAGER", "most -s 'a b'")

    assert find_pager() == ["most", "-s", "a b"]


@pytest.mark.parametrize("value", ["less", "/usr/bin/less -S"])
def test_colours_come_through_less_whatever_its_options_are(
    value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAGER", value)

    assert find_pager() == [*value.split(), "-R"]


@pytest.mark.parametrize("value", ["", "'unclosed"])
def test_an_empty_or_broken_choice_is_no_pager(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAGER", value)

    assert find_pager() == []


def test_without_a_choice_and_without_less_there_is_no_pager(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PAGER", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))

    assert find_pager() == []


def test_a_pager_gets_all_pieces(tmp_path: Path) -> None:
    target = tmp_path / "seen"
    code = f"import sys; open({str(target)!r}, 'wb').write(sys.stdin.buffer.read())"

    assert page(["one\n", "zwölf\n"], [sys.executable, "-c", code])
    assert target.read_text("utf-8") == "one\nzwölf\n"


def test_a_pager_that_is_left_early_is_no_failure() -> None:
    endless = ("x" * 1000 for _ in range(10_000))

    assert page(endless, [sys.executable, "-c", "pass"])


def test_a_pager_that_cannot_be_started_is_told() -> None:
    assert not page(["one"], ["/no/such/pager"])
