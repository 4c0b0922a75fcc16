"""Context: what filled a model's context over a session, and what that cost."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

from clew.analytics import (
    NEAR_LIMIT,
    CacheBreak,
    CompactionLoss,
    ContextItem,
    ContextSample,
    PartCost,
    describe_cause,
    display_name,
)
from clew.render.formatting import duration, money, plural, scaled
from clew.render.html.escaping import anchor, in_url
from clew.render.site.base import BasePage
from clew.render.site.context_chart import (
    HEIGHT,
    SCALE_WIDTH,
    WIDTH,
    PricedCacheBreak,
    make_context_chart,
)
from clew.render.site.templates import draw

_MOST_ROWS: Final = 400
_LONGEST_TEXT: Final = 20_000
_LONGEST_LINE: Final = 110


class SentMessageView(msgspec.Struct, frozen=True):
    """A message of a request: whose it is, how it begins, and its text as it was sent."""

    number: int
    role: str
    line: str
    text: str
    size: str
    is_missing: bool = False
    is_cut: bool = False


class RequestView(msgspec.Struct, frozen=True, kw_only=True):
    """A request as it was sent; `proved` is the share of it that hashes prove."""

    id: str
    message_id: str
    proved: float
    missing: int
    is_cut: bool
    params: str
    messages: Sequence[SentMessageView]
    json_url: str

    @property
    def share(self) -> str:
        """The share that is proved, in words; never rounded up to all of it."""
        return "100 %" if self.proved == 1 else f"{int(self.proved * 100)} %"


class ContextPage(msgspec.Struct, frozen=True, kw_only=True):
    """A session's context: of its main thread, or of the agent run `run_id`.

    `requests` are the ids of requests by the ids of their answers, where the client wrote them
    down, and `has_shapes` whether it wrote down system text and tools.
    """

    session_id: str
    title: str
    samples: Sequence[ContextSample]
    names: Mapping[str, str]
    parts: Sequence[PartCost]
    items: Sequence[ContextItem]
    breaks: Sequence[PricedCacheBreak]
    compactions: Sequence[CompactionLoss]
    requests: Mapping[str, str]
    estimate_error: float | None
    has_shapes: bool = True
    run_id: str = ""
    run_names: Sequence[tuple[str, str]] = ()
    request: RequestView | None = None


class _TurnRow(msgspec.Struct, frozen=True):
    turn: str
    url: str
    total: str
    share: str
    is_near: bool
    parts: list[str]
    cost: str
    request: str


class _PartRow(msgspec.Struct, frozen=True):
    part: str
    name: str
    last: str
    tokens: str
    share: float
    cost: str


class _BreakRow(msgspec.Struct, frozen=True):
    turn: str
    url: str
    cause: str
    source: str
    model: str
    tokens: str
    cost: str


class _ItemRow(msgspec.Struct, frozen=True):
    name: str
    url: str
    turn: str
    part: str
    note: str
    tokens: str
    requests: int
    cost: str


class _CompactionRow(msgspec.Struct, frozen=True):
    loss: CompactionLoss
    url: str
    sizes: str
    prompts: list[tuple[str, str]]


def render_context(page: ContextPage, base: BasePage) -> str:
    """Draw the page."""
    own = base.urls.session(page.session_id)
    address = f"{own}/context"
    body = draw(
        "context.html",
        page=page,
        own=own,
        address=address,
        request=page.request,
        numbers=_numbers(page, own),
        chart=make_context_chart(page.samples, page.names, page.breaks),
        width=WIDTH,
        height=HEIGHT,
        scale_width=SCALE_WIDTH,
        anchor=anchor,
        in_url=in_url,
        part_names=list(page.names.values()),
        rows=_turn_rows(page, own, address),
        left_out=max(0, len(_last_of_turns(page.samples)) - _MOST_ROWS),
        parts=_part_rows(page),
        breaks=[_break_row(one, own) for one in page.breaks],
        unexplained=sum(not one.found.source for one in page.breaks),
        break_cost=money(sum(one.cost_nano_usd or 0 for one in page.breaks), "exact"),
        items=[_item_row(item, page, own) for item in page.items],
        compactions=[_compaction_row(loss, own) for loss in page.compactions],
        is_estimated=any(sample.is_estimated for sample in page.samples),
        error="" if page.estimate_error is None else f"{page.estimate_error:.0%}",
    )
    return base.draw(f"Context of {page.title}", body, scripts=["charts.js"])


def view_messages(
    messages: Sequence[Mapping[str, Any]], texts: Sequence[str]
) -> Iterator[SentMessageView]:
    """Make the views of a request's messages, given the text of each."""
    for number, (message, text) in enumerate(zip(messages, texts, strict=True), start=1):
        role = message.get("role")
        yield SentMessageView(
            number=number,
            role=str(role or "missing"),
            line=" ".join(text[: 4 * _LONGEST_LINE].split())[:_LONGEST_LINE],
            text=text[:_LONGEST_TEXT],
            size=scaled(len(text)),
            is_missing=role is None,
            is_cut=len(text) > _LONGEST_TEXT,
        )


def _numbers(page: ContextPage, own: str) -> list[tuple[str, str, str, str]]:
    """Return the numbers at the top: name, value, what it means exactly, and where it leads."""
    if not page.samples:
        return []
    fullest = max(page.samples, key=lambda one: one.fullness)
    cost = sum(one.cost_nano_usd or 0 for one in page.samples)
    said = "as the client says" if fullest.is_window_known else "assumed"
    near = ", near the limit" if fullest.fullness >= NEAR_LIMIT else ""
    return [
        (
            "Fullest",
            f"{fullest.fullness:.0%}",
            f"{fullest.total:,} of {fullest.window:,} tokens ({said}), turn {fullest.turn}{near}",
            f"{own}#{anchor('m', fullest.message_id)}",
        ),
        ("Requests", f"{len(page.samples):,}", "Requests with token counts", "#over-turns"),
        ("Cost of context", money(cost, "exact"), "All requests, without answers", "#part-costs"),
        (
            "Cache breaks",
            f"{len(page.breaks):,}",
            money(sum(one.cost_nano_usd or 0 for one in page.breaks), "exact")
            if page.breaks
            else "",
            "#breaks" if page.breaks else "",
        ),
        (
            "Compactions",
            f"{len(page.compactions):,}",
            "",
            "#compactions" if page.compactions else "",
        ),
    ]


def _last_of_turns(samples: Sequence[ContextSample]) -> list[ContextSample]:
    found: dict[tuple[int | None, int], ContextSample] = {}
    for sample in samples:
        found[sample.turn, sample.epoch] = sample
    return list(found.values())


def _turn_rows(page: ContextPage, own: str, address: str) -> list[_TurnRow]:
    costs: dict[tuple[int | None, int], int] = {}
    for sample in page.samples:
        key = sample.turn, sample.epoch
        costs[key] = costs.get(key, 0) + (sample.cost_nano_usd or 0)
    return [
        _TurnRow(
            turn=str(sample.turn or "-"),
            url=f"{own}#{anchor('m', sample.message_id)}",
            total=scaled(sample.total),
            share=f"{sample.fullness:.0%}",
            is_near=sample.fullness >= NEAR_LIMIT,
            parts=[scaled(sample.tokens[part]) for part in page.names],
            cost=money(costs[sample.turn, sample.epoch], "exact"),
            request=_request_url(page, sample.message_id, address),
        )
        for sample in _last_of_turns(page.samples)[:_MOST_ROWS]
    ]


def _request_url(page: ContextPage, message_id: str, address: str) -> str:
    name = page.requests.get(message_id, "")
    return f"{address}?request={name}#request" if name.replace("-", "").isalnum() else ""


def _part_rows(page: ContextPage) -> list[_PartRow]:
    shown = [one for one in page.parts if one.part in page.names and one.tokens]
    most = max((one.cost_nano_usd for one in shown), default=0) or 1
    last = page.samples[-1].tokens if page.samples else {}
    return [
        _PartRow(
            part=one.part,
            name=page.names[one.part],
            last=scaled(last.get(one.part, 0)),
            tokens=scaled(one.tokens),
            share=round(one.cost_nano_usd / most * 100, 1),
            cost=money(one.cost_nano_usd, "exact"),
        )
        for one in sorted(shown, key=lambda one: -one.cost_nano_usd)
    ]


def _break_row(one: PricedCacheBreak, own: str) -> _BreakRow:
    found = one.found
    cause = describe_cause(found.cause)
    if found.pause_ms is not None and found.cause.startswith("pause_"):
        cause += f": {duration(found.pause_ms)}"
    words = {"api": "stated by the API", "inferred": "inferred", "": _circumstances(found)}
    return _BreakRow(
        turn=str(found.turn or "-"),
        url=f"{own}#{anchor('m', found.message_id)}",
        cause=cause,
        source=words[found.source],
        model=display_name(found.model),
        tokens=scaled(found.tokens),
        cost=money(one.cost_nano_usd, "exact"),
    )


def _circumstances(found: CacheBreak) -> str:
    """Say what is known of a break whose cause is not."""
    if found.pause_ms is None:
        return "same model"
    return f"same model, {duration(found.pause_ms)} after the request before"


def _item_row(item: ContextItem, page: ContextPage, own: str) -> _ItemRow:
    call = item.tool_call_id
    place = anchor("m", item.message_id) if call is None else anchor("c", call)
    return _ItemRow(
        name=item.label or "(no text)",
        url=f"{own}#{place}",
        turn=str(item.turn or "-"),
        part=page.names.get(item.part, item.part),
        note="read again later" if item.read_again else "",
        tokens=scaled(item.tokens),
        requests=item.requests,
        cost=money(item.cost_nano_usd, "exact"),
    )


def _compaction_row(loss: CompactionLoss, own: str) -> _CompactionRow:
    sizes = [scaled(size) for size in (loss.tokens_before, loss.tokens_after) if size]
    return _CompactionRow(
        loss,
        f"{own}#{anchor('m', loss.message_id)}",
        " → ".join(sizes) + (" tokens" if sizes else ""),
        [
            (f"{own}#{anchor('m', one.message_id)}", " ".join(one.text.split())[:_LONGEST_LINE])
            for one in loss.lost_prompts
        ],
    )


def describe_run(name: str, requests: int) -> str:
    """Return what to call a run in the list of runs."""
    return f"{name} ({plural(requests, 'request')})"
