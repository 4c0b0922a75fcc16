"""Why a model gave no digest, each with what to do.

ModelError                    1   base; `cost_nano_usd` was spent all the same, None if not known
├── ModelPackageMissingError  1   the SDK is not installed
├── ModelUnknownError         2   no model by that name
├── NoModelKeyError           2   no key for the API is set
├── ModelRefusedError         1   the server refused the request
│   └── ModelBadRequestError  1   because of what is in it
├── ModelBusyError            1   rate limits, overload and failures of the server
├── ModelUnreachableError     1   no connection
├── ModelTimeoutError         1   no answer in time
├── ModelInterruptedError     1   an answer that ended too early, or made no sense
├── ModelDeclinedError        1   the model itself declined
├── ModelAnswerCutError       1   an answer that reached its maximum length
└── ModelAnswerTooLargeError  1   an answer that went on after it
"""

from clew.errors import ClewError


class ModelError(ClewError):
    """A model gave no answer that can be used.

    `cost_nano_usd` is what it cost all the same; None if that is not known.
    """

    def __init__(self, text: str, cost_nano_usd: int | None = 0) -> None:
        super().__init__(text)
        self.cost_nano_usd = cost_nano_usd


class ModelPackageMissingError(ModelError):
    """The package for the API is not installed."""

    def __init__(self) -> None:
        super().__init__(
            "digests by a model require the package anthropic; install it with "
            "`uv sync --extra digest` or `pip install 'clew[digest]'`"
        )


class ModelUnknownError(ModelError):
    """No model has this name."""

    exit_code = 2


class NoModelKeyError(ModelError):
    """There is no key for the API."""

    exit_code = 2

    def __init__(self) -> None:
        super().__init__(
            "no key for the API is set; set ANTHROPIC_API_KEY, or use `--model claude-code`"
        )


class ModelRefusedError(ModelError):
    """A server understood a request and refused it: asking again does not help."""


class ModelBadRequestError(ModelRefusedError):
    """A server refused a request because of what is in it: others may be accepted."""


class ModelBusyError(ModelError):
    """A server has no room for a request at the moment, or fails."""


class ModelUnreachableError(ModelError):
    """A server cannot be reached."""


class ModelTimeoutError(ModelError):
    """A model has not answered in time; what it wrote until then may have to be paid."""

    def __init__(self, model: str, seconds: float, cost_nano_usd: int | None = None) -> None:
        super().__init__(
            f"{model} did not answer within {seconds:g} seconds; try again later", cost_nano_usd
        )


class ModelInterruptedError(ModelError):
    """An answer ended before its end, or cannot be read."""

    def __init__(self, model: str, cost_nano_usd: int | None = None) -> None:
        super().__init__(
            f"the answer of {model} ended too early or cannot be read; try again", cost_nano_usd
        )


class ModelDeclinedError(ModelError):
    """The model declined to answer."""

    def __init__(self, model: str, cost_nano_usd: int | None = None) -> None:
        super().__init__(
            f"{model} declined to write a digest; use another model, or `--extract`", cost_nano_usd
        )


class ModelAnswerCutError(ModelError):
    """An answer reached the maximum length."""

    def __init__(self, model: str, tokens: int, cost_nano_usd: int | None = None) -> None:
        super().__init__(
            f"the answer of {model} was cut off at {tokens:,} tokens; use another model",
            cost_nano_usd,
        )


class ModelAnswerTooLargeError(ModelError):
    """An answer had more bytes than any digest."""

    def __init__(self, model: str, size: int, cost_nano_usd: int | None = None) -> None:
        super().__init__(
            f"the answer of {model} was ended after {size >> 10:,} KiB; use another model",
            cost_nano_usd,
        )
