"""A sealed blob: one object, read from wherever a frame begins."""

from clew.store.frames import Frame
from clew.store.s3.bucket import Bucket
from clew.store.s3.keys import StoredObject


class SealedReader:
    """Reads frames of one object; those that follow each other take one request."""

    def __init__(self, bucket: Bucket, sealed: StoredObject) -> None:
        self._bucket = bucket
        self.sealed = sealed
        self._pieces = iter([b""])
        self._held = b""
        self._at = -1

    def read(self, frame: Frame) -> bytes:
        """Return a frame, still compressed, or what there is of it.

        Raises:
            ObjectMissingError: The object is gone.
        """
        if frame.blob_start != self._at:
            self._pieces = self._bucket.stream(self.sealed.key, frame.blob_start)
            self._held = b""
        pieces = [self._held]
        missing = frame.blob_bytes - len(self._held)
        while missing > 0 and (piece := next(self._pieces, b"")):
            pieces.append(piece)
            missing -= len(piece)
        data = b"".join(pieces)
        self._held = data[frame.blob_bytes :]
        self._at = frame.blob_start + frame.blob_bytes
        return data[: frame.blob_bytes]
