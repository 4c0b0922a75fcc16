"""The installed client, asked with `claude -p`: no key is needed.

It runs in an empty directory of its own, without tools, settings, hooks and MCP servers. Its
sessions begin with a mark, by which `clew.source` leaves them out.
"""

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

from clew.digest import ModelReply, ModelRequest
from clew.digest_models.ledger import NANO
from clew.digest_models.model_errors import (
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
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        printed, complaint = self._run(self._command(request), request)
        try:
            found = _result.decode(printed)
        except msgspec.DecodeError as error:
            if complaint:
                raise ModelRefusedError(_explain(complaint), None) from error
            raise ModelInterruptedError(self.name) from error
        cost = None if found.total_cost_usd is None else round(found.total_cost_usd * NANO)
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
        environ = {name: value for name, value in self._environ.items() if name not in _NESTED}
        process = subprocess.Popen(  # noqa: S603 (the user's own client, and our options)
            command,
            cwd=self._folder,
            env={**environ, _TOKENS: str(request.max_output_tokens)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        try:
            text = f"{OWN_MARK}\n{request.text}".encode("utf-8", "replace")
            printed, complaints = process.communicate(text, timeout=self._seconds)
        except subprocess.TimeoutExpired as error:
            raise ModelTimeoutError(self.name, self._seconds) from error
        finally:
            _end(process)
        return printed, complaints.decode("utf-8", "replace") if process.returncode else ""


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
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
        process.communicate()


def _explain(text: str) -> str:
    plain = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    reason = plain[:_LONGEST_REASON] or "no reason"
    return f"`claude` refused the request: {reason}; run `claude` once to see whether it works"
