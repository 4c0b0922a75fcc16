"""The pages of the web app."""

from clew.web.pages.archived_files import archived_files_page
from clew.web.pages.assets import served_asset
from clew.web.pages.files import file_history, file_list
from clew.web.pages.login import log_in, login_page
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
from clew.web.pages.timeline import timeline_page
from clew.web.pages.usage import usage_page

__all__ = ["ARCHIVE_PAGES", "PAGES"]

ARCHIVE_PAGES = (
    session_list,
    session_page,
    section_part,
    frame_part,
    find_part,
    lines_part,
    archived_files_page,
    run_page,
    exported,
    timeline_page,
    search_page,
    usage_page,
    file_list,
    file_history,
)
"""The pages about sessions."""
PAGES = (*ARCHIVE_PAGES, served_asset, login_page, log_in)
