"""The mutation tool: what it changes, and that a test's failure counts as a kill."""

import ast

import pytest

from tools.mutants.mutate import mutate


@pytest.mark.parametrize(
    ("text", "changes"),
    [
        ("a < b", {"a <= b"}),
        ("a and b", {"a or b", "a", "b"}),
        ("not a", {"a"}),
        ("a + 1", {"a - 1", "2"}),
        ("LIMIT = 60", {"600"}),
        ("sum(x)", {"max(x)", "pass"}),
        ("a if b else c", {"a", "c"}),
        ("f()", {"pass"}),
        ("a: int = 3", {"30"}),
        ("f'{a + 1}'", set()),
        ("def f(a: int = 5) -> tuple[int, 3]: return a", {"50"}),
    ],
)
def test_each_small_change_is_made(text: str, changes: set[str]) -> None:
    assert {mutant.after for mutant in mutate(text)} == changes


def test_a_mutant_is_a_module_with_one_change() -> None:
    text = 'def size(x: int) -> bool:\n    """Größe."""\n    return x > 3 and x != 7\n'

    mutants = mutate(text)

    assert len({mutant.text for mutant in mutants}) == len(mutants) == 7
    assert {mutant.line for mutant in mutants} == {3}
    for mutant in mutants:
        assert ast.dump(ast.parse(mutant.text)) != ast.dump(ast.parse(text))
        assert "Größe" in mutant.text
