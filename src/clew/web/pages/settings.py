"""Settings: facts about how clew is set up, and the choices of a browser."""

from litestar import Response, get

from clew.render.site import SettingsPage, render_settings
from clew.render.site.settings import SettingRow, SettingSection
from clew.web.page_response import HTML, draw_for, shell
from clew.web.responses import AppRequest, respond_uncached
from clew.web.setting_facts import SettingFact, SettingsReport, report_settings
from clew.web.state import account_of, cache_of, live_of


@get("/settings", sync_to_thread=True, include_in_schema=False)
def settings_page(request: AppRequest) -> Response[bytes]:
    """Show the settings."""
    found = report_settings(cache_of(request), live_of(request), account_of(request))
    drawn = render_settings(_page(found), shell(None, account_of(request)))
    return respond_uncached(request, draw_for(request, drawn), HTML)


def _page(found: SettingsReport) -> SettingsPage:
    return SettingsPage(
        sections=[
            SettingSection(key=group.key, title=group.title, rows=list(map(_row, group.facts)))
            for group in found.groups
        ],
        expiring=[
            (one.session_id, one.title, one.project, one.deleted_at) for one in found.expiring
        ],
    )


def _row(fact: SettingFact) -> SettingRow:
    return SettingRow(
        label=fact.label,
        value=fact.value,
        exact="" if fact.number is None else f"{fact.number:,}",
        at=fact.at,
        note=fact.note,
        change=fact.change,
        is_problem=fact.is_problem,
    )
