"""Permissions: who decided about tool calls, and what people are asked about."""

from collections.abc import Iterator, Sequence
from typing import Final

from litestar import Response, get

from clew.figures import duration, plural
from clew.insight import (
    ANSWERS,
    DECIDERS,
    AskedAbout,
    CallRef,
    PermissionReport,
    Refusal,
    WaitSum,
    report_permissions,
)
from clew.render.site import APP, PermissionsPage, render_permissions
from clew.render.site.permissions import AskedRow, DecidedRow, DecisionRow, RefusedRow
from clew.render.site.report_form import make_report_form
from clew.store import DecisionCount
from clew.web.page_response import archiving_of, respond_empty, respond_page, shell, version_while
from clew.web.params import TheFilters
from clew.web.responses import AppRequest, filter_params
from clew.web.state import account_of, cache_of

_MOST: Final = 50
_SIGNS: Final = {"at_most": "≤ ", "inferred": "~"}


@get("/permissions", sync_to_thread=True, include_in_schema=False)
def permissions_page(request: AppRequest, filters: TheFilters) -> Response[bytes]:
    """Show decisions about tool calls."""
    cache = cache_of(request)
    if cache.is_empty:
        return respond_empty(request)
    given = filter_params(request)
    archiving = archiving_of(request)

    def make() -> str:
        report = report_permissions(cache.archive, filters)
        cache.note_listed(ref.session_id for ref in _refs(report))
        page = _page(report, given)
        return render_permissions(page, shell(archiving, account_of(request)))

    version = version_while(cache.listed_version(), archiving)
    return respond_page(request, cache, version, make, allow_stale=True)


def _refs(report: PermissionReport) -> Iterator[CallRef]:
    for asked in report.patterns[:_MOST]:
        yield from asked.examples
    for refused in report.refusals[:_MOST]:
        yield from refused.examples


def _page(report: PermissionReport, given: Sequence[tuple[str, str]]) -> PermissionsPage:
    projects = report.projects if len(report.projects) > 1 else ()
    return PermissionsPage(
        form=make_report_form(APP.permissions, given),
        numbers=list(_numbers(report)),
        patterns=[_asked(each, each.tool, _line(each.subject)) for each in report.patterns[:_MOST]],
        tools=[
            _asked(each, each.tool, url=_sessions(given, tool=each.tool))
            for each in report.tools[:_MOST]
        ],
        projects=[
            _asked(each, each.project, url=_sessions(given, project=each.project))
            for each in projects[:_MOST]
        ],
        refusals=[_refused(each) for each in report.refusals[:_MOST]],
        decisions=[
            DecisionRow(
                DECIDERS.get(each.decided_by, each.decided_by),
                ANSWERS.get(each.answer, each.answer),
                each.calls,
                _decision_place(report, each),
            )
            for each in report.decisions
        ],
        rules=report.candidate_rules,
        notes=list(_notes(report)),
    )


def _numbers(report: PermissionReport) -> Iterator[tuple[str, str, str, str]]:
    asked = "#asked-about" if report.patterns else ""
    refused = "#refused" if report.refusals else ""
    least = "≥ " if report.unrecorded_calls else ""
    yield (
        "Asked",
        f"{least}{report.asked:,}",
        "How often a person was asked for a permission",
        asked,
    )
    accepted = f"{least}{report.accepted:,}" if report.recorded_calls else ""
    yield "Accepted", accepted, "" if report.recorded_calls else "Not recorded", asked
    yield "Refused", f"{report.refused:,}", "", refused
    yield "Median wait", _median(report.waiting), "Half of the answers took no longer", asked
    yield "Waited for permissions", _sum(report.waiting), "", asked
    yield "Waited for answers", _sum(report.questions), "Questions and plans", ""


def _notes(report: PermissionReport) -> Iterator[str]:
    if report.unrecorded_calls:
        yield (
            f"Who let {report.unrecorded_calls:,} of {plural(report.calls, 'call')} run is not "
            "recorded: versions of Claude Code before 2.1.325 record refusals only."
        )
    if report.inferred.calls:
        yield (
            f"{plural(report.inferred.calls, 'call')} of these probably waited for a person, "
            f"{_sum(report.inferred)} in total."
        )


def _sessions(given: Sequence[tuple[str, str]], **filters: str) -> str:
    """Return the address of the sessions behind a row, with the filters of the page."""
    return APP.filtered_sessions(**{**dict(given), **filters})


def _decision_place(report: PermissionReport, decision: DecisionCount) -> str:
    """Return the table that says what was decided about, if there is one."""
    if not decision.answer.startswith("accepted"):
        return "#refused" if report.refusals else ""
    return "#asked-about" if decision.decided_by == "person" and report.patterns else ""


def _asked(each: AskedAbout, what: str, detail: str = "", url: str = "") -> AskedRow:
    return AskedRow(
        what=what,
        detail=detail,
        url=url,
        examples=_calls(each.examples),
        asked=each.asked,
        accepted=each.accepted,
        refused=each.refused,
        sessions=each.sessions,
        median=_median(each.waiting),
        waited=_sum(each.waiting),
    )


def _refused(each: Refusal) -> RefusedRow:
    return RefusedRow(
        by=DECIDERS.get(each.decided_by, each.decided_by),
        what=each.tool,
        detail=_line(each.subject),
        examples=_calls(each.examples),
        calls=each.calls,
        remarks=each.remarks,
        sessions=each.sessions,
    )


def _calls(refs: Sequence[CallRef]) -> Sequence[DecidedRow]:
    return [DecidedRow(APP.call(ref.session_id, ref.call_id), ref.label, ref.at) for ref in refs]


def _line(subject: str) -> str:
    return ", ".join(subject.split("\n"))


def _sum(waiting: WaitSum) -> str:
    sign = _SIGNS.get(waiting.quality, "")
    return f"{sign}{duration(waiting.total_ms)}" if waiting.calls else ""


def _median(waiting: WaitSum) -> str:
    sign = _SIGNS.get(waiting.quality, "")
    return "" if waiting.median_ms is None else f"{sign}{duration(waiting.median_ms)}"
