"""Requests to a team server: one connection pool, retries with a growing pause, plain errors."""

import random
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType, TracebackType
from typing import TYPE_CHECKING, Any, Final, Self, TypeVar
from urllib.parse import urlsplit

import msgspec

from clew.protocol import PushFault, PushRefusal
from clew.push.push_errors import (
    LoginRefusedError,
    PushPackagesMissingError,
    ServerRefusedError,
    ServerUnreachableError,
)
from clew.push.server_url import is_loopback

if TYPE_CHECKING:
    import httpx

Answer = TypeVar("Answer")

MOST_TRIES: Final = 6
FEW_TRIES: Final = 2
"""For requests that somebody waits for."""
_FIRST_PAUSE: Final = 0.5
_LONGEST_PAUSE: Final = 30.0
# A server that asks for more patience than this is left alone until the next push.
_MOST_PATIENCE: Final = 120.0
_CONNECT_SECONDS: Final = 10.0
_SECONDS: Final = 60.0
_CONNECTIONS: Final = 8
_AGAIN: Final = frozenset({408, 429, 500, 502, 503, 504})
# These are over later, not soon.
_PLAIN_REFUSALS: Final = frozenset({"being_deleted", "uncommitted"})
_UNAUTHORIZED: Final = 401
_ACCEPTED: Final = 202
_NOT_MODIFIED: Final = 304
_REDIRECTS: Final = range(300, 400)
_MOST_ANSWER_BYTES: Final = 64 << 20
_MOST_MESSAGE: Final = 400
_ERROR_NUMBER: Final = re.compile(r"\[Errno -?\d+\] ")
_MOST_DIGITS: Final = 6


class TeamClient:
    """Speaks to one server, from any number of threads."""

    def __init__(self, server: str, token: str = "", *, most_tries: int = MOST_TRIES) -> None:
        self.server = server
        self._httpx = import_httpx()
        self.most_tries = most_tries
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._client: httpx.Client = self._httpx.Client(
            base_url=server,
            headers={**headers, "Accept": "application/json"},
            timeout=self._httpx.Timeout(_SECONDS, connect=_CONNECT_SECONDS),
            limits=self._httpx.Limits(max_connections=_CONNECTIONS),
            # No proxy is between this machine and itself.
            trust_env=not is_loopback(urlsplit(server).hostname or ""),
        )

    def __enter__(self) -> Self:
        """Use it in a `with` block, so that its connections are closed."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close all connections."""
        self._client.close()

    def get(self, path: str, answer: type[Answer], **params: str) -> Answer:
        """Ask for something."""
        return self._decode(self._send("GET", path, params=params), answer)

    def get_version(
        self, path: str, answer: type[Answer], known: str = ""
    ) -> tuple[Answer, str] | None:
        """Ask for something with its version; None if that is the one that is known."""
        headers = {"If-None-Match": known} if known else {}
        found = self._send("GET", path, headers=headers)
        if found.status_code == _NOT_MODIFIED:
            return None
        return self._decode(found, answer), found.headers.get("ETag", "")

    def post(self, path: str, message: msgspec.Struct, answer: type[Answer]) -> Answer:
        """Send a message, and return the answer."""
        return self._decode(self._send_message("POST", path, message), answer)

    def put(self, path: str, message: msgspec.Struct, answer: type[Answer]) -> Answer:
        """Put a message somewhere, and return the answer."""
        return self._decode(self._send_message("PUT", path, message), answer)

    def put_bytes(self, path: str, content: bytes) -> None:
        """Put bytes somewhere."""
        headers = {"Content-Type": "application/zstd"}
        self._send("PUT", path, content=content, headers=headers)

    def call(self, method: str, path: str) -> None:
        """Send a request without content, of which only the success matters."""
        self._send(method, path)

    def poll(self, path: str, message: msgspec.Struct, answer: type[Answer]) -> Answer | None:
        """Send a message; None if the server has no answer yet."""
        found = self._send_message("POST", path, message)
        return None if found.status_code == _ACCEPTED else self._decode(found, answer)

    @contextmanager
    def download(self, path: str) -> Iterator[Iterator[bytes]]:
        """Download something piece by piece; a broken download is an error, and is not repeated."""
        try:
            with self._client.stream("GET", path) as response:
                if response.status_code >= _REDIRECTS.start:
                    response.read()
                    self._require_success(response)
                yield response.iter_bytes()
        except self._httpx.HTTPError as error:
            raise ServerUnreachableError(self.server, _reason(error)) from error

    def _send_message(self, method: str, path: str, message: msgspec.Struct) -> "httpx.Response":
        headers = {"Content-Type": "application/json"}
        return self._send(method, path, content=msgspec.json.encode(message), headers=headers)

    def _send(self, method: str, path: str, **request: Any) -> "httpx.Response":
        """Send a request, again and again while the server is busy or out of reach.

        All requests of the protocol may be repeated.

        Raises:
            ServerUnreachableError: There is no answer, or none but that it is busy.
            LoginRefusedError: The token is not valid.
            ServerRefusedError: It says no.
        """
        number = 1
        while True:
            is_last = number >= self.most_tries
            try:
                response = self._client.request(method, path, **request)
            except self._httpx.HTTPError as error:
                if is_last or not isinstance(error, self._httpx.TransportError):
                    raise ServerUnreachableError(self.server, _reason(error)) from error
                pause = _pause(number)
            else:
                pause = _pause(number, response.headers.get("Retry-After", ""))
                if is_last or pause > _MOST_PATIENCE or not _is_worth_it(response):
                    self._require_success(response)
                    return response
            time.sleep(pause)
            number += 1

    def _require_success(self, response: "httpx.Response") -> None:
        status = response.status_code
        if status < _REDIRECTS.start or status == _NOT_MODIFIED:
            return
        if status in _REDIRECTS:
            target = response.headers.get("Location", "")[:_MOST_MESSAGE]
            raise ServerUnreachableError(self.server, f"it redirects to {target or 'elsewhere'}")
        if status == _UNAUTHORIZED:
            raise LoginRefusedError(self.server)
        refusal = _read_refusal(response)
        if status in _AGAIN and refusal.error.code not in _PLAIN_REFUSALS:
            raise ServerUnreachableError(self.server, refusal.error.message)
        raise ServerRefusedError(self.server, refusal)

    def _decode(self, response: "httpx.Response", answer: type[Answer]) -> Answer:
        if len(response.content) > _MOST_ANSWER_BYTES:
            raise ServerUnreachableError(self.server, "its answer is too long")
        try:
            return msgspec.json.decode(response.content, type=answer)
        except msgspec.DecodeError as error:
            reason = "it does not answer as a team server of clew does"
            raise ServerUnreachableError(self.server, reason) from error


def import_httpx() -> ModuleType:
    """Import what sends requests, which not everybody has installed.

    Raises:
        PushPackagesMissingError: It is not installed.
    """
    try:
        import httpx  # noqa: PLC0415 (slow to import, and may not be installed)
    except ImportError as error:
        raise PushPackagesMissingError from error
    return httpx


def _pause(number: int, retry_after: str = "") -> float:
    """Return how long to wait after so many tries; never in step with other laptops."""
    longest = min(_FIRST_PAUSE * 2.0 ** (number - 1), _LONGEST_PAUSE)
    is_seconds = retry_after.isdecimal() and len(retry_after) <= _MOST_DIGITS
    wanted = float(retry_after) if is_seconds else 0.0
    return wanted + random.uniform(0.5, 1.0) * longest  # noqa: S311 (nobody needs to guess it)


def _is_worth_it(response: "httpx.Response") -> bool:
    """Return whether a request may succeed if it is sent again."""
    if response.status_code not in _AGAIN:
        return False
    return _read_refusal(response).error.code not in _PLAIN_REFUSALS


def _reason(error: Exception) -> str:
    text = _ERROR_NUMBER.sub("", str(error))
    return text[:_MOST_MESSAGE] or type(error).__name__


def _read_refusal(response: "httpx.Response") -> PushRefusal:
    plain = PushFault("", f"the request failed with HTTP status {response.status_code}")
    try:
        found = msgspec.json.decode(response.content, type=PushRefusal)
    except msgspec.DecodeError:
        return PushRefusal(error=plain)
    message = found.error.message[:_MOST_MESSAGE] or plain.message
    return msgspec.structs.replace(found, error=PushFault(found.error.code, message))
