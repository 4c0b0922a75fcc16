"""Lessons: what keeps going wrong, and a rule against it."""

from collections.abc import Iterator, Sequence
from typing import Final

from litestar import Response, get

from clew.figures import plural
from clew.insight import DECIDERS, Lesson, LessonReport, find_lessons
from clew.render.site import APP, LessonsPage, render_lessons
from clew.render.site.filter_chips import make_url
from clew.render.site.lessons import LessonCallRow, LessonCard
from clew.render.site.report_form import make_report_form
from clew.web.page_response import archiving_of, respond_empty, respond_page, shell, version_while
from clew.web.params import TheFilters
from clew.web.responses import AppRequest, filter_params
from clew.web.state import account_of, cache_of

_MOST: Final = 100
_MOST_CALLS: Final = 50


@get("/lessons", sync_to_thread=True, include_in_schema=False)
def lessons_page(request: AppRequest, filters: TheFilters) -> Response[bytes]:
    """Show what went wrong in several sessions."""
    cache = cache_of(request)
    if cache.is_empty:
        return respond_empty(request)
    given = filter_params(request)
    archiving = archiving_of(request)

    def make() -> str:
        report = find_lessons(cache.archive, filters)
        shown = (call for one in report.lessons[:_MOST] for call in one.examples[:_MOST_CALLS])
        cache.note_listed(call.session_id for call in shown)
        return render_lessons(_page(report, given), shell(archiving, account_of(request)))

    version = version_while(cache.listed_version(), archiving)
    return respond_page(request, cache, version, make, allow_stale=True)


def _page(report: LessonReport, given: Sequence[tuple[str, str]]) -> LessonsPage:
    covered = f"{report.covered_failures:,} of {report.failures:,}"
    refused = f"{report.covered_denials:,} of {report.denials:,}"
    return LessonsPage(
        form=make_report_form(APP.lessons, given),
        numbers=(
            ("Lessons", f"{len(report.lessons):,}", "", "#lesson-0" if report.lessons else ""),
            (
                "Failed calls covered",
                covered,
                "How many belong to a lesson",
                APP.search_results("is:error in:results", given),
            ),
            (
                "Refused calls covered",
                refused,
                "How many belong to a lesson",
                make_url(APP.permissions, given),
            ),
        ),
        lessons=[_card(number, one) for number, one in enumerate(report.lessons[:_MOST])],
        has_failures=bool(report.failures or report.denials),
    )


def _card(number: int, lesson: Lesson) -> LessonCard:
    by = DECIDERS.get(lesson.decided_by, lesson.decided_by)
    text = f"{lesson.text} by {by}" if lesson.kind == "denial" and by else lesson.text
    return LessonCard(
        id=f"lesson-{number}",
        what=f"{lesson.tool} {lesson.command}".strip(),
        text=text,
        rule=lesson.rule,
        is_denial=lesson.kind == "denial",
        figures=list(_figures(lesson, f"#lesson-{number}-calls")),
        projects=lesson.projects,
        calls=[
            LessonCallRow(
                url=APP.call(call.session_id, call.call_id),
                title=call.title,
                session_url=APP.session(call.session_id),
                label=call.label,
                error=call.error,
                at=call.at or "",
            )
            for call in lesson.examples[:_MOST_CALLS]
        ],
        more_calls=max(0, lesson.calls - _MOST_CALLS),
    )


def _figures(lesson: Lesson, calls: str) -> Iterator[tuple[str, str]]:
    """Yield what is counted: all of it is in the table of calls."""
    yield plural(lesson.sessions, "session"), calls
    yield plural(lesson.calls, "call"), calls
    is_one = len(lesson.projects) == 1
    own = APP.filtered_sessions(project=lesson.projects[0]) if is_one else calls
    yield plural(len(lesson.projects), "project"), own
    yield f"at most ${lesson.cost_usd:,.2f}", calls
    if lesson.loops:
        loops = f"{plural(lesson.loops, 'loop')}, the same call up to {lesson.longest_loop:,} times"
        yield loops, calls
