"""Sizes as administrators write them."""

import pytest

from clew.errors import UsageError
from clew.server.sizes import parse_size, write_size


@pytest.mark.parametrize(
    ("text", "size"),
    [("500M", 500_000_000), ("20 GB", 20_000_000_000), ("1tb", 10**12), ("12", 12), (" 3k ", 3000)],
)
def test_a_size_has_a_unit_or_is_in_bytes(text: str, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["", "much", "1.5G", "-1", "5 GiB", "9" * 16, "9999999T"])
def test_what_is_no_size_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="is not a size"):
        parse_size(text)


@pytest.mark.parametrize(
    ("size", "text"),
    [(20_000_000_000, "20 GB"), (1_500_000, "1500 KB"), (12, "12"), (10**12, "1 TB")],
)
def test_a_size_is_written_so_that_it_can_be_read_again(size: int, text: str) -> None:
    assert write_size(size) == text
    assert parse_size(text) == size
