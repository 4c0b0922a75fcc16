"""lists, counts and hits → HTML: the pages about many sessions, for the web app and for a site."""

from clew.render.site.account import AccountLinks
from clew.render.site.archived_files import render_archived_files
from clew.render.site.archiving import ArchivingStatus
from clew.render.site.base import BasePage, asset_names, asset_text
from clew.render.site.files import render_file, render_files
from clew.render.site.forms import (
    AccountDevice,
    AccountPage,
    FormField,
    FormPage,
    render_account,
    render_form,
)
from clew.render.site.notice import render_login, render_notice
from clew.render.site.search import render_search, render_site_search
from clew.render.site.sessions import ListPage, render_rows, render_sessions
from clew.render.site.team import (
    TeamCell,
    TeamForm,
    TeamInput,
    TeamPage,
    TeamRow,
    TeamTable,
    render_team,
)
from clew.render.site.timeline import TimelinePage, render_timeline
from clew.render.site.urls import APP, SITE, SiteUrls
from clew.render.site.usage import UsagePage, render_usage

__all__ = [
    "APP",
    "SITE",
    "AccountDevice",
    "AccountLinks",
    "AccountPage",
    "ArchivingStatus",
    "BasePage",
    "FormField",
    "FormPage",
    "ListPage",
    "SiteUrls",
    "TeamCell",
    "TeamForm",
    "TeamInput",
    "TeamPage",
    "TeamRow",
    "TeamTable",
    "TimelinePage",
    "UsagePage",
    "asset_names",
    "asset_text",
    "render_account",
    "render_archived_files",
    "render_file",
    "render_files",
    "render_form",
    "render_login",
    "render_notice",
    "render_rows",
    "render_search",
    "render_sessions",
    "render_site_search",
    "render_team",
    "render_timeline",
    "render_usage",
]
