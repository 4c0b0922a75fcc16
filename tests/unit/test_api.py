"""`import clew`."""

import datetime as dt
import subprocess
import sys
from pathlib import Path

import pytest

import clew
from clew.entries import Assistant, Broken, User
from clew.errors import PathNotFoundError, UsageError

USER = '{"type":"user","uuid":"a","message":{"role":"user","content":"hi"}}'
ASSISTANT = '{"type":"assistant","uuid":"b","message":{"role":"assistant","content":[]}}'


def test_read_gives_the_entries_of_a_transcript_in_order(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text(f"{USER}\n{ASSISTANT}\n", "utf-8")

    entries = list(clew.read(path))

    assert [type(entry.body) for entry in entries] == [User, Assistant]
    assert [entry.line.number for entry in entries] == [1, 2]


def test_read_gives_broken_lines_too(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text(f"{{oops\n{USER}\n", "utf-8")

    assert [type(entry.body) for entry in clew.read(str(path))] == [Broken, User]


def test_read_is_lazy(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text(f"{USER}\n", "utf-8")

    entries = clew.read(path)
    with path.open("a", encoding="utf-8") as stream:
        stream.write(f"{ASSISTANT}\n")

    assert len(list(entries)) == 2


def test_a_missing_path_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(PathNotFoundError, match="no such file or directory"):
        clew.read(tmp_path / "gone.jsonl")


def test_a_folder_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is a directory"):
        clew.read(tmp_path)


def test_the_version_is_that_of_the_installed_package() -> None:
    assert clew.__version__.split(".")[0].isdecimal()


def test_a_name_that_does_not_exist_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'reed'"):
        _ = clew.reed  # type: ignore[attr-defined]  # the point of the test


def test_importing_the_package_imports_nothing_heavy() -> None:
    code = "import clew, sys; print([m for m in ('msgspec', 'click', 'rich') if m in sys.modules])"

    out = subprocess.check_output([sys.executable, "-c", code])  # noqa: S603 (our own words)

    assert out == b"[]\n"


def test_every_documented_name_is_there() -> None:
    assert [name for name in clew.__all__ if not getattr(clew, name)] == []


def test_a_look_at_the_package_shows_the_documented_names() -> None:
    assert sorted(dir(clew)) == sorted(clew.__all__)


def as_row(*moment: int) -> str:
    """Give a local time as rows have it."""
    local = dt.datetime(*moment).astimezone()  # type: ignore[arg-type]
    return local.astimezone(dt.UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")


@pytest.mark.parametrize(
    ("value", "since", "until"),
    [
        ("2026-01-02", as_row(2026, 1, 2), as_row(2026, 1, 3)),
        (dt.date(2026, 1, 2), as_row(2026, 1, 2), as_row(2026, 1, 3)),
        ("2026-01-02T09:30", as_row(2026, 1, 2, 9, 30), as_row(2026, 1, 2, 9, 30)),
        (dt.datetime(2026, 1, 2), as_row(2026, 1, 2), as_row(2026, 1, 2)),  # noqa: DTZ001
        ("2026-01-02T09:30:00+02:00", "2026-01-02T07:30:00.000Z", "2026-01-02T07:30:00.000Z"),
        (
            dt.datetime(2026, 1, 2, 7, 30, tzinfo=dt.UTC),
            "2026-01-02T07:30:00.000Z",
            "2026-01-02T07:30:00.000Z",
        ),
        ("2026-01-02T07:30:00.000Z", "2026-01-02T07:30:00.000Z", "2026-01-02T07:30:00.000Z"),
    ],
)
def test_filters_take_days_and_times(value: str | dt.date, since: str, until: str) -> None:
    assert clew.Filters(since=value).since == since
    assert clew.Filters(until=value).until == until


@pytest.mark.parametrize("text", ["7d", "12h", "2w", "yesterday", "today"])
def test_filters_count_back_from_now(text: str) -> None:
    since = clew.Filters(since=text).since or ""

    age = dt.datetime.now(dt.UTC) - dt.datetime.fromisoformat(since)
    assert dt.timedelta(0) <= age <= dt.timedelta(weeks=2, hours=1)


@pytest.mark.parametrize("value", ["soon", "", "7 d", 7, dt.timedelta(days=7), dt.date.max])
def test_a_filter_that_is_not_a_time_is_rejected(value: object) -> None:
    with pytest.raises(UsageError, match=r"until=.* is not a time; write it as 2026-11-14"):
        clew.Filters(until=value)  # type: ignore[arg-type]


def test_a_filter_for_a_project_takes_a_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    assert clew.Filters(project=".").project == str(tmp_path.resolve())
    assert clew.Filters(project=Path("app")).project == str(tmp_path.resolve() / "app")
    assert clew.Filters(project="app").project == "app"


@pytest.mark.parametrize("name", ["branch", "model", "tool", "agent", "session", "project"])
def test_a_filter_that_is_not_text_is_rejected(name: str) -> None:
    with pytest.raises(UsageError, match=rf"{name}=\['a'\] is not text"):
        clew.Filters(**{name: ["a"]})  # type: ignore[arg-type]
