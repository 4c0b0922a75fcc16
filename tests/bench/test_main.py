from pathlib import Path

import msgspec
import pytest

from bench.__main__ import main
from bench.contestant import Budget, Contestant
from tests.bench.toys import busy, quick


def test_generate_prints_the_folder_it_wrote(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main(["generate", "--size", "200KB", "-o", str(tmp_path / "root")])

    assert code == 0
    assert capsys.readouterr().out == f"{tmp_path / 'root'}\n"
    assert list((tmp_path / "root" / "projects").iterdir())


def test_generate_does_not_write_over_a_folder(tmp_path: Path) -> None:
    assert main(["generate", "--size", "200KB", "-o", str(tmp_path)]) == 2


def test_a_folder_without_transcripts_is_not_found(tmp_path: Path) -> None:
    assert main(["--dir", str(tmp_path)]) == 3


@pytest.mark.parametrize(("flags", "code"), [(["--strict"], 4), ([], 0)])
def test_a_missed_budget_fails_only_when_asked_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, flags: list[str], code: int
) -> None:
    (tmp_path / "a.jsonl").write_bytes(b"{}\n")
    slow = Contestant("slow", "toys", "promises much", busy, budgets=(Budget(1.5, "quick"),))
    toys = (Contestant("quick", "toys", "nothing", quick), slow)
    monkeypatch.setattr("bench.__main__.CONTESTANTS", toys)

    assert main(["--dir", str(tmp_path), "--rounds", "1", *flags]) == code


def test_a_group_runs_alone_and_is_written_as_json(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLEW_BENCH_DIR", str(tmp_path / "cache"))
    (tmp_path / "a.jsonl").write_bytes(b'{"text":"retry, then retry"}\n')
    out = tmp_path / "result.json"

    code = main(["--dir", str(tmp_path), "--only", "search", "--rounds", "1", "--json", str(out)])

    result = msgspec.json.decode(out.read_bytes())
    assert code == 0
    assert {standing["group"] for standing in result["standings"]} == {"search"}
    assert result["standings"][0]["found"] == 2


def test_other_programs_want_a_folder_of_projects(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.jsonl").write_text('{"type":"summary"}\n', "utf-8")

    assert main(["--dir", str(tmp_path), "--only", "html"]) == 3
    assert "has no folder `projects`" in capsys.readouterr().err
