"""Files are written whole, and never through a link below the folder that was asked for."""

from pathlib import Path

import pytest

from clew.writing import LinkInTargetError, make_folders, whole_file


def test_a_file_and_its_folders_are_made(tmp_path: Path) -> None:
    with whole_file(tmp_path / "out/a/b.txt", tmp_path / "out", mode=0o600) as stream:
        stream.write(b"words")

    written = tmp_path / "out/a/b.txt"
    assert written.read_bytes() == b"words"
    assert written.stat().st_mode & 0o777 == 0o600


def test_what_fails_leaves_what_was_there_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"before")

    with pytest.raises(TypeError), whole_file(tmp_path / "a.txt", tmp_path) as stream:
        stream.writelines([b"half", None])  # type: ignore[list-item]

    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"before"]


@pytest.mark.parametrize("name", ["out/linked/a.txt", "out/deep/linked/more/a.txt"])
def test_a_linked_folder_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "elsewhere").mkdir()
    link = tmp_path / name.partition("linked")[0] / "linked"
    link.parent.mkdir(parents=True)
    link.symlink_to(tmp_path / "elsewhere")

    with (
        pytest.raises(LinkInTargetError, match="symbolic link"),
        whole_file(tmp_path / name, tmp_path / "out"),
    ):
        pass

    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_link_in_the_place_of_the_file_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "elsewhere.txt").write_bytes(b"theirs")
    (tmp_path / "a.txt").symlink_to(tmp_path / "elsewhere.txt")

    with whole_file(tmp_path / "a.txt", tmp_path) as stream:
        stream.write(b"ours")

    assert (tmp_path / "elsewhere.txt").read_bytes() == b"theirs"
    assert (tmp_path / "a.txt").read_bytes() == b"ours"
    assert not (tmp_path / "a.txt").is_symlink()


def test_the_folder_that_was_asked_for_may_be_a_link(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    (tmp_path / "out").symlink_to(tmp_path / "disk")

    make_folders(tmp_path / "out/a", tmp_path / "out")

    assert (tmp_path / "disk/a").is_dir()
