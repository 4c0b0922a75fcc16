"""Every name that the page on the format lists is known here."""

import re
from pathlib import Path

from clew.entries.attachments import ATTACHMENTS as ATTACHMENT_STRUCTS
from clew.entries.progress import PROGRESS_KINDS
from clew.entries.system import SYSTEM_SUBTYPES
from clew.entries.tables import RECORD_TYPES
from tests.unit.entries.format_lists import ATTACHMENTS, PROGRESS, ROWS, SYSTEM, fields_by_name

# The page may stand beside the checkout; where it does not, the lists speak for it.
PAGE = Path(__file__).parents[3].parent / "shared" / "FORMAT.md"


def section(title: str) -> str:
    text = PAGE.read_text("utf-8") if PAGE.is_file() else ""
    return text.partition(f"## 2. {title}")[2].partition("\n## ")[0]


def first_column(title: str) -> set[str]:
    names = re.findall(r"^\| ([a-z_-]+) \|", section(title), re.MULTILINE)
    return set(names) - {"type", "subtype"}


def test_every_record_type_is_known() -> None:
    listed = fields_by_name(ROWS).keys() | first_column("Top-level `type`")

    assert listed - RECORD_TYPES == set()


def test_every_system_subtype_is_known() -> None:
    listed = fields_by_name(SYSTEM).keys() | first_column("`system` subtypes that are")

    assert listed - SYSTEM_SUBTYPES.keys() == set()


def test_every_attachment_is_known() -> None:
    listed = fields_by_name(ATTACHMENTS).keys() | first_column("`attachment.type`")

    assert listed - ATTACHMENT_STRUCTS.keys() == set()


def test_every_kind_of_progress_is_known() -> None:
    sentence = section("`progress` rows").partition("only to its stream: ")[2].partition("\n")[0]
    listed = fields_by_name(PROGRESS).keys() | set(
        re.sub(r"\([^)]*\)", "", sentence).split(", ") if sentence else ()
    )

    assert listed - PROGRESS_KINDS.keys() == set()


def test_the_lists_name_all_that_the_structs_read() -> None:
    assert RECORD_TYPES - fields_by_name(ROWS).keys() == set()
    assert ATTACHMENT_STRUCTS.keys() - fields_by_name(ATTACHMENTS).keys() == {"other"}
    assert PROGRESS_KINDS.keys() - fields_by_name(PROGRESS).keys() == {"other"}
