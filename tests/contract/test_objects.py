"""Objects under keys: the same in a folder and in buckets."""

import pytest

from clew.store.objects import NoSuchObjectError, open_objects
from clew.store.open_blobs import UnknownAddressError


def test_what_was_put_is_there_until_it_is_deleted(place: str) -> None:
    objects = open_objects(place)
    objects.put("pushed/7/one", b"first")
    objects.put("pushed/7/two", b"")
    objects.put("pushed/8/one", b"another")

    assert objects.get("pushed/7/one") == b"first"
    assert objects.get("pushed/7/two") == b""
    assert sorted(objects.keys("pushed/7/")) == ["pushed/7/one", "pushed/7/two"]
    objects.delete(["pushed/7/one", "pushed/7/never"])
    with pytest.raises(NoSuchObjectError):
        objects.get("pushed/7/one")
    assert list(objects.keys("pushed/7/")) == ["pushed/7/two"]
    assert list(objects.keys("nothing/")) == []


@pytest.mark.parametrize("key", ["../out", "a//b", "", "a/./b", "a\0b", "/a"])
def test_no_key_leads_out_of_the_folder(tmp_path: object, key: str) -> None:
    with pytest.raises(ValueError, match="not a key"):
        open_objects(f"{tmp_path}/objects").put(key, b"")


def test_other_schemes_are_refused() -> None:
    with pytest.raises(UnknownAddressError):
        open_objects("ftp://host/place")
