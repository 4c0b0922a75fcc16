"""Ten everyday questions are answered from home with at most four clicks, or one search."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Browser

from tests.browser.tasks import TASKS, Reader, do
from tests.browser.workplace import Workplace, make_workplace

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Workplace:
    return make_workplace(tmp_path_factory.mktemp("workplace"))


@pytest.mark.parametrize("task", TASKS)
def test_a_task_takes_few_clicks_or_one_search(
    browser: Browser, place: Workplace, task: Callable[[Reader], None]
) -> None:
    taken = do(task, browser, place)

    assert taken.is_quick, taken
