"""Files on a session's page: what was changed, and names that lead to their pages."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser.chromium import watch
from tests.build import SessionBuilder, bash, edit, read, write
from tests.web.serving import serving, settings_for

CWD = "/home/dev/code/demo"
LONG = f"{CWD}/" + "a-folder-with-a-long-name/" * 8 + "the_name.py"
HOSTILE = f'{CWD}/"><img src=x onerror=alert(1)>.py'


@pytest.fixture(scope="module")
def changed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("changed")
    built = SessionBuilder("changed")
    built.user("Mend `src/upload.py`").tools(
        read(f"{CWD}/src/other.py", "x = 1\n"),
        edit(f"{CWD}/src/upload.py", "a\nb\n", "b", "c"),
        write(LONG, "x = 1\n"),
        write(HOSTILE, "x = 1\n"),
    )
    built.tools(bash("ls", "src"))
    built.assistant(
        "See `src/upload.py:2`, `upload.py`, `nothing.py`, `b` and `src/upload.py now`."
    )
    built.write(folder / "root")
    with serving(settings_for(folder / "archive", folder / "root")) as address:
        yield f"{address}/sessions/{built.session_id}"


@pytest.fixture
def shown(page: Page, changed: str) -> Iterator[Page]:
    watched = watch(page)
    page.goto(changed)
    yield page
    assert watched.errors == []
    assert watched.dialogs == []


def test_the_table_leads_to_the_file_the_changes_and_the_call(shown: Page) -> None:
    shown.locator(".changed-table > summary").click()
    row = shown.locator(".changed-table tr", has_text="upload.py")
    expect(row).to_contain_text("+1 \N{MINUS SIGN}1")

    row.get_by_role("link", name="first call").click()
    expect(shown.locator("details.tool-call[data-tool=Edit]")).to_have_attribute("open", "")
    row.locator("a[data-file]").click()

    expect(shown).to_have_url(re.compile(r"/files/history\?path=%2Fhome.*upload\.py$"))
    expect(shown.locator("main")).to_contain_text("upload.py")


def test_a_long_path_keeps_its_name(shown: Page) -> None:
    shown.locator(".changed-table > summary").click()
    name = shown.locator(".changed-table bdi", has_text="the_name.py").last

    assert name.evaluate("name => name.scrollWidth <= name.clientWidth + 1 || !name.clientWidth")
    expect(name).to_be_in_viewport()
    assert shown.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_names_of_changed_files_are_links_and_others_are_not(shown: Page) -> None:
    answer = shown.locator("article.answer .prose").last
    links = answer.locator("a.file-link")

    expect(links).to_have_text(["src/upload.py:2", "upload.py"])
    assert "/files/history?path=" in (links.first.get_attribute("href") or "")


def test_counts_of_tools_are_those_of_the_page(shown: Page) -> None:
    shown.keyboard.press("f")
    options = shown.locator("select[data-do=tool] option").all_inner_texts()

    assert options[1:] == ["Write (2)", "Bash (1)", "Edit (1)", "Read (1)"]
    for name in ("Write", "Bash", "Edit", "Read"):
        calls = shown.locator(f"main details.tool-call[data-tool={name}]").count()
        assert f"{name} ({calls})" in options


def test_nothing_is_cut_off_on_paper(shown: Page) -> None:
    shown.locator(".changed-table > summary").click()
    for fold in shown.locator("main details.tool-call > summary").all():
        fold.click()
    shown.set_viewport_size({"width": 720, "height": 1000})
    shown.emulate_media(media="print")

    beyond = shown.locator("main *").evaluate_all(
        "all => all.filter((one) => one.checkVisibility()"
        " && one.getBoundingClientRect().right > innerWidth + 1).map((one) => one.outerHTML)"
    )
    assert beyond == []
    expect(shown.locator(".session-links")).to_be_hidden()
