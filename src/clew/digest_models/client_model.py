"""The installed client, asked with `claude -p`: no key is needed.

It runs in an empty directory of its own, without tools, settings, hooks and MCP servers. Its
sessions begin with a mark, by which `clew.source` leaves them out.
"""

import os
import shutil
import signal
import subprocess
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Final

import msgspec

from clew.digest import ModelReply, ModelRequest
from clew.digest_models.ledger import MOST_NANO_USD, NANO
from clew.digest_models.model_errors import (
    ModelAnswerTooLargeError,
    ModelInterruptedError,
    ModelRefusedError,
    ModelTimeoutError,
    ModelUnknownError,
)
from clew.digest_models.model_prices import highest_cost
from clew.settings import data_folder
from clew.source import OWN_FOLDER, OWN_MARK

CLIENT: Final = "claude-code"
"""The name of the client as a model; `claude-code:haiku` names the client's model, too."""
_PROGRAM: Final = "claude"
_SECONDS: Final = 600.0
_LONGEST_REASON: Final = 200
_MOST_PRINTED: Final = 8 << 20
_MOST_COMPLAINTS: Final = 1 << 16
_CHUNK: Final = 1 << 16
_GRACE_SECONDS: Final = 1.0
# Longer paths are shortened by the client, and its folder could not be recognised.
_LONGEST_FOLDER: Final = 180
_OPTIONS: Final = (
    "--print",
    "--output-format=json",
    "--tools=",
    "--strict-mcp-config",
    "--setting-sources=",
    "--disable-slash-commands",
)
# The client refuses to run inside another session.
_NESTED: Final = ("CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SSE_PORT")
_TOKENS: Final = "CLAUDE_CODE_MAX_OUTPUT_TOKENS"


class _ClientUsage(msgspec.Struct, frozen=True):
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_input_tokens: int = 0
    cache_creation_input_tokens: int = 0


class _ClientResult(msgspec.Struct, frozen=True):
    """What the client prints."""

    result: str = ""
    is_error: bool = False
    total_cost_usd: float | None = None
    usage: _ClientUsage = _ClientUsage()


_result: Final = msgspec.json.Decoder(_ClientResult)


class ClientModel:
    """The client on this machine."""

    def __init__(
        self, environ: Mapping[str, str], folder: Path, model: str = "", seconds: float = _SECONDS
    ) -> None:
        self._environ = environ
        self._folder = folder
        self._model = model
        self._seconds = seconds

    @property
    def name(self) -> str:
        """The client, and its model if one was chosen."""
        return f"{CLIENT}:{self._model}" if self._model else CLIENT

    def highest_cost(self, request: ModelRequest) -> int:
        """Return the most that an answer can cost; a model without a price is the dearest."""
        return highest_cost(self._model, request)

    def ask(self, request: ModelRequest) -> ModelReply:
        """Run the client once.

        Raises:
            ModelError: It is not installed, or did not answer.
        """
        printed, complaint = self._run(self._command(request), request)
        try:
            found = _result.decode(printed)
        except msgspec.DecodeError as error:
            if complaint:
                raise ModelRefusedError(_explain(complaint), None) from error
            raise ModelInterruptedError(self.name) from error
        cost = _nano_usd(found.total_cost_usd)
        if found.is_error:
            raise ModelRefusedError(_explain(found.result), cost)
        usage = found.usage
        cached = usage.cache_read_input_tokens + usage.cache_creation_input_tokens
        return ModelReply(
            text=found.result,
            model=self.name,
            input_tokens=usage.input_tokens + cached,
            output_tokens=usage.output_tokens,
            cost_nano_usd=cost,
        )

    def _command(self, request: ModelRequest) -> list[str]:
        program = shutil.which(_PROGRAM, path=self._environ.get("PATH"))
        if program is None:
            raise ModelUnknownError(
                "`claude` is not installed; install Claude Code, or use a model of the API"
            )
        chosen = [f"--model={self._model}"] if self._model else []
        return [program, *_OPTIONS, *chosen, f"--system-prompt={request.instructions}"]

    def _run(self, command: Sequence[str], request: ModelRequest) -> tuple[bytes, str]:
        """Run a command with a text on stdin; return what it printed, and its complaints."""
        with tempfile.TemporaryFile() as text:
            text.write(f"{OWN_MARK}\n{request.text}".encode("utf-8", "replace"))
            text.seek(0)
            process = self._start(command, text, request.max_output_tokens)
        printed = _Output(process.stdout, _MOST_PRINTED, lambda: _end(process))
        complaints = _Output(process.stderr, _MOST_COMPLAINTS, lambda: None)
        try:
            process.wait(self._seconds)
        except subprocess.TimeoutExpired as error:
            raise ModelTimeoutError(self.name, self._seconds) from error
        finally:
            _end(process)
            printed.finish()
            complaints.finish()
        if printed.is_too_large:
            raise ModelAnswerTooLargeError(self.name, _MOST_PRINTED)
        said = complaints.data.decode("utf-8", "replace") if process.returncode else ""
        return bytes(printed.data), said

    def _start(
        self, command: Sequence[str], text: IO[bytes], tokens: int
    ) -> subprocess.Popen[bytes]:
        environ = {name: value for name, value in self._environ.items() if name not in _NESTED}
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            return subprocess.Popen(  # noqa: S603 (the user's own client, and our options)
                command,
                cwd=self._folder,
                env={**environ, _TOKENS: str(tokens)},
                stdin=text,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise ModelRefusedError(f"cannot run `claude`: {reason}; install it again") from error


class _Output:
    """What a process prints, up to a size: `on_excess` is called once, and the rest thrown away.

    A process may leave others behind that print to the same pipe, so that it never ends.
    """

    def __init__(self, stream: IO[bytes] | None, most: int, on_excess: Callable[[], None]) -> None:
        self.data = bytearray()
        self.is_too_large = False
        self._most = most
        self._on_excess = on_excess
        self._thread = threading.Thread(target=self._read, args=(stream,), daemon=True)
        self._thread.start()

    def finish(self) -> None:
        """Wait for what is on its way, for a short while."""
        self._thread.join(_GRACE_SECONDS)

    def _read(self, stream: IO[bytes] | None) -> None:
        if stream is None:
            return
        with stream:
            while chunk := os.read(stream.fileno(), _CHUNK):
                room = self._most - len(self.data)
                self.data += chunk[:room]
                if len(chunk) > room and not self.is_too_large:
                    self.is_too_large = True
                    self._on_excess()


def client_folder(environ: Mapping[str, str], user_home: Path) -> Path:
    """Return the directory in which the client runs, which has nothing in it."""
    folder = data_folder(environ, user_home) / OWN_FOLDER
    if len(str(folder)) <= _LONGEST_FOLDER:
        return folder
    return Path(tempfile.gettempdir()) / f"clew-{user_home.name}" / OWN_FOLDER


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the client with all that it started."""
    if process.poll() is None:
        if os.name == "posix":
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
        process.wait()


def _nano_usd(cost_usd: float | None) -> int | None:
    """Return a cost, if it is one."""
    if cost_usd is None or not 0 <= cost_usd <= MOST_NANO_USD / NANO:
        return None
    return round(cost_usd * NANO)


def _explain(text: str) -> str:
    plain = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    reason = plain[:_LONGEST_REASON] or "no reason"
    return f"`claude` refused the request: {reason}; run `claude` once to see whether it works"
