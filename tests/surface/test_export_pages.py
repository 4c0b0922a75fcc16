"""`clew export html|markdown|json` and `clew show --format …`: sessions as files to read."""

import gzip
import json
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from clew.cli import main
from tests.build import SessionBuilder, bash

SECRET = "ghp_" + "a1B2c3D4e5" * 3 + "F6g7H8"


def session(name: str, *, more: str = "") -> SessionBuilder:
    """Give a session with a secret in a command, in a project of its own."""
    builder = SessionBuilder(name, cwd=f"/home/mira/code/{name}").at("2026-10-01T09:00:00Z")
    builder = builder.user(f"Do {name} {more}".strip())
    return builder.tools(bash(f"curl -H 'token: {SECRET}'", "ok")).assistant("Done.")


@pytest.fixture(autouse=True)
def root(machine: Path) -> Path:
    """Give a root with two sessions."""
    for name in ("alpha", "beta"):
        session(name).write(machine)
    return machine


def exported(out: Path, form: str, *words: str) -> Any:
    """Export, and give the report."""
    report = out.parent / "report.json"
    with report.open("w", encoding="utf-8") as stream, pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.stdout", stream)
        assert main(["export", form, "-o", str(out), "--json", *words]) == 0
    return json.loads(report.read_text("utf-8"))


def readable(path: Path) -> str:
    """Give what stands in a file, unpacked where it is packed."""
    data = path.read_bytes()
    return (gzip.decompress(data) if path.suffix == ".gz" else data).decode()


def test_a_site_has_an_index_pages_usage_and_a_search(tmp_path: Path) -> None:
    out = tmp_path / "site"

    report = exported(out, "html")

    assert report["written"] == 2
    assert {path.name for path in out.glob("*.html")} == {"index.html", "usage.html", "search.html"}
    assert len(list((out / "sessions").glob("*.html"))) == 2
    index = unescape((out / "index.html").read_text("utf-8"))
    assert f"sessions/{session('alpha').session_id}.html" in index


@pytest.mark.parametrize("form", ["html", "markdown", "json"])
def test_a_transcript_from_anywhere_is_written_alone_and_not_kept(
    tmp_path: Path, form: str
) -> None:
    file = session("gamma").write(tmp_path / "elsewhere")
    out = tmp_path / "out"

    first, second = (exported(out, form, str(file)) for _ in range(2))

    assert (first["sessions"], first["written"], second["written"]) == (1, 1, 0)
    assert not (tmp_path / "home").exists()


def test_a_folder_from_anywhere_is_chosen_from_by_filters(tmp_path: Path) -> None:
    for name in ("gamma", "delta"):
        session(name).write(tmp_path / "elsewhere")

    report = exported(tmp_path / "out", "html", str(tmp_path / "elsewhere"), "--project", "gamma")

    assert report["sessions"] == 1


def test_ids_and_paths_are_not_mixed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = session("gamma").write(tmp_path / "elsewhere")

    code = main(["export", "html", "latest", str(file), "-o", str(tmp_path / "out")])

    assert code == 2
    assert "session ids and paths cannot be combined" in capsys.readouterr().err


def test_a_second_export_writes_only_what_changed(tmp_path: Path, root: Path) -> None:
    out = tmp_path / "site"
    exported(out, "html")
    before = {path: path.stat().st_mtime_ns for path in (out / "sessions").iterdir()}
    session("beta", more="again").assistant("More.").write(root)

    report = exported(out, "html")

    assert (report["written"], report["unchanged"]) == (1, 1)
    changed = [path for path, at in before.items() if path.stat().st_mtime_ns != at]
    assert [path.stem for path in changed] == [session("beta").session_id]


def test_what_is_left_out_is_taken_away(tmp_path: Path) -> None:
    out = tmp_path / "site"
    exported(out, "html")

    report = exported(out, "html", "--project", "alpha")

    assert report["removed"] == 1
    assert [p.stem for p in (out / "sessions").iterdir()] == [session("alpha").session_id]


@pytest.mark.parametrize("form", ["html", "markdown", "json"])
def test_secrets_are_masked_when_asked(tmp_path: Path, form: str) -> None:
    report = exported(tmp_path / "out", form, "--redact")

    texts = [readable(path) for path in (tmp_path / "out").rglob("*") if path.is_file()]
    assert not any(SECRET in text or "mira" in text for text in texts)
    assert {secret["rule"] for secret in report["secrets"]} >= {"github-token", "home"}


def test_secrets_that_stand_in_an_export_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["export", "markdown", "-o", str(tmp_path / "out")]) == 0

    told = capsys.readouterr()
    assert "Exported 2 sessions: " in told.out
    assert "github-token" in told.err
    assert "--redact" in told.err


def test_markdown_comes_in_a_folder_for_each_project(tmp_path: Path) -> None:
    exported(tmp_path / "out", "markdown")

    found = sorted(path.relative_to(tmp_path / "out") for path in (tmp_path / "out").rglob("*.md"))
    assert [path.parts[0] for path in found] == ["alpha", "beta"]
    assert found[0].name.startswith("2026-10-01 do-alpha")


def test_other_options_write_all_of_it_again(tmp_path: Path) -> None:
    exported(tmp_path / "out", "markdown")

    report = exported(tmp_path / "out", "markdown", "--detail", "talk")

    assert report["written"] == 2
    assert "curl" not in "".join(
        path.read_text("utf-8") for path in (tmp_path / "out").rglob("*.md")
    )


def test_one_session_is_exported_by_its_name(tmp_path: Path) -> None:
    name = session("alpha").session_id

    report = exported(tmp_path / "out", "json", name[:8])

    assert report["sessions"] == 1
    found = json.loads((tmp_path / "out" / f"{name}.json").read_text("utf-8"))
    assert found["schema"] == "clew.conversation/1"


def test_names_and_filters_are_not_mixed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["export", "html", "alpha", "--project", "beta", "-o", str(tmp_path / "out")]

    assert main(words) == 2
    assert "cannot be combined" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("form", "begins"), [("html", "<!doctype html>"), ("markdown", "---\n"), ("page", "{")]
)
def test_one_session_is_shown_in_every_format(tmp_path: Path, form: str, begins: str) -> None:
    out = tmp_path / "session.out"

    assert main(["show", "latest", "--format", form, "-o", str(out)]) == 0

    assert out.read_text("utf-8").startswith(begins)


@pytest.mark.parametrize("form", ["html", "markdown", "json", "page"])
def test_one_session_is_shown_without_its_secrets(
    tmp_path: Path, form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "session.out"

    assert main(["show", "latest", "--format", form, "--redact", "-o", str(out)]) == 0

    assert SECRET not in out.read_text("utf-8")
    assert "Masked" in capsys.readouterr().err


def test_markdown_for_a_model_keeps_to_its_budget(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "short.md"

    words = ["show", "latest", "--format", "markdown", "--max-tokens", "300", "-o", str(out)]
    assert main(words) == 0

    assert len(out.read_bytes()) <= 300 * 4
    assert main(["show", "latest", "--max-tokens", "300"]) == 2
    assert "--max-tokens requires" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("form", "name"), [("html", "sessions"), ("markdown", "alpha"), ("jsonl", "projects")]
)
def test_nothing_is_written_through_a_linked_folder(
    tmp_path: Path, form: str, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / name).symlink_to(tmp_path / "elsewhere")

    code = main(["export", form, "-o", str(tmp_path / "out")])

    assert code == 1
    assert "is a symbolic link" in capsys.readouterr().err
    assert list((tmp_path / "elsewhere").iterdir()) == []
