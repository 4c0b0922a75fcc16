"""How blobs are named after their sources."""

import pytest

from clew.store.kept import blob_name, root_folder, source_name

NAMES = ("a.jsonl", "a.jsonl.g2", "a.jsonl.g2.g1", ".g1", "p/a.zst", "p/a.g3/b", "p/日本.txt")


@pytest.mark.parametrize("generation", [1, 2, 12])
@pytest.mark.parametrize("path", NAMES)
def test_a_blob_s_name_tells_path_and_generation(path: str, generation: int) -> None:
    name = blob_name("/home/me/.claude", path, generation)

    folder, _, rest = name.partition("/")

    assert folder == root_folder("/home/me/.claude")
    assert source_name(rest) == (path, generation)


def test_no_two_sources_share_a_blob() -> None:
    names = [blob_name("/r", path, number) for path in NAMES for number in (1, 2, 3)]

    assert len(set(names)) == len(names)


@pytest.mark.parametrize("length", [240, 241, 255])
def test_no_part_of_a_blob_s_name_is_too_long(length: int) -> None:
    parts = blob_name("/" + "r/" * 200, f"{'d' * length}/{'日' * (length // 3)}", 999).split("/")

    assert max(len(part.encode()) for part in parts) <= 255


def test_long_names_that_differ_at_their_end_stay_apart() -> None:
    names = {blob_name("/r", "n" * 250 + end, 1) for end in "ab"}

    assert len(names) == 2
