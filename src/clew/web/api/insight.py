"""Reports: who decided about tool calls, what keeps going wrong, and two sessions compared."""

from typing import Annotated

from litestar import Response
from litestar.params import QueryParameter

from clew.insight import (
    LessonReport,
    PermissionReport,
    SessionComparison,
    find_lessons,
    report_permissions,
)
from clew.web.api.routes import json_route
from clew.web.comparison import compare_in, compared_of
from clew.web.params import TheFilters
from clew.web.responses import AppRequest, respond_json
from clew.web.state import cache_of

Name = Annotated[str, QueryParameter(min_length=1, max_length=200, description="A session's id.")]
Sessions = Annotated[
    int, QueryParameter(ge=1, le=1000, description="Minimum number of sessions of a lesson.")
]


@json_route("/api/permissions", "permissions", "reports", PermissionReport, "Decisions")
def permissions(request: AppRequest, filters: TheFilters) -> Response[bytes]:
    """Count who decided about tool calls, how long people took, and what they always accept."""
    cache = cache_of(request)

    def make() -> PermissionReport:
        report = report_permissions(cache.archive, filters)
        asked = (*report.tools, *report.patterns, *report.projects)
        cache.note_listed(
            ref.session_id for each in asked for ref in (each.last, *each.examples) if ref
        )
        cache.note_listed(ref.session_id for each in report.refusals for ref in each.examples)
        return report

    return respond_json(request, cache, cache.listed_version(), make)


@json_route("/api/lessons", "lessons", "reports", LessonReport, "Lessons")
def lessons(
    request: AppRequest, filters: TheFilters, min_sessions: Sessions = 3
) -> Response[bytes]:
    """Group failed and refused calls by what went wrong; costs are upper bounds."""
    cache = cache_of(request)

    def make() -> LessonReport:
        report = find_lessons(cache.archive, filters, min_sessions)
        cache.note_listed(call.session_id for one in report.lessons for call in one.examples)
        return report

    return respond_json(request, cache, cache.listed_version(), make)


@json_route("/api/compare", "compare", "reports", SessionComparison, "Two sessions")
def compare(request: AppRequest, a: Name, b: Name) -> Response[bytes]:
    """Compare two sessions: turns, calls, files, cost, time and outcome."""
    cache, a, b, version = compared_of(request, a, b)
    return respond_json(request, cache, version, lambda: compare_in(cache, a, b))
