"""What a session changed: what may differ is said once, and marked quietly at each file."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser.axe import find_violations
from tests.browser.chromium import watch
from tests.build import SessionBuilder, bash, edit, write
from tests.web.serving import serving, settings_for

CWD = "/home/dev/code/demo"
FILES = 12


@pytest.fixture(scope="module")
def changed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("changed")
    built = SessionBuilder("doubts", cwd=CWD).user("Rename it")
    for number in range(FILES):
        built.tools(write(f"{CWD}/src/part_{number}.py", "x = 1\n"))
    built.tools(bash("make format"))
    built.tools(edit(f"{CWD}/src/other.py", "x = 1\n", "1", "2")).assistant("Done.")
    built.write(folder / "root")
    with serving(settings_for(folder / "archive", folder / "root")) as address:
        yield f"{address}/sessions/{built.session_id}/changes"


@pytest.fixture
def shown(page: Page, changed: str) -> Iterator[Page]:
    watched = watch(page)
    page.goto(changed)
    yield page
    assert watched.errors == []


def test_it_is_said_once_that_files_may_differ(shown: Page) -> None:
    expect(shown.locator(".unsure")).to_have_count(1)
    expect(shown.locator(".unsure summary")).to_contain_text(
        f"{FILES} of {FILES + 1} files may differ from what is on disk, because shell commands"
    )
    assert shown.locator("main").inner_text().count("may differ") == 1
    expect(shown.locator(".changed-files a.doubt")).to_have_count(FILES)
    expect(shown.locator(".changed-files li", has_text="other.py").locator(".doubt")).to_have_count(
        0
    )


def test_the_mark_of_a_file_says_why_and_leads_to_the_reasons(shown: Page) -> None:
    mark = shown.locator(".changed-files li", has_text="part_3.py").locator(".doubt")
    expect(mark).to_have_accessible_name(
        "May differ from what is on disk: may have changed since the command: make format"
    )
    mark.focus()
    shown.keyboard.press("Enter")

    expect(shown.locator("#doubts li")).to_be_visible()
    expect(shown.locator("#doubts a")).to_have_count(FILES)
    assert find_violations(shown) == []
    shown.locator("#doubts a").last.click()
    expect(shown.locator(".changed-file:target h2")).to_be_in_viewport()


def test_a_total_is_at_least_what_is_known(page: Page, app: str) -> None:
    page.goto(f"{app}/sessions/1bc7992e/changes")
    total = page.locator(".changes-total")

    expect(total).to_contain_text("5 files changed, ≥ +")
    expect(total).to_contain_text("; of 1 file, only single edits are known")


def test_a_total_that_is_known_is_no_lower_bound(shown: Page) -> None:
    expect(shown.locator(".changes-total")).to_contain_text(f"{FILES + 1} files changed, +")
    expect(shown.locator(".changes-total")).not_to_contain_text("only single edits")
