"""conversation → facts.

What can be counted in a conversation, and what it costs.
"""

from typing import TYPE_CHECKING

from clew.lazy import import_lazily

if TYPE_CHECKING:
    from clew.analytics.compare import Comparison, Counts, ModelComparison, Reason
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
        find_filter,
        given_filters,
        narrows_calls,
        read_filter,
    )
    from clew.analytics.groups import GROUPS, WEEKDAYS, bucket_letters, hours_of
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
    from clew.analytics.scan import Scan, ScanOptions, scan, scan_files
    from clew.analytics.sums import HOUR, CallSum, SessionLabel, missing_sum
    from clew.analytics.titles import label_sessions
    from clew.analytics.usage import SORTS, UsageReport, UsageRow, sort_rows, summarise

__all__ = [
    "ALL_FILTERS",
    "ANY",
    "CALL_GROUPS",
    "FILTERS",
    "GROUPS",
    "HOUR",
    "SORTS",
    "SYNTHETIC",
    "TEAM_FILTERS",
    "TOOL_GROUPS",
    "WEEKDAYS",
    "Band",
    "Bill",
    "Bills",
    "CallSum",
    "Comparison",
    "Cost",
    "CostLine",
    "Counts",
    "DayCost",
    "ExplainedCall",
    "Explanation",
    "FileTouch",
    "Filter",
    "FilterSet",
    "FilterValues",
    "HourCount",
    "MissingTranscript",
    "ModelCall",
    "ModelComparison",
    "Multipliers",
    "Price",
    "PriceNote",
    "PriceTable",
    "Pricer",
    "Rates",
    "ReadContext",
    "Reason",
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
    "add_bills",
    "bill_all",
    "bill_call",
    "bill_messages",
    "bucket_letters",
    "cost_at",
    "cost_of",
    "digest",
    "display_name",
    "explain",
    "file_touches",
    "find_filter",
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
    "narrows_calls",
    "normalise",
    "price_on",
    "price_table",
    "read_filter",
    "read_group",
    "region_of",
    "scan",
    "scan_files",
    "select_paths",
    "sessions_in_groups",
    "sort_rows",
    "summarise",
    "tokens_of",
]

import_lazily(__name__)
