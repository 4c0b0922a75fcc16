"""lists, counts and hits → HTML: the pages about many sessions, for the web app and for a site."""

from clew.render.site.account import AccountLinks
from clew.render.site.agents import AgentsPage, render_agents, render_run_tree
from clew.render.site.archived_files import render_archived_files
from clew.render.site.archiving import ArchivingStatus
from clew.render.site.base import BasePage, asset_names, asset_text
from clew.render.site.blame import BlameGroup, BlamePage, render_blame, render_no_blame
from clew.render.site.compare import ComparePage, render_compare
from clew.render.site.context import (
    ContextPage,
    RequestView,
    SentMessageView,
    describe_run,
    render_context,
    view_messages,
)
from clew.render.site.context_chart import PricedCacheBreak
from clew.render.site.dossier import render_dossier
from clew.render.site.export import ExportPage, render_export, render_export_report
from clew.render.site.files import render_file, render_files
from clew.render.site.forms import (
    AccountDevice,
    AccountPage,
    FormField,
    FormPage,
    render_account,
    render_form,
)
from clew.render.site.hit_list import ListedHit, render_hit_list
from clew.render.site.home import HomePage, render_home
from clew.render.site.lessons import LessonsPage, render_lessons
from clew.render.site.live_strip import LiveRow, LiveStrip, render_live_strip
from clew.render.site.notice import render_login, render_notice
from clew.render.site.permissions import PermissionsPage, render_permissions
from clew.render.site.search import render_search, render_site_search
from clew.render.site.sessions import ListPage, render_rows, render_sessions
from clew.render.site.settings import SettingsPage, render_settings
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
    "AgentsPage",
    "ArchivingStatus",
    "BasePage",
    "BlameGroup",
    "BlamePage",
    "ComparePage",
    "ContextPage",
    "ExportPage",
    "FormField",
    "FormPage",
    "HomePage",
    "LessonsPage",
    "ListPage",
    "ListedHit",
    "LiveRow",
    "LiveStrip",
    "PermissionsPage",
    "PricedCacheBreak",
    "RequestView",
    "SentMessageView",
    "SettingsPage",
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
    "describe_run",
    "render_account",
    "render_agents",
    "render_archived_files",
    "render_blame",
    "render_compare",
    "render_context",
    "render_dossier",
    "render_export",
    "render_export_report",
    "render_file",
    "render_files",
    "render_form",
    "render_hit_list",
    "render_home",
    "render_lessons",
    "render_live_strip",
    "render_login",
    "render_no_blame",
    "render_notice",
    "render_permissions",
    "render_rows",
    "render_run_tree",
    "render_search",
    "render_sessions",
    "render_settings",
    "render_site_search",
    "render_team",
    "render_timeline",
    "render_usage",
    "view_messages",
]
