"""Numbers, costs and times as people read them."""

import datetime as dt
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from clew.clock import parse_time
from clew.conversation import is_inherited, is_lower_bound, make_quality, sum_quality
from clew.figures import duration, plural
from clew.parts import Document, Image

if TYPE_CHECKING:
    from clew.view import CallView, CompactionView, UsageView

__all__ = [
    "UNTITLED",
    "call_size",
    "call_time",
    "clock_time",
    "cost",
    "cost_estimate",
    "cost_of_all",
    "day",
    "describe_compaction",
    "dollars",
    "dollars_at_least",
    "duration",
    "folder_name",
    "image_facts",
    "is_worth_showing",
    "local_time",
    "money",
    "money_usd",
    "plural",
    "scaled",
    "tokens_in_out",
    "waiting_time",
]

_STEP: Final = 1000
_PREFIXES: Final = ("k", "M", "G")
# What would be written as 1,000 is written in the next unit.
_ROUNDED_UP: Final = 999.5
_FEW: Final = 99.95
_NANO_CENT: Final = 10_000_000
_NANO_DOLLAR: Final = 1_000_000_000
# Shorter calls and smaller results are not worth a number.
_SHORTEST_MS: Final = 100
_SHORTEST_WAIT: Final = 1_000
_SMALLEST_BYTES: Final = 1000
UNTITLED: Final = "Untitled session"


def scaled(number: int, unit: str = "") -> str:
    """Write a number in thousands or millions: `340`, `12.4 k`, `168 k`, `1.9 M`."""
    if number < _STEP:
        return f"{number} {unit}".strip()
    amount, prefixes = number / _STEP, list(_PREFIXES)
    while amount >= _ROUNDED_UP and len(prefixes) > 1:
        amount /= _STEP
        prefixes.pop(0)
    figure = f"{amount:.1f}" if amount < _FEW else f"{amount:,.0f}"
    return f"{figure} {prefixes[0]}{unit}"


def tokens_in_out(usage: "UsageView") -> str:
    """Write the tokens of a model call: `12.4 k → 340`, or `12.4 k → 340+` where more came."""
    least = "+" if usage.is_lower_bound else ""
    return f"{scaled(usage.given_tokens)} → {scaled(usage.written_tokens)}{least}"


def call_size(call: "CallView") -> str:
    """Write the size of a call's result; nothing where it is small."""
    return scaled(call.size_bytes, "B") if call.size_bytes >= _SMALLEST_BYTES else ""


def call_time(call: "CallView") -> str:
    """Write how long a call took and waited for a person: `2 s, waited 40 s`.

    Short times are left out.
    """
    waited = waiting_time(call.waiting_ms, call.waiting_quality)
    time = call.took_ms if waited else call.duration_ms
    took = duration(time) if time is not None and time >= _SHORTEST_MS else ""
    return ", ".join(filter(None, (took, waited)))


def waiting_time(ms: int | None, quality: str | None) -> str:
    """Write how long somebody was waited for: `waited 40 s`, `waited ≤ 40 s`, `waited ~40 s`.

    A tilde means that it is inferred. A wait of less than a second is left out.
    """
    if ms is None or ms < _SHORTEST_WAIT:
        return ""
    sign = {"at_most": "≤ ", "inferred": "~"}.get(quality or "", "")
    return f"waited {sign}{duration(ms)}"


def image_facts(shown: Image | Document) -> tuple[str, ...]:
    """Describe an image or a document: `image`, `png`, `640 x 480`, `12.4 kB`."""
    word, measures = "document", ""
    if isinstance(shown, Image):
        word = "image"
        measures = f"{shown.width} x {shown.height}" if shown.width and shown.height else ""
    size = scaled(shown.size_bytes, "B") if shown.size_bytes else ""
    return word, shown.media_type.rpartition("/")[2], measures, size


def folder_name(path: str) -> str:
    """Return the last name of a path of any system."""
    return path.replace("\\", "/").rstrip("/").rpartition("/")[2]


def describe_compaction(item: "CompactionView") -> str:
    """Describe a compaction: `compacted: 168 k → 21 k tokens, auto`."""
    if item.is_restored:
        return "restored: earlier messages are no longer compacted"
    counts = [scaled(n) for n in (item.tokens_before, item.tokens_after) if n is not None]
    facts = [f"{' → '.join(counts)} tokens" if counts else "", _kept(item)]
    if item.compression_ratio is not None:
        facts.append(f"compression ratio {item.compression_ratio:g}")
    text = ", ".join(filter(None, facts))
    return ", ".join(filter(None, (f"compacted: {text}" if text else "compacted", item.trigger)))


def _kept(item: "CompactionView") -> str:
    kept, total = item.kept_messages, item.total_messages
    if kept is None:
        return "" if total is None else f"{plural(total, 'message')} before"
    return (
        f"{kept:,} of {plural(total, 'message')} kept"
        if total
        else f"{plural(kept, 'message')} kept"
    )


def dollars(nano_dollars: int | None) -> str:
    """Write money: `$4.18`, `<$0.01`, or nothing where it is not known."""
    if nano_dollars is None:
        return ""
    if 0 < nano_dollars < _NANO_CENT:
        return "<$0.01"
    return f"${nano_dollars / _NANO_DOLLAR:,.2f}"


def dollars_at_least(nano_dollars: int) -> str:
    """Write money that is a lower bound: less than a cent is written in full, `$0.0042`."""
    if 0 < nano_dollars < _NANO_CENT:
        return f"${nano_dollars / _NANO_DOLLAR:.4f}"
    return dollars(nano_dollars)


def money(nano_dollars: int | None, quality: str, sign: str = "≥") -> str:
    """Write a cost with the one mark that its quality needs.

    `$4.18`, `≥ $4.18`, `$4.18 inherited`, or `inherited` alone where nothing was paid here, and
    `unpriced` where no price is known.
    """
    if is_inherited(quality):
        own = make_quality(is_lower_bound=is_lower_bound(quality))
        paid = money(nano_dollars, own, sign) if nano_dollars else ""
        return f"{paid} inherited".lstrip()
    if nano_dollars is None:
        return "unpriced"
    if is_lower_bound(quality):
        return f"{sign} {dollars_at_least(nano_dollars)}"
    return dollars(nano_dollars)


def money_usd(dollars: float | None, quality: str) -> str:
    """Write a cost in dollars as `money` does."""
    return money(None if dollars is None else round(dollars * _NANO_DOLLAR), quality)


def cost(spent: "UsageView") -> str:
    """Write what something cost."""
    return cost_of_all((spent,))


def cost_of_all(spents: Iterable["UsageView"]) -> str:
    """Write what several things cost together, or nothing where no model was called."""
    known = [spent for spent in spents if spent.cost_nano_usd is not None or spent.has_unpriced]
    if not known:
        return ""
    costs = [spent.cost_nano_usd for spent in known if spent.cost_nano_usd is not None]
    return money(sum(costs) if costs else None, sum_quality(spent.quality for spent in known))


def cost_estimate(usage: "UsageView", unpriced_models: Sequence[str] = ()) -> str:
    """Write the cost of a session in words: `≈ $4.18 at API prices`."""
    amount, unpriced = usage.cost_nano_usd, ", ".join(unpriced_models)
    if is_inherited(usage.quality):
        return f"cost {cost(usage)}"
    if amount is None:
        return f"unpriced: {unpriced}" if unpriced else ""
    is_bound = is_lower_bound(usage.quality)
    about = f"at least {dollars_at_least(amount)}" if is_bound else f"≈ {dollars(amount)}"
    without = f", {unpriced} not counted" if unpriced else ""
    return f"{about} at API prices{without}".replace("≈ <", "< ")


def is_worth_showing(spent: "UsageView") -> bool:
    """Return whether there is a cost, or might be one that is unknown."""
    return bool(spent.cost_nano_usd) or spent.quality != "exact"


def capitalize_sentence(text: str) -> str:
    """Start a message with a capital letter, unless its first word is a name such as `since=`."""
    first = text.partition(" ")[0]
    return text[:1].upper() + text[1:] if first.isalpha() else text


def local_time(time: str, zone: dt.tzinfo | None) -> dt.datetime | None:
    """Return a time in a zone, by default that of this machine."""
    parsed = parse_time(time)
    try:
        return None if parsed is None else parsed.astimezone(zone)
    except (OverflowError, OSError, ValueError):
        return parsed


def clock_time(at: dt.datetime | None) -> str:
    """Write the time of day: `14:02`."""
    return "" if at is None else f"{at:%H:%M}"


def day(at: dt.datetime | None) -> str:
    """Write the day: `14 Nov 2026`."""
    return "" if at is None else f"{at.day} {at:%b} {at.year}"
