"""What a laptop sends to a server, byte by byte as it travels, and what it says when unpacked."""

import hashlib
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Final

import msgspec

from clew.protocol import FileManifest
from tests.slow_proxy import SlowProxy

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_END: Final = b"\r\n\r\n"
_MAGIC: Final = b"\x28\xb5\x2f\xfd"
_FRAMES: Final = "/push/frames/"


class WireRequest(msgspec.Struct, frozen=True):
    """One request: its head as it was sent, and its body as it was sent."""

    head: str
    body: bytes

    @property
    def method(self) -> str:
        """What is to be done."""
        return self.head.split(" ", 1)[0]

    @property
    def path(self) -> str:
        """Where, with all parameters."""
        return self.head.split(" ", 2)[1]

    @property
    def content(self) -> bytes:
        """The body, decompressed if it is a frame: exactly one, of what its name says."""
        if not self.path.startswith(_FRAMES):
            return self.body
        unpacking = zstd.ZstdDecompressor()
        content = unpacking.decompress(self.body)
        assert unpacking.eof
        assert unpacking.unused_data == b""
        assert hashlib.sha256(content).hexdigest() == self.path.removeprefix(_FRAMES)
        return content


class Wire:
    """All that was sent, by connection."""

    def __init__(self, sent: list[bytearray]) -> None:
        self._sent = sent

    @property
    def requests(self) -> list[WireRequest]:
        """The requests of all connections."""
        return [one for sent in self._sent for one in _split(bytes(sent))]

    @property
    def paths(self) -> set[str]:
        """The addresses that were asked, with their methods."""
        return {f"{request.method} {request.path}" for request in self.requests}

    @property
    def manifests(self) -> list[FileManifest]:
        """The manifests, in the order in which they were sent."""
        found = [request for request in self.requests if request.path == "/push/manifests"]
        return [msgspec.json.decode(request.body, type=FileManifest) for request in found]

    @property
    def frames(self) -> dict[str, bytes]:
        """The decompressed frames by their names."""
        found = [request for request in self.requests if request.path.startswith(_FRAMES)]
        return {request.path.removeprefix(_FRAMES): request.content for request in found}

    def files(self) -> dict[str, bytes]:
        """Return the files as manifests name and frames fill them."""
        frames = self.frames
        return {
            manifest.file: b"".join(frames[frame.sha256] for frame in manifest.frames)
            for manifest in self.manifests
        }

    def strings(self) -> str:
        """Return each different line of a head, and each string of the JSON, without escapes."""
        requests = self.requests
        heads = {line for request in requests for line in request.head.splitlines()}
        contents = {request.content for request in requests}
        return "\n".join({*heads, *(leaf for one in contents for leaf in json_strings(one))})

    def text(self) -> str:
        """Return all there is to read: also bodies and frames as they are when decompressed."""
        contents = {request.content.decode("utf-8", "replace") for request in self.requests}
        return "\n".join((self.strings(), *contents))


@contextmanager
def recording(proxy: SlowProxy) -> Iterator[Wire]:
    """Record what is sent from now on."""
    proxy.recorded, proxy.is_recording = [], True
    try:
        yield Wire(proxy.recorded)
    finally:
        proxy.is_recording = False


def json_strings(data: bytes) -> Iterator[str]:
    """Give all strings of lines of JSON, keys included; a line that is no JSON as it is."""
    for line in data.splitlines():
        try:
            tree = msgspec.json.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError):
            yield line.decode("utf-8", "replace").strip()
        else:
            yield from _strings([tree])


def unpack_all(data: bytes) -> bytes:
    """Decompress all frames of an object; another one is as it is."""
    return zstd.decompress(data) if data.startswith(_MAGIC) else data


def _strings(waiting: list[Any]) -> Iterator[str]:
    while waiting:
        node = waiting.pop()
        if isinstance(node, str):
            yield node
        elif isinstance(node, dict):
            waiting += [*node, *node.values()]
        elif isinstance(node, list):
            waiting += node


def _split(sent: bytes) -> Iterable[WireRequest]:
    """Split what one connection sent into requests."""
    while sent:
        head, end, rest = sent.partition(_END)
        assert end, "a request that is cut off"
        text = head.decode("latin-1")
        fields = dict(line.lower().split(": ", 1) for line in text.splitlines()[1:])
        assert "transfer-encoding" not in fields
        length = int(fields.get("content-length", "0"))
        assert len(rest) >= length, "a request that is cut off"
        yield WireRequest(text, rest[:length])
        sent = rest[length:]
