"""Members who look for what they may not see, all the time."""

import threading
from collections import Counter
from collections.abc import Collection, Iterator
from typing import Final

import httpx

from bench.soak_devices import COMMON, SoakDevice

_PAUSE_SECONDS: Final = 0.1
_LISTS: Final = (
    "/",
    "/sessions",
    "/api/sessions",
    f"/api/search?q={COMMON}",
    f"/search?q={COMMON}",
    "/api/projects",
    "/usage",
)
_BELOW: Final = ("", "/raw", "/raw/0", "/transcript", "/stats", "/state")


class Prober:
    """Reads lists, searches and sessions as one member; notes words that must not be there."""

    def __init__(self, device: SoakDevice, forbidden: Collection[str]) -> None:
        self._device = device
        self._forbidden = [word.encode() for word in forbidden]
        self.answers: Counter[int] = Counter()
        self.leaks: list[str] = []

    def run(self, stop: threading.Event, ids: Collection[str]) -> None:
        """Look until told to stop; `ids` are sessions of others, which are probed by name."""
        with self._device.machine.client() as client:
            while not stop.is_set():
                for path in self._paths(ids):
                    self._look(client, path)
                    if stop.wait(_PAUSE_SECONDS):
                        return

    def _paths(self, ids: Collection[str]) -> Iterator[str]:
        yield from _LISTS
        for number, name in enumerate(sorted(ids)):
            yield f"/api/sessions/{name}{_BELOW[number % len(_BELOW)]}"
            yield f"/sessions/{name}"

    def _look(self, client: httpx.Client, path: str) -> None:
        try:
            response = client.get(path, follow_redirects=False)
        except httpx.HTTPError:
            self.answers[0] += 1
            return
        self.answers[response.status_code] += 1
        for word in self._forbidden:
            if word in response.content:
                self.leaks.append(f"{path} shows {word.decode()} to {self._device.name}")
