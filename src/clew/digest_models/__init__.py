"""A request → a model's reply: within a budget, and kept."""

from typing import TYPE_CHECKING

from clew.lazy import import_lazily

if TYPE_CHECKING:
    from clew.digest_models.anthropic_model import (
        USUAL_LIMITS,
        AnthropicModel,
        ApiAccess,
        CallLimits,
        find_access,
    )
    from clew.digest_models.choose_model import choose_model
    from clew.digest_models.client_model import CLIENT, ClientModel, client_folder
    from clew.digest_models.digest_session import (
        PAUSE,
        DigestRun,
        NothingSaidError,
        PlannedRequests,
        TooSoonError,
        digest_session,
        open_digests,
    )
    from clew.digest_models.ledger import NANO, Budget, BudgetError, DigestLedger
    from clew.digest_models.model_errors import (
        ModelAnswerCutError,
        ModelAnswerTooLargeError,
        ModelBadRequestError,
        ModelDeclinedError,
        ModelError,
        ModelInterruptedError,
        ModelTimeoutError,
        NoModelKeyError,
    )
    from clew.digest_models.model_prices import cost_of_reply, highest_cost, most_tokens

__all__ = [
    "CLIENT",
    "NANO",
    "PAUSE",
    "USUAL_LIMITS",
    "AnthropicModel",
    "ApiAccess",
    "Budget",
    "BudgetError",
    "CallLimits",
    "ClientModel",
    "DigestLedger",
    "DigestRun",
    "ModelAnswerCutError",
    "ModelAnswerTooLargeError",
    "ModelBadRequestError",
    "ModelDeclinedError",
    "ModelError",
    "ModelInterruptedError",
    "ModelTimeoutError",
    "NoModelKeyError",
    "NothingSaidError",
    "PlannedRequests",
    "TooSoonError",
    "choose_model",
    "client_folder",
    "cost_of_reply",
    "digest_session",
    "find_access",
    "highest_cost",
    "most_tokens",
    "open_digests",
]

import_lazily(__name__)
