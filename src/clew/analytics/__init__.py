"""conversation → facts.

What can be counted in a conversation, and what it costs.
"""

from typing import TYPE_CHECKING

from clew.lazy import import_lazily

if TYPE_CHECKING:
    from clew.analytics.cache_breaks import (
        CAUSES,
        CacheBreak,
        context_tokens,
        cost_of_break,
        describe_cause,
        find_cache_breaks,
    )
    from clew.analytics.cache_report import (
        CACHE_SCHEMA,
        BreakRow,
        CacheReport,
        CountedBreak,
        summarise_breaks,
    )
    from clew.analytics.compactions import CompactionLoss, LostPrompt, find_compaction_losses
    from clew.analytics.compare import Comparison, Counts, ModelComparison, Reason
    from clew.analytics.context_parts import (
        NEAR_LIMIT,
        PARTS,
        ContextItem,
        ContextSample,
        PartCost,
        stated_windows,
        window_of,
    )
    from clew.analytics.costs import Bill, Bills, add_bills, bill_all, bill_call, bill_messages
    from clew.analytics.drilldown import (
        ANY,
        CALL_GROUPS,
        TOOL_GROUPS,
        UsageGroup,
        read_group,
        sessions_in_groups,
    )
    from clew.analytics.explain import ExplainedCall, Explanation, Step, explain
    from clew.analytics.facts import (
        FileTouch,
        MissingTranscript,
        ModelCall,
        file_touches,
        missing_transcripts,
        model_calls,
        session_touches,
    )
    from clew.analytics.filters import (
        ALL_FILTERS,
        FILTERS,
        TEAM_FILTERS,
        Filter,
        FilterSet,
        FilterValues,
        ReadContext,
        Thing,
        accepts_calls,
        find_filter,
        given_filters,
        narrows_calls,
        read_filter,
    )
    from clew.analytics.git_reports import (
        COMMIT,
        PULL_REQUEST,
        GitReport,
        call_reports,
        git_reports,
    )
    from clew.analytics.groups import (
        GROUPS,
        WEEKDAYS,
        WORK_GROUPS,
        bucket_letters,
        hours_of,
    )
    from clew.analytics.models import (
        SYNTHETIC,
        display_name,
        is_synthetic,
        normalise,
        region_of,
    )
    from clew.analytics.overview import DayCost, HourCount, UsageOverview, make_overview
    from clew.analytics.patterns import matches_path, matches_project, select_paths
    from clew.analytics.pricer import Pricer, tokens_of
    from clew.analytics.prices import (
        Band,
        Cost,
        CostLine,
        Multipliers,
        Price,
        PriceNote,
        PriceTable,
        Rates,
        Tokens,
        cost_at,
        cost_of,
        digest,
        price_on,
        price_table,
    )
    from clew.analytics.recounts import Recounts
    from clew.analytics.request_heads import RequestHead, request_heads
    from clew.analytics.scan import Scan, ScanOptions, scan, scan_files
    from clew.analytics.sums import HOUR, CallSum, SessionLabel, WorkCall, missing_sum
    from clew.analytics.titles import label_sessions
    from clew.analytics.usage import (
        SORTS,
        UsageReport,
        UsageRow,
        counts_whole_sessions,
        sort_rows,
        summarise,
    )
    from clew.analytics.work_groups import WorkReports, assign_calls
    from clew.analytics.worktrees import Checkout, find_checkout, name_repositories

__all__ = [
    "ALL_FILTERS",
    "ANY",
    "CACHE_SCHEMA",
    "CALL_GROUPS",
    "CAUSES",
    "COMMIT",
    "FILTERS",
    "GROUPS",
    "HOUR",
    "NEAR_LIMIT",
    "PARTS",
    "PULL_REQUEST",
    "SORTS",
    "SYNTHETIC",
    "TEAM_FILTERS",
    "TOOL_GROUPS",
    "WEEKDAYS",
    "WORK_GROUPS",
    "Band",
    "Bill",
    "Bills",
    "BreakRow",
    "CacheBreak",
    "CacheReport",
    "CallSum",
    "Checkout",
    "CompactionLoss",
    "Comparison",
    "ContextItem",
    "ContextSample",
    "Cost",
    "CostLine",
    "CountedBreak",
    "Counts",
    "DayCost",
    "ExplainedCall",
    "Explanation",
    "FileTouch",
    "Filter",
    "FilterSet",
    "FilterValues",
    "GitReport",
    "HourCount",
    "LostPrompt",
    "MissingTranscript",
    "ModelCall",
    "ModelComparison",
    "Multipliers",
    "PartCost",
    "Price",
    "PriceNote",
    "PriceTable",
    "Pricer",
    "Rates",
    "ReadContext",
    "Reason",
    "Recounts",
    "RequestHead",
    "Scan",
    "ScanOptions",
    "SessionLabel",
    "Step",
    "Thing",
    "Tokens",
    "UsageGroup",
    "UsageOverview",
    "UsageReport",
    "UsageRow",
    "WorkCall",
    "WorkReports",
    "accepts_calls",
    "add_bills",
    "assign_calls",
    "bill_all",
    "bill_call",
    "bill_messages",
    "bucket_letters",
    "call_reports",
    "context_tokens",
    "cost_at",
    "cost_of",
    "cost_of_break",
    "counts_whole_sessions",
    "describe_cause",
    "digest",
    "display_name",
    "explain",
    "file_touches",
    "find_cache_breaks",
    "find_checkout",
    "find_compaction_losses",
    "find_filter",
    "git_reports",
    "given_filters",
    "hours_of",
    "is_synthetic",
    "label_sessions",
    "make_overview",
    "matches_path",
    "matches_project",
    "missing_sum",
    "missing_transcripts",
    "model_calls",
    "name_repositories",
    "narrows_calls",
    "normalise",
    "price_on",
    "price_table",
    "read_filter",
    "read_group",
    "region_of",
    "request_heads",
    "scan",
    "scan_files",
    "select_paths",
    "session_touches",
    "sessions_in_groups",
    "sort_rows",
    "stated_windows",
    "summarise",
    "summarise_breaks",
    "tokens_of",
    "window_of",
]

import_lazily(__name__)
