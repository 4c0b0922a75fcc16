"""Names of files."""

from pathlib import Path, PurePosixPath

import msgspec
import pytest

from clew.export import ExportOptions, Form
from clew.export.file_names import file_name, file_names, file_stem
from clew.store import SessionOverview
from tests.unit.export.exports import kept, session

ID = "5ea0c5ab-0c31-4d35-a57d-6a9d4bd8a3f2"


@pytest.fixture
def overview(tmp_path: Path) -> SessionOverview:
    with kept(tmp_path, session("alpha")) as archive:
        return msgspec.structs.replace(next(iter(archive.sessions())), id=ID)


def test_a_session_goes_by_its_id() -> None:
    assert file_stem(ID) == ID


@pytest.mark.parametrize(
    "session_id", ["../../out", "/etc/passwd", "..", ".hidden", "a b", "x" * 300, "\ud800", ""]
)
def test_an_id_that_is_no_name_gets_one(session_id: str) -> None:
    stem = file_stem(session_id)

    assert PurePosixPath(stem).name == stem
    assert not stem.startswith(".")
    assert len(stem) < 100
    assert stem.encode()


def test_other_ids_get_other_names() -> None:
    assert len({file_stem(each) for each in ("a/b", "a_b", "a b", "a//b")}) == 4


@pytest.mark.parametrize(
    ("form", "name"),
    [
        ("html", f"sessions/{ID}.html"),
        ("json", f"{ID}.json"),
        ("markdown", "alpha/2026-10-01 do-alpha 5ea0c5ab.md"),
    ],
)
def test_each_form_has_its_own_names(overview: SessionOverview, form: Form, name: str) -> None:
    assert file_name(overview, ExportOptions(form=form)) == name


def test_a_redacted_name_tells_no_title(overview: SessionOverview) -> None:
    options = ExportOptions(form="markdown", is_redacted=True)

    assert file_name(overview, options) == "alpha/2026-10-01 5ea0c5ab.md"


def test_a_hostile_title_stays_in_its_folder(overview: SessionOverview) -> None:
    hostile = msgspec.structs.replace(
        overview, title="../../x\n\x00 y", project="/a/..", started_at="../../../x"
    )

    path = PurePosixPath(file_name(hostile, ExportOptions(form="markdown")))

    assert path.parts[0] == "no-project"
    assert len(path.parts) == 2


def test_a_redacted_folder_tells_no_user(overview: SessionOverview) -> None:
    options = ExportOptions(form="markdown", is_redacted=True)
    at_home = msgspec.structs.replace(overview, project="/home/mira", cwd="/home/mira")
    named = msgspec.structs.replace(overview, project="/home/mira/mira-site", cwd="/home/mira")

    assert file_name(at_home, options).startswith("user/")
    assert "mira" not in file_name(named, options)


@pytest.mark.parametrize("project", ["/code/aux", "/code/NUL", "/code/com1.io"])
def test_a_project_named_like_a_device_has_a_folder(
    overview: SessionOverview, project: str
) -> None:
    named = msgspec.structs.replace(overview, project=project)

    folder = file_name(named, ExportOptions(form="markdown")).partition("/")[0]

    assert folder == f"{project.rpartition('/')[2]}-"


def test_a_name_of_wide_letters_fits_a_disk(overview: SessionOverview) -> None:
    wide = msgspec.structs.replace(overview, title="\U00020000" * 80, project="/\U00020000" * 80)

    path = PurePosixPath(file_name(wide, ExportOptions(form="markdown")))

    assert all(len(part.encode()) <= 200 for part in path.parts)


@pytest.mark.parametrize("form", ["markdown", "json"])
def test_no_two_sessions_share_a_file_on_a_disk_without_case(
    overview: SessionOverview, form: Form
) -> None:
    ids = ("session-one", "session-two", "SESSION-ONE")
    alike = [msgspec.structs.replace(overview, id=each) for each in ids]

    names = file_names(alike, ExportOptions(form=form))

    assert len({name.casefold() for name in names}) == len(ids)
