"""Links of the documentation site."""

from pathlib import Path

from tools.check_site import broken_links


def test_links_to_pages_anchors_and_pictures_that_exist_are_fine(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "a b.png").touch()
    (tmp_path / "index.html").write_text(
        '<a href="sub/page.html#here">x</a><img src="a%20b.png"><a href="https://elsewhere.test">'
    )
    (tmp_path / "sub" / "page.html").write_text('<p id="here"><a href="../index.html">x</a>')

    assert broken_links(tmp_path) == []


def test_a_missing_page_anchor_or_picture_is_reported_with_its_page(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text(
        '<a href="gone.html">x</a><a href="#gone">x</a><img src="gone.png">'
    )

    assert broken_links(tmp_path) == [
        "index.html: gone.html",
        "index.html: #gone",
        "index.html: gone.png",
    ]
