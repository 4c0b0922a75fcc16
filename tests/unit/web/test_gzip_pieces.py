"""Pages packed once, with a word of its own for each asker."""

import gzip

from hypothesis import given
from hypothesis import strategies as st

from clew.web.gzip_pieces import join_gzipped, join_plain, split_at


@given(st.lists(st.binary(max_size=300), max_size=6), st.binary(min_size=1, max_size=40))
def test_unpacked_it_is_the_plain_text(texts: list[bytes], word: bytes) -> None:
    pieces = split_at(b"<mark>".join(texts), b"<mark>")

    assert gzip.decompress(join_gzipped(pieces, word)) == join_plain(pieces, word)


def test_the_word_stands_wherever_the_mark_stood() -> None:
    pieces = split_at(b"a <mark> b <mark>", b"<mark>")

    assert join_plain(pieces, b"x") == b"a x b x"
