"""conversation → facts.

What can be counted in a conversation, and what it costs.
"""

from clew.analytics.costs import (
    Bill,
    Bills,
    add_bills,
    bill_all,
    bill_messages,
    bill_of,
    tokens_of,
)
from clew.analytics.facts import FileTouch, ModelCall, file_touches, model_calls
from clew.analytics.models import display_name, is_synthetic, normalise
from clew.analytics.prices import (
    Band,
    Cost,
    CostLine,
    Multipliers,
    Note,
    Price,
    PriceTable,
    Rates,
    Tokens,
    cost_at,
    cost_of,
    digest,
    price_on,
    price_table,
)
from clew.analytics.usage import GROUPS, CountedCall, UsageReport, UsageRow, summarise

__all__ = [
    "GROUPS",
    "Band",
    "Bill",
    "Bills",
    "Cost",
    "CostLine",
    "CountedCall",
    "FileTouch",
    "ModelCall",
    "Multipliers",
    "Note",
    "Price",
    "PriceTable",
    "Rates",
    "Tokens",
    "UsageReport",
    "UsageRow",
    "add_bills",
    "bill_all",
    "bill_messages",
    "bill_of",
    "cost_at",
    "cost_of",
    "digest",
    "display_name",
    "file_touches",
    "is_synthetic",
    "model_calls",
    "normalise",
    "price_on",
    "price_table",
    "summarise",
    "tokens_of",
]
