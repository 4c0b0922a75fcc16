"""Whatever stands in a text is found by a regular expression that spells it."""

import re
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.store import SearchIndex
from tests.build import SessionBuilder
from tests.unit.search.archives import archive, find

TEXTS = (
    "uploadFile retries HTMLParser, URLs and fooBARbaz in src/net/upload_file.py:42",
    "The naïve café of última Straße: ÀB cde\u0301f, ﬁne İstanbul",
    "日本語のabcファイルdef 🎉needle🎉 Ünïcödé",
    "    12\tdef needle_12(x1yzz, *, timeout=0.5): # the_end0fAll",
    "Жизнь ΛΆΘΟΣ λάθος שגיאה हिन्दी ไทย ﬁne 한국어 설정",
    "toolu_01AbcdEFghijklmnop 7c9e6679-7425-40de-944b-e07fc1f90ae7 deadbeefcafe",
)


@pytest.fixture(scope="module", params=[1, 10_000], ids=["noted", "gathered"])
def texts(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[SearchIndex]:
    """One session that says each text once; its words are noted down, or gathered each time."""
    session = SessionBuilder().at("2026-11-10T09:00:00Z").custom_title("-")
    for text in TEXTS:
        session.user(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("clew.store.sqlite.vocabulary._MANY_NEW", request.param)
        index = archive(tmp_path_factory.mktemp("texts"), session)
    yield index
    index.database.close()


@settings(deadline=None)
@given(text=st.sampled_from(TEXTS), data=st.data(), flag=st.sampled_from(["", "i"]))
def test_a_part_of_a_text_finds_it(
    texts: SearchIndex, text: str, data: st.DataObject, flag: str
) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    part = text[start : data.draw(st.integers(start + 1, len(text)))]
    escaped = re.escape(part).replace("/", "[/]")

    results = find(texts, f"/{escaped}/{flag}")

    assert text.strip() in [hit.snippet.text.strip() for hit in results.hits]
    assert results.is_exact
