"""A model of another package, which may fail in any way: it ends neither a run nor a budget."""

from collections.abc import Callable
from typing import Final, TypeVar

import msgspec

from clew.digest import DigestModel, ModelReply, ModelRequest
from clew.digest_models.ledger import MOST_NANO_USD
from clew.digest_models.model_errors import ModelError

_LONGEST_REASON: Final = 200
_LONGEST_NAME: Final = 100
T = TypeVar("T")


class PluginModel:
    """A model, whose failures are those of a model and whose costs are amounts."""

    def __init__(self, model: DigestModel, place: str) -> None:
        self._model = model
        self._place = place
        # Digests are kept under it: it stays as it is, and can be printed and stored.
        self._name = _plain(str(model.name), _LONGEST_NAME)

    @property
    def name(self) -> str:
        """The name that the package gives it."""
        return self._name

    def highest_cost(self, request: ModelRequest) -> int:
        """Return the most that an answer can cost, as the package says."""
        highest = self._try(lambda: int(self._model.highest_cost(request)), 0)
        return min(max(highest, 0), MOST_NANO_USD)

    def ask(self, request: ModelRequest) -> ModelReply:
        """Ask the model.

        Raises:
            ModelError: It failed, or its reply is none.
        """
        return self._try(lambda: _checked(self._model.ask(request)), None)

    def _try(self, act: Callable[[], T], cost_nano_usd: int | None) -> T:
        """Let a package do something; whatever it raises, the user alone ends the program."""
        try:
            return act()
        except KeyboardInterrupt:
            raise
        except ModelError as error:
            if _is_priced(error):
                raise
            raise self._failure(error, cost_nano_usd) from error
        except BaseException as error:
            raise self._failure(error, cost_nano_usd) from error

    def _failure(self, error: BaseException, cost_nano_usd: int | None) -> ModelError:
        try:
            text = str(error)
        except Exception:  # noqa: BLE001 (an error may be as faulty as its package)
            text = ""
        reason = f"{type(error).__name__}: {_plain(text, _LONGEST_REASON)}"
        return ModelError(f"the plug-in {self._place} failed: {reason}", cost_nano_usd)


def _checked(reply: ModelReply) -> ModelReply:
    """Return a reply whose fields have the types that they are to have."""
    return msgspec.convert(msgspec.structs.asdict(reply), ModelReply)


def _is_priced(error: ModelError) -> bool:
    """Return whether an error of a package says what it cost, or that this is not known."""
    try:
        msgspec.convert(error.cost_nano_usd, int | None)
    except (AttributeError, msgspec.ValidationError):
        return False
    return True


def _plain(text: str, longest: int) -> str:
    """Return a text as one short line."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())[:longest]
