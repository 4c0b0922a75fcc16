"""A model of another package, which may fail in any way: it ends neither a run nor a budget."""

from collections.abc import Callable
from typing import Final, TypeVar

import msgspec

from clew.digest import DigestModel, ModelReply, ModelRequest
from clew.digest_models.model_errors import ModelError

_LONGEST_REASON: Final = 200
T = TypeVar("T")


class PluginModel:
    """A model, whose failures are those of a model and whose costs are amounts."""

    def __init__(self, model: DigestModel, place: str) -> None:
        self._model = model
        self._place = place

    @property
    def name(self) -> str:
        """The name that the package gives it."""
        return str(self._model.name)

    def highest_cost(self, request: ModelRequest) -> int:
        """Return the most that an answer can cost, as the package says."""
        return max(self._try(lambda: int(self._model.highest_cost(request)), 0), 0)

    def ask(self, request: ModelRequest) -> ModelReply:
        """Ask the model.

        Raises:
            ModelError: It failed, or its reply is none.
        """
        reply = self._try(lambda: _checked(self._model.ask(request)), None)
        is_amount = reply.cost_nano_usd is None or reply.cost_nano_usd >= 0
        return reply if is_amount else msgspec.structs.replace(reply, cost_nano_usd=None)

    def _try(self, act: Callable[[], T], cost_nano_usd: int | None) -> T:
        try:
            return act()
        except ModelError:
            raise
        except Exception as error:
            reason = f"{type(error).__name__}: {' '.join(str(error).split())[:_LONGEST_REASON]}"
            raise ModelError(
                f"the plug-in {self._place} failed: {reason}", cost_nano_usd
            ) from error


def _checked(reply: ModelReply) -> ModelReply:
    """Return a reply whose fields have the types that they are to have."""
    return msgspec.convert(msgspec.structs.asdict(reply), ModelReply)
