"""Names of files."""

from pathlib import Path, PurePosixPath

import msgspec
import pytest

from clew.export import ExportOptions, Form
from clew.export.names import file_name, file_stem
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
