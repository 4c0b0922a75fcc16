"""What filled a model's context, request by request, and what that cost."""

from typing import TYPE_CHECKING

from clew.lazy import import_lazily

if TYPE_CHECKING:
    from clew.insight.context.context_json import (
        CONTEXT_SCHEMA,
        context_json,
        part_names,
        request_json,
        shown_parts,
        stream_context,
        wanted_answers,
    )
    from clew.insight.context.report import ContextReport, PricedBreak, make_context, part_costs
    from clew.insight.context.request_text import message_text
    from clew.insight.context.requests import LoggedRequest, RebuiltRequest, RequestLog

__all__ = [
    "CONTEXT_SCHEMA",
    "ContextReport",
    "LoggedRequest",
    "PricedBreak",
    "RebuiltRequest",
    "RequestLog",
    "context_json",
    "make_context",
    "message_text",
    "part_costs",
    "part_names",
    "request_json",
    "shown_parts",
    "stream_context",
    "wanted_answers",
]

import_lazily(__name__)
