"""Exports: what is written, what is left alone, what is taken away."""

import gc
import gzip
import os
from pathlib import Path
from typing import Any

import msgspec
import pytest

from clew.errors import NotFoundError
from clew.export import ExportOptions, Form, export
from clew.export import manifest as manifests
from clew.export import run as running
from clew.export.manifest import read_manifest, write_manifest
from clew.view import Detail
from tests.build import bash
from tests.unit.export.exports import export_all, kept, session

HTML = ExportOptions(form="html", workers=1)
MARKDOWN = ExportOptions(form="markdown", workers=1)


def pages(folder: Path) -> list[str]:
    return sorted(path.stem for path in (folder / "sessions").iterdir())


def test_nothing_to_write_is_an_error(tmp_path: Path) -> None:
    with kept(tmp_path, session("alpha")) as archive, pytest.raises(NotFoundError):
        export(archive, [], tmp_path / "out", HTML)


@pytest.mark.parametrize("form", ["html", "markdown", "json"])
def test_what_has_not_changed_is_not_written_again(tmp_path: Path, form: Form) -> None:
    options = ExportOptions(form=form, workers=1)
    with kept(tmp_path, session("alpha"), session("beta")) as archive:
        first = export_all(archive, tmp_path / "out", options)
        second = export_all(archive, tmp_path / "out", options)

    assert (first.written, first.unchanged) == (2, 0)
    assert (second.written, second.unchanged, second.bytes) == (0, 2, 0)


def state(folder: Path) -> dict[str, tuple[int, int]]:
    """Return what changes whenever a file is written: its number and its time."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    stats = {path.relative_to(folder).as_posix(): path.stat() for path in files}
    return {name: (stat.st_ino, stat.st_mtime_ns) for name, stat in stats.items()}


def changed(before: dict[str, tuple[int, int]], folder: Path) -> set[str]:
    """Return the files that were written since."""
    return {name for name, _ in state(folder).items() ^ before.items()}


@pytest.mark.parametrize("form", ["html", "markdown", "json"])
@pytest.mark.parametrize("is_redacted", [False, True])
def test_a_second_export_writes_no_file(tmp_path: Path, form: Form, is_redacted: bool) -> None:  # noqa: FBT001
    options, out = ExportOptions(form=form, workers=1, is_redacted=is_redacted), tmp_path / "out"
    with kept(tmp_path, session("alpha"), session("beta", picture=True)) as archive:
        export_all(archive, out, options)
        before = state(out)
        export_all(archive, out, options)

    assert changed(before, out) == set()


def test_a_file_that_was_only_touched_is_not_written_again(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with kept(tmp_path, session("alpha")) as archive:
        export_all(archive, out, HTML)
        before = state(out)
        for path in (tmp_path / "root").rglob("*.jsonl"):
            os.utime(path, ns=(1, 1))
        archive.sync([tmp_path / "root"])
        report = export_all(archive, out, HTML)

    assert (report.written, changed(before, out)) == (0, set())


def test_one_more_message_writes_one_session_and_the_lists(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with kept(tmp_path, session("alpha"), session("beta"), session("gamma")) as archive:
        export_all(archive, out, HTML)
        before = state(out)
    with kept(tmp_path, session("beta").user("More").assistant("Yes.")) as archive:
        report = export_all(archive, out, HTML)

    beta = session("beta").session_id
    lists = {"index.html", "usage.html", "search.html", ".clew-export.json"}
    assert (report.written, report.unchanged) == (1, 2)
    assert changed(before, out) <= {f"sessions/{beta}.html", f".clew/{beta}.json.gz"} | lists
    assert f"sessions/{beta}.html" in changed(before, out)


def test_a_session_is_written_again_when_the_one_it_goes_on_from_is_found(tmp_path: Path) -> None:
    """It costs less from then on: what it copied was counted there."""
    out, first = tmp_path / "out", session("alpha")
    fork = first.fork("fork").user("Another way").assistant("Done.")
    page = out / "sessions" / f"{fork.session_id}.html"
    with kept(tmp_path, fork) as archive:
        export_all(archive, out, HTML)
        before = page.read_bytes()
        first.write(tmp_path / "root")
        archive.sync([tmp_path / "root"])
        export_all(archive, out, HTML)
        after = page.read_bytes()
        export_all(archive, tmp_path / "fresh", HTML)

    assert before != after
    assert after == (tmp_path / "fresh" / page.relative_to(out)).read_bytes()


def test_a_session_gone_from_the_disk_is_not_written_again(tmp_path: Path) -> None:
    out, root = tmp_path / "out", tmp_path / "root"
    with kept(tmp_path, session("alpha"), session("beta")) as archive:
        export_all(archive, out, HTML)
        next(root.rglob("*.jsonl")).unlink()
        archive.sync([root])
        report = export_all(archive, out, HTML)

    assert (report.written, report.unchanged) == (0, 2)


def test_another_version_of_clew_writes_all_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with kept(tmp_path, session("alpha"), session("beta")) as archive:
        export_all(archive, tmp_path / "out", HTML)
        monkeypatch.setattr(manifests, "version", lambda _: "0.0.0")
        report = export_all(archive, tmp_path / "out", HTML)

    assert report.written == 2


@pytest.mark.parametrize(
    "other",
    [{"detail": Detail.TALK}, {"is_redacted": True}, {"with_images": False}],
    ids=["detail", "redact", "images"],
)
def test_other_options_write_all_again(tmp_path: Path, other: dict[str, Any]) -> None:
    with kept(tmp_path, session("alpha"), session("beta")) as archive:
        export_all(archive, tmp_path / "out", HTML)
        report = export_all(archive, tmp_path / "out", msgspec.structs.replace(HTML, **other))

    assert report.written == 2


def test_everything_is_written_again_when_asked(tmp_path: Path) -> None:
    with kept(tmp_path, session("alpha")) as archive:
        export_all(archive, tmp_path / "out", HTML)
        report = export_all(
            archive, tmp_path / "out", ExportOptions(form="html", workers=1, is_new=True)
        )

    assert report.written == 1


def test_a_page_that_was_lost_is_written_again(tmp_path: Path) -> None:
    with kept(tmp_path, session("alpha"), session("beta")) as archive:
        export_all(archive, tmp_path / "out", HTML)
        next((tmp_path / "out" / "sessions").iterdir()).unlink()
        report = export_all(archive, tmp_path / "out", HTML)

    assert report.written == 1
    assert len(pages(tmp_path / "out")) == 2


def test_the_collector_rests_while_sessions_are_written(tmp_path: Path) -> None:
    rests: list[bool] = []
    with kept(tmp_path, session("alpha")) as archive:
        sessions = list(archive.sessions())
        export(archive, sessions, tmp_path / "out", HTML, lambda *_: rests.append(gc.isenabled()))

    assert rests == [False]
    assert gc.isenabled()


def test_how_far_it_is_is_told(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    with kept(tmp_path, session("alpha"), session("beta")) as archive:
        sessions = list(archive.sessions())
        export(
            archive, sessions, tmp_path / "out", HTML, lambda done, all_: told.append((done, all_))
        )

    assert told == [(1, 2), (2, 2)]


def test_other_processes_write_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "_WORTH_PROCESSES", 1)
    monkeypatch.setattr(running, "_BATCH_BYTES", 1)
    with kept(tmp_path, session("alpha"), session("beta")) as archive:
        export_all(archive, tmp_path / "one", ExportOptions(form="json", workers=1))
        export_all(archive, tmp_path / "two", ExportOptions(form="json", workers=2))

    one, two = (sorted((tmp_path / name).glob("*.json")) for name in ("one", "two"))
    assert [path.read_bytes() for path in one] == [path.read_bytes() for path in two]


def test_a_session_that_is_left_out_leaves_nothing_behind(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with kept(tmp_path, session("alpha"), session("beta")) as archive:
        export_all(archive, out, HTML)
        some = [each for each in archive.sessions() if each.project.endswith("alpha")]
        report = export(archive, some, out, HTML)

    assert report.removed == 1
    assert pages(out) == [some[0].id]
    assert [path.name for path in (out / ".clew").iterdir()] == [f"{some[0].id}.json.gz"]


def test_the_pages_around_a_few_sessions_tell_of_no_others(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with kept(tmp_path, session("alpha"), session("gamma"), session("secretive")) as archive:
        some = [each for each in archive.sessions() if not each.project.endswith("secretive")]
        export(archive, some, out, HTML)

    texts = {path.name: path.read_text("utf-8") for path in out.glob("*.html")}
    assert "gamma" in texts["index.html"]
    assert "gamma" in texts["usage.html"]
    assert not any("secretive" in text for text in texts.values())


def test_a_picture_that_two_sessions_show_stays_while_one_does(tmp_path: Path) -> None:
    out = tmp_path / "out"
    builders = [session(name, project="shared", picture=True) for name in ("alpha", "beta")]
    with kept(tmp_path, *builders) as archive:
        sessions = list(archive.sessions())
        first = export(archive, sessions, out, MARKDOWN)
        export(archive, sessions[:1], out, MARKDOWN)

    assert first.files == 4
    assert len(list(out.rglob("*.png"))) == 1


def test_a_new_title_gives_a_new_name_and_takes_the_old_away(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with kept(tmp_path, session("alpha")) as archive:
        export_all(archive, out, MARKDOWN)
    with kept(tmp_path, session("alpha").ai_title("Another title")) as archive:
        report = export_all(archive, out, MARKDOWN)

    assert report.written == 1
    assert [path.name.split()[1] for path in out.rglob("*.md")] == ["another-title"]


def test_a_file_that_lost_its_name_is_taken_away_when_everything_is_written_again(
    tmp_path: Path,
) -> None:
    out = tmp_path / "out"
    with kept(tmp_path, session("alpha")) as archive:
        export_all(archive, out, MARKDOWN)
    with kept(tmp_path, session("alpha").ai_title("Another title")) as archive:
        export_all(archive, out, msgspec.structs.replace(MARKDOWN, is_new=True))

    assert len(list(out.rglob("*.md"))) == 1


def test_another_form_takes_the_site_away(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with kept(tmp_path, session("alpha")) as archive:
        export_all(archive, out, HTML)
        export_all(archive, out, MARKDOWN)

    assert sorted(path.name for path in out.iterdir()) == [".clew-export.json", "alpha"]


def test_a_folder_that_nothing_is_left_in_goes_too(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with kept(tmp_path, session("alpha"), session("beta")) as archive:
        export_all(archive, out, MARKDOWN)
        some = [each for each in archive.sessions() if each.project.endswith("alpha")]
        export(archive, some, out, MARKDOWN)

    assert [path.name for path in out.iterdir() if path.is_dir()] == ["alpha"]


def test_what_a_broken_export_wrote_does_not_pass_for_current(tmp_path: Path) -> None:
    out = tmp_path / "out"
    redacted = msgspec.structs.replace(HTML, is_redacted=True)
    builders = [session(name).user("DB_PASSWORD=k9Lm2pQz7!") for name in ("alpha", "beta")]
    with kept(tmp_path, *builders) as archive:
        export_all(archive, out, redacted)
        with pytest.raises(KeyboardInterrupt):
            export(archive, list(archive.sessions()), out, HTML, _interrupt)
        export_all(archive, out, redacted)

    assert not any("k9Lm2pQz7" in path.read_text("utf-8") for path in out.rglob("*.html"))


def _interrupt(done: int, total: int) -> None:
    if done < total:
        raise KeyboardInterrupt


def test_what_a_broken_export_wrote_is_not_written_again(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with kept(tmp_path, session("alpha"), session("beta")) as archive:
        with pytest.raises(KeyboardInterrupt):
            export(archive, list(archive.sessions()), out, HTML, _interrupt)
        report = export_all(archive, out, HTML)

    assert (report.written, report.unchanged) == (1, 1)


def test_a_session_whose_words_were_lost_is_written_again(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with kept(tmp_path, session("alpha")) as archive:
        export_all(archive, out, HTML)
        next((out / ".clew").iterdir()).unlink()
        report = export_all(archive, out, HTML)

    assert report.written == 1


@pytest.mark.parametrize("form", ["html", "markdown", "json"])
def test_no_file_of_a_redacted_export_tells_what_its_title_told(tmp_path: Path, form: Form) -> None:
    told = session("alpha").user("DB_PASSWORD=k9Lm2pQz7 and mira@ferry.dev").branch("k9Lm2pQz7")
    told.assistant("ok").ai_title("Use k9Lm2pQz7 for mira@ferry.dev in /home/mira")
    with kept(tmp_path, told) as archive:
        export_all(archive, tmp_path / "out", ExportOptions(form=form, is_redacted=True))

    files = [path for path in (tmp_path / "out").rglob("*") if path.is_file()]
    whole = b"".join(_unpacked(path) for path in files)
    assert b"alpha" in whole
    assert b"k9Lm2pQz7" not in whole
    assert b"mira" not in whole


def test_a_password_of_a_tool_is_masked_where_tools_are_left_out(tmp_path: Path) -> None:
    builder = session("alpha").user("Which one?").tools(bash("env", "DB_PASSWORD=k9Lm2pQz7"))
    options = ExportOptions(form="markdown", detail=Detail.TALK, is_redacted=True)
    with kept(tmp_path, builder.assistant("It is k9Lm2pQz7 then.")) as archive:
        export_all(archive, tmp_path / "out", options)

    text = next((tmp_path / "out").rglob("*.md")).read_text("utf-8")
    assert "It is [redacted: password 1] then." in text


def test_a_manifest_that_tells_too_little_of_a_session_does_no_harm(tmp_path: Path) -> None:
    out = tmp_path / "out"
    redacted = msgspec.structs.replace(HTML, is_redacted=True)
    with kept(tmp_path, session("alpha")) as archive:
        export_all(archive, out, redacted)
        manifest = read_manifest(out, redacted)
        for name, entry in manifest.sessions.items():
            manifest.sessions[name] = msgspec.structs.replace(entry, listing_texts=("only one",))
        write_manifest(out, manifest)
        report = export_all(archive, out, redacted)

    assert report.unchanged == 1
    assert "Do alpha" in (out / "index.html").read_text("utf-8")


def _unpacked(path: Path) -> bytes:
    data = path.read_bytes()
    return gzip.decompress(data) if path.suffix == ".gz" else data
