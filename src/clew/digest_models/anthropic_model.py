"""The API of Anthropic, asked by its SDK.

What cost nothing is tried again here, within limits. What may have cost something is not: the
caller first reserves as much again.
"""

import logging
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Final, TypeAlias

import msgspec

from clew.analytics import Tokens
from clew.digest import ModelReply, ModelRequest
from clew.digest_models.model_errors import (
    ModelAnswerCutError,
    ModelAnswerTooLargeError,
    ModelBadRequestError,
    ModelBusyError,
    ModelDeclinedError,
    ModelError,
    ModelInterruptedError,
    ModelPackageMissingError,
    ModelRefusedError,
    ModelTimeoutError,
    ModelUnreachableError,
    NoModelKeyError,
)
from clew.digest_models.model_prices import cost_of_reply, highest_cost

if TYPE_CHECKING:
    from anthropic import Anthropic, APIStatusError, MessageStream
    from anthropic.types import Usage

    from clew.digest_models.call_guard import CallGuard

KEY: Final = "ANTHROPIC_API_KEY"
TOKEN: Final = "ANTHROPIC_AUTH_TOKEN"  # noqa: S105 (the name of a variable)
BASE_URL: Final = "ANTHROPIC_BASE_URL"
_DEFAULT_URL: Final = "https://api.anthropic.com"
_LONGEST_MESSAGE: Final = 200
_TOO_MANY: Final = 429
_OVERLOADED: Final = 529
_SERVER_ERRORS: Final = 500
# What a server says of one request, rather than of who makes it.
_OF_SESSION: Final = (400, 413, 422)
# How an error is called in the middle of an answer, whose status says that all is well.
_STATUS_OF_TYPE: Final = {
    "rate_limit_error": _TOO_MANY,
    "overloaded_error": _OVERLOADED,
    "api_error": _SERVER_ERRORS,
    "timeout_error": 504,
}
# Failures before a request was sent.
_NOT_CONNECTED: Final = ("ConnectError", "ConnectTimeout", "ProxyError", "UnsupportedProtocol")
_log: Final = logging.getLogger(__name__)


_Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=1 << 40)]


class _CacheWrites(msgspec.Struct, frozen=True):
    ephemeral_5m_input_tokens: _Count = 0
    ephemeral_1h_input_tokens: _Count = 0


class _ReportedUsage(msgspec.Struct, frozen=True):
    """What an answer cost in tokens: the SDK takes whatever a server sends."""

    input_tokens: _Count
    output_tokens: _Count
    cache_read_input_tokens: _Count | None = None
    cache_creation_input_tokens: _Count | None = None
    cache_creation: _CacheWrites | None = None
    service_tier: str | None = None
    inference_geo: str | None = None
    speed: str | None = None


class _Block(msgspec.Struct, frozen=True):
    type: str
    text: str = ""


class _ApiAnswer(msgspec.Struct, frozen=True):
    content: tuple[_Block, ...]
    stop_reason: str | None = None
    usage: _ReportedUsage | None = None


class _GuardedClient(msgspec.Struct, frozen=True):
    """A client of the API, and what limits its calls."""

    client: "Anthropic"
    guard: "CallGuard"


class ApiAccess(msgspec.Struct, frozen=True):
    """Where the API is, and what it is used with: a key, or else a token."""

    key: str = ""
    token: str = ""
    base_url: str = ""

    @property
    def place(self) -> str:
        """The address that is asked."""
        return self.base_url or _DEFAULT_URL


class CallLimits(msgspec.Struct, frozen=True, kw_only=True):
    """How long and how often a model is asked, in seconds and attempts, and how much it may send.

    An answer of some thousand tokens has less than a megabyte.
    """

    connect_seconds: float = 10
    silent_seconds: float = 120
    answer_seconds: float = 600
    answer_bytes: int = 8 << 20
    attempts: int = 4
    first_wait: float = 1
    longest_wait: float = 60


USUAL_LIMITS: Final = CallLimits()


def find_access(environ: Mapping[str, str], key: str = "", base_url: str = "") -> ApiAccess:
    """Return how the API is reached: by the environment, else by the settings.

    Raises:
        NoModelKeyError: No key is set.
    """
    own_key, token = environ.get(KEY, ""), environ.get(TOKEN, "")
    if not (own_key or token):
        own_key = key
    if not (own_key or token):
        raise NoModelKeyError
    return ApiAccess(own_key, "" if own_key else token, environ.get(BASE_URL) or base_url)


class AnthropicModel:
    """A model of Anthropic's API."""

    def __init__(
        self,
        name: str,
        access: ApiAccess,
        limits: CallLimits = USUAL_LIMITS,
    ) -> None:
        self._name = name
        self._access = access
        self._limits = limits

    @property
    def name(self) -> str:
        """The model's id."""
        return self._name

    def highest_cost(self, request: ModelRequest) -> int:
        """Return the most that an answer can cost, by the model's price."""
        return highest_cost(self._name, request)

    def ask(self, request: ModelRequest) -> ModelReply:
        """Ask, and ask again while the server is busy, which costs nothing.

        Raises:
            ModelError: There is no answer.
        """
        with self._open_call() as call:
            for attempt in range(1, self._limits.attempts):
                try:
                    return self._ask_once(call, request)
                except _ComeAgainError as error:
                    pause = error.seconds or self._limits.first_wait * 2 ** (attempt - 1)
                    if pause > self._limits.longest_wait:
                        raise error.reason from error
                    _log.debug("%s is busy: waiting %.1f s", self._name, pause)
                    time.sleep(pause)
            try:
                return self._ask_once(call, request)
            except _ComeAgainError as error:
                raise error.reason from error

    @contextmanager
    def _open_call(self) -> "Iterator[_GuardedClient]":
        try:
            import anthropic  # noqa: PLC0415 (may not be installed, and takes half a second)

            from clew.digest_models.call_guard import CallGuard  # noqa: PLC0415 (as above)
        except ImportError as error:
            raise ModelPackageMissingError from error
        limits = self._limits
        guard = CallGuard(limits.answer_bytes)
        with anthropic.Anthropic(
            api_key=self._access.key or None,
            auth_token=self._access.token or None,
            base_url=self._access.place,
            max_retries=0,
            timeout=anthropic.Timeout(limits.silent_seconds, connect=limits.connect_seconds),
            http_client=anthropic.DefaultHttpxClient(event_hooks=guard.hooks),
        ) as client:
            yield _GuardedClient(client, guard)

    def _ask_once(self, call: "_GuardedClient", request: ModelRequest) -> ModelReply:
        """Ask once, within the limits of time and size, from the connection to the end."""
        import anthropic  # noqa: PLC0415 (as above)

        stream = call.client.messages.stream(
            model=self._name,
            max_tokens=request.max_output_tokens,
            system=request.instructions,
            messages=[{"role": "user", "content": request.text}],
            output_config={
                "format": {
                    "type": "json_schema",
                    "schema": anthropic.transform_schema(request.schema),
                }
            },
        )
        try:
            with call.guard.limit(self._limits.answer_seconds), stream as events:
                return self._judge(self._read(call.guard, events), request)
        except ModelError:
            raise
        except Exception as error:
            raise self._why_unanswered(call.guard, error) from error

    def _why_unanswered(
        self, guard: "CallGuard", error: Exception
    ) -> "ModelError | _ComeAgainError":
        """Return what a failure says to the user before an answer has begun."""
        import anthropic  # noqa: PLC0415 (as above)

        if guard.is_late or guard.is_too_large:
            return self._why_ended(guard)
        if isinstance(error, anthropic.APIStatusError):
            return self._explain(error)
        if type(error.__cause__).__name__ in _NOT_CONNECTED:
            text = f"cannot connect to {self._access.place}; check the network and {BASE_URL}"
            return _ComeAgainError(ModelUnreachableError(text))
        if isinstance(error, anthropic.APITimeoutError):
            return ModelTimeoutError(self._name, self._limits.silent_seconds)
        return ModelInterruptedError(self._name)

    def _why_ended(self, guard: "CallGuard", cost_nano_usd: int | None = None) -> ModelError:
        if guard.is_too_large:
            return ModelAnswerTooLargeError(self._name, self._limits.answer_bytes, cost_nano_usd)
        return ModelTimeoutError(self._name, self._limits.answer_seconds, cost_nano_usd)

    def _read(self, guard: "CallGuard", events: "MessageStream[None]") -> "_ApiAnswer":
        """Read an answer to its end, which is that of its message and not of its connection."""
        import anthropic  # noqa: PLC0415 (as above)

        try:
            for event in events:
                if event.type == "message_stop":
                    break
            answer = _read_answer(events)
        except anthropic.APIStatusError as error:
            raise self._explain(error, cost_nano_usd=None) from error
        except Exception as error:
            # Servers and proxies can send anything: the SDK fails on it in many ways.
            cost = self._cost_until_now(events)
            if guard.is_late or guard.is_too_large:
                raise self._why_ended(guard, cost) from error
            if "Timeout" in type(error).__name__:
                raise ModelTimeoutError(self._name, self._limits.silent_seconds, cost) from error
            raise ModelInterruptedError(self._name, cost) from error
        if answer.stop_reason is None:
            raise self._why_ended(guard) if guard.is_late else ModelInterruptedError(self._name)
        return answer

    def _cost_until_now(self, events: "MessageStream[None]") -> int | None:
        """Return what an answer cost that broke off: known if it broke off after its last word."""
        try:
            answer = _read_answer(events)
        except Exception as error:  # noqa: BLE001 (as above)
            _log.debug("nothing of an answer can be read: %s", error)
            return None
        return None if answer.stop_reason is None else self._cost(answer)

    def _cost(self, answer: "_ApiAnswer") -> int | None:
        return None if answer.usage is None else cost_of_reply(self._name, _tokens_of(answer.usage))

    def _judge(self, answer: "_ApiAnswer", request: ModelRequest) -> ModelReply:
        model, usage, cost = self._name, answer.usage, self._cost(answer)
        match answer.stop_reason:
            case "refusal":
                raise ModelDeclinedError(model, cost)
            case "max_tokens" | "model_context_window_exceeded":
                raise ModelAnswerCutError(model, request.max_output_tokens, cost)
            case _:
                pass
        return ModelReply(
            text="".join(block.text for block in answer.content if block.type == "text"),
            model=model,
            input_tokens=0 if usage is None else usage.input_tokens,
            output_tokens=0 if usage is None else usage.output_tokens,
            cost_nano_usd=cost,
        )

    def _explain(
        self, error: "APIStatusError", cost_nano_usd: int | None = 0
    ) -> "ModelError | _ComeAgainError":
        """Return what a refusal says to the user; one that cost nothing may be tried again."""
        status = _STATUS_OF_TYPE.get(error.type or "", error.status_code)
        reason: ModelError
        if status == _TOO_MANY:
            text = f"the rate limit of {self._name} is reached; try again later"
            reason = ModelBusyError(text, cost_nano_usd)
        elif status == _OVERLOADED:
            text = f"{self._name} is overloaded; try again later"
            reason = ModelBusyError(text, cost_nano_usd)
        elif status >= _SERVER_ERRORS:
            text = f"{self._access.place} failed with status {status}; try again later"
            reason = ModelBusyError(text, cost_nano_usd)
        else:
            kind = ModelBadRequestError if status in _OF_SESSION else ModelRefusedError
            return kind(self._describe(status, error), cost_nano_usd)
        return reason if cost_nano_usd is None else _ComeAgainError(reason, _retry_after(error))

    def _describe(self, status: int, error: "APIStatusError") -> str:
        match status:
            case 401 | 403:
                return f"{self._access.place} does not accept the key; check {KEY}"
            case 404:
                return f"{self._access.place} has no model {self._name!r}; check its name"
            case 413:
                return f"the session is too large for {self._name}; use another model"
            case _:
                said = _one_line(error.api_message or "")
                return f"{self._access.place} refused the request ({status}): {said or 'no reason'}"


class _ComeAgainError(Exception):
    """A failure that cost nothing and may pass; `seconds` is how long the server asks to wait."""

    def __init__(self, reason: ModelError, seconds: float = 0) -> None:
        super().__init__(str(reason))
        self.reason = reason
        self.seconds = seconds


def _read_answer(events: "MessageStream[None]") -> _ApiAnswer:
    """Return what has arrived of an answer; the SDK takes whatever a server sends."""
    message = events.current_message_snapshot
    plain = message.model_dump(include={"content", "stop_reason"}, warnings=False)
    return msgspec.convert({**plain, "usage": _read_usage(message.usage)}, _ApiAnswer)


def _read_usage(usage: "Usage") -> "_ReportedUsage | None":
    """Return what a server counted; None if that makes no sense."""
    try:
        return msgspec.convert(usage.model_dump(warnings=False), _ReportedUsage)
    except msgspec.ValidationError as error:
        _log.debug("the usage of an answer cannot be read: %s", error)
        return None


def _tokens_of(usage: "_ReportedUsage") -> Tokens:
    short = usage.cache_creation.ephemeral_5m_input_tokens if usage.cache_creation else 0
    long = usage.cache_creation.ephemeral_1h_input_tokens if usage.cache_creation else 0
    return Tokens(
        input=usage.input_tokens,
        output=usage.output_tokens,
        cache_read=usage.cache_read_input_tokens or 0,
        cache_write_5m=short,
        cache_write_1h=long,
        cache_write_unsplit=max((usage.cache_creation_input_tokens or 0) - short - long, 0),
        service_tier=usage.service_tier,
        inference_geo=usage.inference_geo,
        speed=usage.speed,
    )


def _retry_after(error: "APIStatusError") -> float:
    found = re.fullmatch(r"\d{1,9}(?:\.\d+)?", error.response.headers.get("retry-after", ""))
    return float(found[0]) if found else 0


def _one_line(text: str) -> str:
    plain = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return plain[:_LONGEST_MESSAGE]
