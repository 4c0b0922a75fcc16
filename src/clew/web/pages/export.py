"""Export of sessions or a search as one file: what is in it first, then the file."""

from collections.abc import Iterator
from typing import Annotated, Final
from urllib.parse import urlencode

import msgspec
from litestar import Response, get
from litestar.params import QueryParameter
from litestar.response import Stream

from clew.errors import ClewError
from clew.export import MaskedPlace, ShareReport
from clew.render.formatting import UNTITLED
from clew.render.site import APP, ExportPage, render_export, render_export_report
from clew.render.site.export import ExportedSession, ExportFindings, FoundKind, FoundPlace
from clew.render.site.session_bar import SessionBar, make_session_bar
from clew.view import Detail
from clew.web.cache import EXPORT, ArchiveCache
from clew.web.exports import (
    PROVIDED_EXPORT,
    ExportContents,
    ExportParam,
    ExportRequest,
    contents_of,
    make_share,
    run_through,
)
from clew.web.page_response import HTML, draw_for, with_bar
from clew.web.responses import AppRequest, respond_uncached

_INLINE_BYTES: Final = 2_000_000
_NOW: Final = "now"
_SHORT_ID: Final = 8
_LONGEST_TITLE: Final = 200
_LINES: Final = "application/x-ndjson"
_TYPES: Final = {
    "html": "text/html",
    "md": "text/markdown",
    "json": "application/json",
    "zip": "application/zip",
}
When = Annotated[str, QueryParameter(max_length=10)]


@get("/export", sync_to_thread=True, include_in_schema=False, dependencies=PROVIDED_EXPORT)
def export_page(request: AppRequest, wanted: ExportParam, report: When = "") -> Response[bytes]:
    """Show what would be exported, and what redaction finds in it."""
    cache, contents = contents_of(request, wanted)
    findings = None
    if report == _NOW or contents.size_bytes <= _INLINE_BYTES:
        share = make_share(cache, wanted, contents, is_reporting=True)
        for _ in run_through(share):
            continue
        findings = _findings(share.report(), wanted)
    page = _page(wanted, contents, findings)
    drawn = render_export(page, with_bar(request, _bar(cache, page, contents)))
    return respond_uncached(request, draw_for(request, drawn), HTML)


@get("/export/report", sync_to_thread=True, include_in_schema=False, dependencies=PROVIDED_EXPORT)
def export_report(request: AppRequest, wanted: ExportParam) -> Stream:
    """Search for secrets step by step: lines of JSON say how far it is, the last has the report."""
    cache, contents = contents_of(request, wanted)
    share = make_share(cache, wanted, contents, is_reporting=True)

    def lines() -> Iterator[bytes]:
        try:
            for done, total in run_through(share):
                yield _line({"done": done, "total": total})
            findings = _findings(share.report(), wanted)
            yield _line({"html": str(render_export_report(findings, APP))})
        except ClewError as error:
            # The response has begun: a status cannot say it any more.
            yield _line({"error": str(error)})

    return Stream(lines(), media_type=_LINES)


@get("/export/file", sync_to_thread=True, include_in_schema=False, dependencies=PROVIDED_EXPORT)
def export_file(request: AppRequest, wanted: ExportParam) -> Stream:
    """Download the file, as it is being written."""
    cache, contents = contents_of(request, wanted)
    for session in contents.sessions:
        cache.session_version(session.id)
        cache.note(session.id, EXPORT)
    share = make_share(cache, wanted, contents)
    return Stream(
        (piece for piece in share.write() if piece),
        media_type=_TYPES[share.name.rpartition(".")[2]],
        headers={"content-disposition": f'attachment; filename="{share.name}"'},
    )


def _line(value: object) -> bytes:
    return msgspec.json.encode(value) + b"\n"


def _page(
    wanted: ExportRequest, contents: ExportContents, findings: ExportFindings | None
) -> ExportPage:
    options, address = wanted.options, wanted.address()
    report = "" if findings else f"{APP.export}/report"
    return ExportPage(
        sessions=len(contents.sessions),
        title=_title(wanted, contents, findings),
        params=wanted.params,
        form=options.form,
        detail=options.detail.label,
        details=[detail.label for detail in Detail],
        is_redacted=options.is_redacted,
        turns=options.turns.label if options.turns else "",
        query=wanted.query,
        contents=wanted.contents,
        note=contents.note,
        report_url=f"{report}?{urlencode(address)}" if report else "",
        now_url=APP.export_of(wanted.address(report=_NOW)),
        findings=findings,
    )


def _title(wanted: ExportRequest, contents: ExportContents, findings: ExportFindings | None) -> str:
    """Return the title of the one session; its id while it is not known what to mask in it."""
    if wanted.query or len(contents.sessions) != 1:
        return ""
    session = contents.sessions[0]
    if findings is not None:
        return findings.sessions[0].title or UNTITLED
    if wanted.options.is_redacted:
        return f"session {session.id[:_SHORT_ID]}"
    return session.title or session.first_prompt[:_LONGEST_TITLE] or UNTITLED


def _bar(cache: ArchiveCache, page: ExportPage, contents: ExportContents) -> SessionBar | None:
    """Make the line of the one session, with the title that the page itself shows."""
    if not page.title:
        return None
    session = contents.sessions[0]
    project = page.findings.sessions[0].project if page.findings else session.project
    return make_session_bar(cache.urls, session.id, page.title, project, "export")


def _findings(report: ShareReport, wanted: ExportRequest) -> ExportFindings:
    titles = {item.session_id: item.title for item in report.sessions}
    names = titles if len(titles) > 1 else {}
    return ExportFindings(
        name=report.name,
        size_bytes=report.size_bytes,
        save_url=f"{APP.export}/file?{urlencode(wanted.address())}",
        is_redacted=report.is_redacted,
        masked=report.masked,
        sessions=[
            ExportedSession(
                session_id=item.session_id,
                title=item.title,
                project=item.project,
                started_at=item.started_at,
                messages=item.messages,
                size_bytes=item.transcript_bytes,
            )
            for item in report.sessions
        ],
        images=report.images,
        kinds=[
            FoundKind(
                rule=kind.rule,
                count=kind.count,
                distinct=kind.distinct,
                places=[_place(place, names.get(place.session_id, "")) for place in kind.places],
                more_places=kind.more_places,
            )
            for kind in report.kinds
        ],
    )


def _place(place: MaskedPlace, session: str) -> FoundPlace:
    own = APP.session(place.session_id)
    return FoundPlace(
        url=f"{own}#{place.anchor}" if place.anchor else own,
        where=place.where,
        text=place.text,
        turn=place.turn,
        at=place.at,
        session=session,
    )
