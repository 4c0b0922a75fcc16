"""Files: what was read and changed, by which sessions, and how one file came to be."""

from collections.abc import Iterable, Mapping, Sequence
from urllib.parse import urlencode

import msgspec

from clew.analytics import find_checkout, name_repositories
from clew.render.formatting import UNTITLED
from clew.render.site.base import BasePage
from clew.render.site.file_versions import VersionList
from clew.render.site.filter_chips import make_chips
from clew.render.site.templates import draw
from clew.render.site.urls import SiteUrls
from clew.store import FileOverview, FileUse


class FilesPage(msgspec.Struct, frozen=True, kw_only=True):
    """Files, the latest first; `given` are the filters in the address.

    `projects` are the folders of all projects, which tell the one that a file belongs to.
    """

    files: Sequence[FileOverview] = ()
    given: Sequence[tuple[str, str]] = ()
    path: str = ""
    sort: str = "when"
    more: str = ""
    projects: Iterable[str] = ()


class FileRow(msgspec.Struct, frozen=True, kw_only=True):
    """A file in the list: its name, its folder within its project, and the project's name."""

    file: FileOverview
    url: str
    sessions_url: str
    name: str
    folder: str
    project: str


class EditDiff(msgspec.Struct, frozen=True, kw_only=True):
    """One change of a file: when, in which session, and the markup of its diff."""

    session_id: str
    title: str
    at: str
    tool: str
    call_id: str
    url: str
    body: str
    added: int | None = None
    removed: int | None = None
    is_lower_bound: bool = False


class FilePage(msgspec.Struct, frozen=True, kw_only=True):
    """One file's history across sessions; only beside its repository, it has a blame."""

    path: str
    uses: Sequence[FileUse] = ()
    edits: Sequence[EditDiff] = ()
    left_out: int = 0
    has_blame: bool = False
    versions: VersionList | None = None


def render_files(page: FilesPage, base: BasePage) -> str:
    """Draw the list."""
    names = name_projects(page.projects)
    rows = [_row(file, base.urls, names) for file in page.files]
    params = [("path", page.path), ("sort", page.sort), *page.given]
    chips = make_chips(base.urls.files, params, ("path", "sort", "tz"))
    body = draw(
        "files.html",
        page=page,
        set_filters=chips,
        rows=rows,
        urls=base.urls,
        archiving=base.archiving,
    )
    return base.draw("Files", body, "files")


def name_projects(paths: Iterable[str]) -> dict[str, str]:
    """Name folders of projects, those of one name also by the folder that they are in."""
    known = {_slashed(path).rstrip("/"): find_checkout(path) for path in paths if path}
    repositories = name_repositories({one.repository for one in known.values()})
    names = {}
    for path, checkout in known.items():
        name = repositories[checkout.repository]
        names[path] = f"{name} / {checkout.worktree}" if checkout.worktree else name
    return names


def _row(file: FileOverview, urls: SiteUrls, projects: Mapping[str, str]) -> FileRow:
    folder, _, name = _slashed(file.path).rpartition("/")
    project, within = "", folder
    around = folder
    while around:
        if around in projects:
            project = projects[around]
            within = folder[len(around) + 1 :]
            break
        around = around.rpartition("/")[0]
    return FileRow(
        file=file,
        url=urls.file(file.path),
        sessions_url=_sessions_url(file.path, urls),
        name=name,
        folder=within,
        project=project,
    )


def _sessions_url(path: str, urls: SiteUrls) -> str:
    """Return where the sessions that used a file are listed; a query cannot quote a quote."""
    text = f'file:"{path}"'
    return f"{urls.sessions}?{urlencode({'text': text})}" if '"' not in path else urls.file(path)


def _slashed(path: str) -> str:
    return path.replace("\\", "/")


def render_file(page: FilePage, base: BasePage) -> str:
    """Draw a file's history."""
    uses = [(use, base.urls.session(use.session_id)) for use in page.uses]
    blame = base.urls.blame(page.path) if page.has_blame else ""
    body = draw("file.html", page=page, untitled=UNTITLED, uses=uses, urls=base.urls, blame=blame)
    return base.draw(page.path, body, "files", scripts=["changes.js"])
