"""Outputs that lie in a file of their own."""

import pytest

from clew.tools.result_text.persisted_output import PersistedOutput, find_persisted, read_size


def test_path_size_and_preview_are_read() -> None:
    text = (
        "<persisted-output>\nOutput too large (106.3KB). Full output saved to: /t/my dir/b.txt\n\n"
        "Preview (first 2KB):\n1\n2\n...\n</persisted-output>"
    )

    assert find_persisted(text) == PersistedOutput("/t/my dir/b.txt", 108851, "1\n2")


@pytest.mark.parametrize(
    "text", ["", "1\n<persisted-output>", "<persisted-output>\n</persisted-output>"]
)
def test_other_text_is_no_pointer(text: str) -> None:
    assert find_persisted(text) is None


@pytest.mark.parametrize(
    ("text", "size"),
    [("301 bytes", 301), ("1 byte", 1), ("2KB", 2048), ("1.5 MB", 1572864), ("many", None)],
)
def test_sizes_are_read_as_people_write_them(text: str, size: int | None) -> None:
    assert read_size(text) == size


def test_a_result_too_long_for_the_model_tells_its_path_alone() -> None:
    text = "Error: result (9 tokens) exceeds maximum allowed tokens. Output has been saved to /t/a."

    assert find_persisted(text) == PersistedOutput("/t/a")
    assert find_persisted("Error: result (9 tokens) is odd") is None
