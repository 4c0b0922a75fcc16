"""How blobs are named after their sources."""

import pytest

from clew.store.blob_names import blob_name, choose_blob_path, root_folder, source_name

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
    names = {choose_blob_path("n" * 250 + end) for end in "ab"}

    assert len(names) == 2


@pytest.mark.parametrize("name", ["n" * 255, "n" * 241, "日" * 85, "né" * 84])
def test_no_name_is_what_another_is_shortened_to(name: str) -> None:
    old = blob_name("/r", name, 1).removesuffix(".zst").rpartition("/")[2]
    new = choose_blob_path(name) or ""
    newer = choose_blob_path(new) or ""

    names = {name, old, new, newer}
    chosen = {choose_blob_path(name) or name for name in names}

    assert len(chosen) == len(names) == 4
    assert old not in chosen
    assert max(len(name.encode()) for name in chosen) <= 240


def test_a_name_that_fits_is_the_blob_s_too() -> None:
    assert choose_blob_path(f"projects/-a-b/{'n' * 240}") is None


def test_a_long_name_that_ends_in_a_number_is_shortened_with_it() -> None:
    path = f"{'n' * 250}.g2"
    chosen = choose_blob_path(path)

    first, second = (blob_name("/r", path, number, chosen) for number in (1, 2))

    assert first == f"{root_folder('/r')}/{chosen}.zst"
    assert second == f"{root_folder('/r')}/{chosen}.g2.zst"
