"""Tests of where roots are looked for."""

import errno
import os
from pathlib import Path
from typing import NoReturn

import pytest

from clew.source import discover, find_roots


def folders(home: Path, *names: str) -> list[Path]:
    for name in names:
        (home / name).mkdir(parents=True)
    return [home / name for name in names]


def test_the_usual_roots_are_those_that_are_there(tmp_path: Path) -> None:
    expected = folders(tmp_path, ".claude")

    assert find_roots({}, tmp_path) == expected


def test_the_environment_comes_before_the_usual_roots(tmp_path: Path) -> None:
    claude, config, mine = folders(tmp_path, ".claude", ".config/claude", "mine")

    roots = find_roots({"CLAUDE_CONFIG_DIR": str(mine)}, tmp_path)

    assert roots == [mine, claude, config]


@pytest.mark.parametrize("separator", [",", os.pathsep, f" {os.pathsep} ", ",,"])
def test_the_environment_may_name_several_roots(tmp_path: Path, separator: str) -> None:
    one, two = folders(tmp_path, "one", "two")

    roots = find_roots({"CLAUDE_CONFIG_DIR": f"{one}{separator}{two}"}, tmp_path)

    assert roots == [one, two]


def test_a_root_may_have_a_separator_in_its_name(tmp_path: Path) -> None:
    (odd,) = folders(tmp_path, "one, two")

    assert find_roots({"CLAUDE_CONFIG_DIR": str(odd)}, tmp_path) == [odd]


def test_the_environment_may_speak_of_home(tmp_path: Path) -> None:
    (mine,) = folders(tmp_path, "mine")

    assert find_roots({"CLAUDE_CONFIG_DIR": "~/mine"}, tmp_path) == [mine]


@pytest.mark.parametrize("value", ["/nowhere/at/all", "/" + "x" * 300, "", " , "])
def test_configured_roots_that_are_not_there_are_left_out(tmp_path: Path, value: str) -> None:
    assert find_roots({"CLAUDE_CONFIG_DIR": value}, tmp_path) == []


def test_a_root_that_is_out_of_reach_is_looked_in_and_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root,) = folders(tmp_path, ".claude")

    def refuse(path: object, **_: object) -> NoReturn:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))

    monkeypatch.setattr(os, "stat", refuse)
    [found] = [path for path in find_roots({}, tmp_path) if path == root]
    problems = discover(found).problems

    assert [(problem.path, problem.text) for problem in problems] == [(root, "Permission denied")]


def test_extra_roots_come_last_and_stay_even_when_they_are_not_there(tmp_path: Path) -> None:
    (claude,) = folders(tmp_path, ".claude")
    missing = tmp_path / "missing"

    assert find_roots({}, tmp_path, [missing]) == [claude, missing]


def test_a_root_reached_twice_is_given_once(tmp_path: Path) -> None:
    (claude,) = folders(tmp_path, ".claude")
    (tmp_path / "link").symlink_to(claude)
    environ = {"CLAUDE_CONFIG_DIR": str(claude)}

    assert find_roots(environ, tmp_path, [tmp_path / "link"]) == [claude]
