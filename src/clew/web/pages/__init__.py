"""The pages of the web app."""

from clew.web.pages.agents import agents_page
from clew.web.pages.archived_files import archived_files_page
from clew.web.pages.assets import served_asset
from clew.web.pages.blame import file_blame
from clew.web.pages.changes import changes_page, changes_patch
from clew.web.pages.compare import compare_page
from clew.web.pages.context import context_page
from clew.web.pages.export import export_file, export_page, export_report
from clew.web.pages.files import file_history, file_list
from clew.web.pages.home import home_page, live_strip
from clew.web.pages.lessons import lessons_page
from clew.web.pages.login import log_in, login_page
from clew.web.pages.neighbours import next_session, previous_session
from clew.web.pages.permissions import permissions_page
from clew.web.pages.search import search_page
from clew.web.pages.session import (
    exported,
    find_part,
    frame_part,
    lines_part,
    run_page,
    section_part,
    session_page,
)
from clew.web.pages.sessions import session_list
from clew.web.pages.settings import settings_page
from clew.web.pages.timeline import timeline_page
from clew.web.pages.usage import usage_page

__all__ = ["ARCHIVE_PAGES", "PAGES"]

ARCHIVE_PAGES = (
    home_page,
    live_strip,
    session_list,
    session_page,
    section_part,
    frame_part,
    find_part,
    lines_part,
    archived_files_page,
    run_page,
    exported,
    previous_session,
    next_session,
    agents_page,
    timeline_page,
    context_page,
    changes_page,
    changes_patch,
    search_page,
    usage_page,
    file_list,
    file_history,
    permissions_page,
    lessons_page,
    compare_page,
    export_page,
    export_report,
    export_file,
    settings_page,
)
"""The pages about sessions."""
PAGES = (*ARCHIVE_PAGES, file_blame, served_asset, login_page, log_in)
