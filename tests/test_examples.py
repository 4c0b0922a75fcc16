"""The examples of the documents print what the documents say."""

from collections.abc import Iterator

import pytest

from tests.examples import PAGES, Sandbox, find_examples, missing_packages, sandbox, stable

# tests/surface/test_recipes.py runs the recipes.
EXAMPLES = [
    (page.name, example)
    for page in PAGES
    if page.name != "recipes.md"
    for example in find_examples(page.read_text("utf-8"))
]


@pytest.fixture(scope="module")
def home() -> Iterator[Sandbox]:
    """Give a home with the samples."""
    with sandbox() as home:
        yield home


@pytest.mark.parametrize(
    "example",
    [example for _, example in EXAMPLES],
    ids=[f"{name}-{number}" for number, (name, _) in enumerate(EXAMPLES)],
)
def test_an_example_prints_what_the_document_says(home: Sandbox, example: str) -> None:
    if missing := missing_packages(example):
        pytest.skip(f"{missing[0]} is not installed: uv sync --group docs")

    printed = home.run(example)

    assert stable(printed) == stable(example), "run `just docs`"
