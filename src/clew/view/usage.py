"""Tokens and cost of model calls, as pages show them."""

from collections.abc import Iterable

from clew.analytics import Bill, Bills, bill_all
from clew.conversation import CacheMiss, Message, ModelUsage, add_up, is_lower_bound, sum_quality
from clew.view.page import UsageView

NO_BILL = Bill(None)


def usage_view(usage: ModelUsage, bill: Bill = NO_BILL) -> UsageView:
    """Combine token counts with their cost."""
    written = usage.cache_write_5m_tokens + usage.cache_write_1h_tokens
    read = usage.input_tokens + usage.cache_read_tokens
    return UsageView(
        given_tokens=read + written + usage.cache_write_unsplit_tokens,
        cached_tokens=usage.cache_read_tokens,
        written_tokens=usage.output_tokens,
        cost_nano_usd=bill.nano_dollars,
        is_lower_bound=is_lower_bound(usage.quality),
        has_unpriced=bool(bill.unpriced_models),
        quality=sum_quality((usage.quality, bill.quality)),
    )


def message_usage(message: Message, bills: Bills) -> UsageView | None:
    """Return the usage of one answer, None where no model was called."""
    if message.usage is None:
        return None
    return usage_view(message.usage, bills.get(message.id, NO_BILL))


def describe_cache_miss(miss: CacheMiss) -> str:
    """Describe why the prompt cache did not help: `cache miss: tools changed, 23,300 tokens`."""
    reason = miss.reason.replace("_", " ") or "no reason given"
    count = "" if miss.missed_tokens is None else f", {miss.missed_tokens:,} tokens"
    return f"cache miss: {reason}{count}"


def total_usage(messages: Iterable[Message], bills: Bills) -> UsageView:
    """Sum the usage of answers, without those that another session paid for."""
    own = [message for message in messages if message.usage is not None]
    usages = (message.usage for message in own if message.usage is not None)
    return usage_view(add_up(usages), bill_all(own, bills))
