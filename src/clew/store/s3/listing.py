"""Listed objects → the blobs that they make up."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Final, TypeAlias

from clew.store.s3.bucket import Bucket
from clew.store.s3.keys import StoredObject, encode_name, parse_key

# So many blobs are listed one by one before their folder is, which takes one request per thousand.
_MOST_SINGLE: Final = 2

BlobObjects: TypeAlias = dict[str, list[StoredObject]]


class BlobListing:
    """The objects of blobs, each listed once.

    Whoever needs a few blobs lists those, whoever needs many lists folders: a sync that asks for
    the sizes of ten thousand takes about ten requests.
    """

    def __init__(self, bucket: Bucket) -> None:
        self._bucket = bucket
        self._folders: dict[str, BlobObjects] = {}
        self._singles: dict[str, int] = defaultdict(int)
        self._changed: set[str] = set()

    def objects(self, name: str) -> list[StoredObject]:
        """Return the objects of a blob."""
        folder = name.partition("/")[0]
        if name not in self._changed:
            if folder not in self._folders and self._singles[folder] >= _MOST_SINGLE:
                self.folder(folder)
            if folder in self._folders:
                return self._folders[folder].get(name, [])
        self._singles[folder] += 1
        return list_blobs(self._bucket, name).get(name, [])

    def folder(self, folder: str) -> BlobObjects:
        """Return the objects of all blobs below a top folder, or of all there are, listed anew."""
        found = list_blobs(self._bucket, folder)
        for name, objects in found.items():
            self._folders.setdefault(name.partition("/")[0], {})[name] = objects
        if folder:
            self._folders[folder] = found
        self._changed -= {name for name in self._changed if name.startswith(folder)}
        return found

    def change(self, name: str) -> None:
        """Forget what was listed of a blob that is written to."""
        self._changed.add(name)

    def clear(self) -> None:
        """Forget everything."""
        self._folders.clear()
        self._singles.clear()
        self._changed.clear()


def list_blobs(bucket: Bucket, name: str) -> BlobObjects:
    """List the objects of a blob, or of all blobs below a folder."""
    found: BlobObjects = defaultdict(list)
    for listed in bucket.objects(encode_name(name) if name else ""):
        if (parsed := parse_key(listed.key, listed.size, listed.modified)) is not None:
            found[parsed.blob].append(parsed)
    return dict(found)


def find_end(objects: Iterable[StoredObject]) -> int:
    """Return how far objects reach that follow each other from the beginning.

    Where an unfinished write left some, the longest way counts.
    """
    ends = {0}
    for each in sorted(objects, key=lambda each: each.start):
        if each.start in ends:
            ends.add(each.end)
    return max(ends)


def is_sealed(objects: Iterable[StoredObject]) -> bool:
    """Tell whether a blob is one object, and none of the frames in it is left beside it."""
    found = list(objects)
    sealed = max((each.size for each in found if each.is_sealed), default=-1)
    frames = (each for each in found if not each.is_sealed)
    return find_end(found) == max(sealed, 0) and all(each.start >= sealed for each in frames)


def newest_chain(
    objects: Iterable[StoredObject], written: Callable[[StoredObject], int]
) -> list[StoredObject]:
    """Return the objects that make up a blob: at each position the one that was written last."""
    by_start: dict[int, list[StoredObject]] = defaultdict(list)
    for each in objects:
        if each.size:
            by_start[each.start].append(each)
    chain: list[StoredObject] = []
    while candidates := by_start.get(chain[-1].end if chain else 0):
        chain.append(candidates[0] if len(candidates) == 1 else max(candidates, key=written))
    return chain
