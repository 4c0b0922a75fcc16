"""What an export remembers of the last one."""

from pathlib import Path

import msgspec
import pytest

from clew.export import ExportOptions
from clew.export.manifest import NAME, Manifest, ManifestEntry, is_current, read_manifest
from clew.view import Detail

HTML = ExportOptions(form="html")


def write(folder: Path, manifest: Manifest) -> None:
    (folder / NAME).write_bytes(msgspec.json.encode(manifest))


def filled(folder: Path, *files: str) -> Manifest:
    """Give a manifest of one session, as the next export reads it."""
    manifest = read_manifest(folder, HTML)
    manifest.sessions["one"] = ManifestEntry(version="v1", files=files)
    write(folder, manifest)
    return read_manifest(folder, HTML)


def test_what_was_written_is_read_again(tmp_path: Path) -> None:
    assert filled(tmp_path, "a.html").sessions == {
        "one": ManifestEntry(version="v1", files=("a.html",))
    }


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"sessions": 3}', b"\xff"])
def test_a_broken_manifest_is_an_empty_one(tmp_path: Path, content: bytes) -> None:
    (tmp_path / NAME).write_bytes(content)

    assert read_manifest(tmp_path, HTML).sessions == {}


def test_a_manifest_of_another_schema_is_an_empty_one(tmp_path: Path) -> None:
    made = filled(tmp_path, "a.html")
    write(tmp_path, msgspec.structs.replace(made, schema="clew.export-manifest/99"))

    assert read_manifest(tmp_path, HTML).sessions == {}


def test_other_options_make_everything_stale_but_known(tmp_path: Path) -> None:
    filled(tmp_path, "a.html")

    found = read_manifest(tmp_path, ExportOptions(form="html", detail=Detail.TALK))

    assert found.sessions["one"] == ManifestEntry(version="", files=("a.html",))


def test_writing_everything_again_still_knows_what_to_take_away(tmp_path: Path) -> None:
    filled(tmp_path, "a.html")

    found = read_manifest(tmp_path, ExportOptions(form="html", is_new=True))

    assert found.sessions["one"] == ManifestEntry(version="", files=("a.html",))


@pytest.mark.parametrize("file", ["../a.html", "/etc/passwd", "sessions/../../a"])
def test_files_outside_the_folder_are_nobody_s_to_remove(tmp_path: Path, file: str) -> None:
    assert filled(tmp_path, file).sessions == {}


def test_a_session_is_current_while_its_state_and_its_files_are(tmp_path: Path) -> None:
    entry = ManifestEntry(version="v1", files=("a.html",))
    assert not is_current(entry, "v1", tmp_path)

    (tmp_path / "a.html").touch()

    assert is_current(entry, "v1", tmp_path)
    assert not is_current(entry, "v2", tmp_path)
    assert not is_current(None, "v1", tmp_path)
