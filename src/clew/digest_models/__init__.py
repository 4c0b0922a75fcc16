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
    from clew.digest_models.ledger import NANO, Budget, BudgetError, Ledger
    from clew.digest_models.model_errors import ModelError, NoModelKeyError
    from clew.digest_models.model_prices import cost_of_reply, count_tokens, highest_cost

__all__ = [
    "NANO",
    "USUAL_LIMITS",
    "AnthropicModel",
    "ApiAccess",
    "Budget",
    "BudgetError",
    "CallLimits",
    "Ledger",
    "ModelError",
    "NoModelKeyError",
    "cost_of_reply",
    "count_tokens",
    "find_access",
    "highest_cost",
]

import_lazily(__name__)
