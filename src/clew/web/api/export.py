"""What an export as one file would contain, and what redaction finds in it."""

import msgspec
from litestar import Response, get

from clew.export import ShareReport
from clew.web.api.routes import documented
from clew.web.exports import (
    PROVIDED_EXPORT,
    ExportParam,
    contents_of,
    make_share,
    run_through,
)
from clew.web.responses import AppRequest, respond_uncached


@get(
    "/api/export",
    sync_to_thread=True,
    tags=["export"],
    operation_id="exportContents",
    responses=documented(ShareReport, "The file and what is masked in it"),
    dependencies=PROVIDED_EXPORT,
)
def export_contents(request: AppRequest, wanted: ExportParam) -> Response[bytes]:
    """Get what a file with these sessions would contain; `/export/file` has the file itself."""
    cache, contents = contents_of(request, wanted)
    share = make_share(cache, wanted, contents, is_reporting=True)
    for _ in run_through(share):
        continue
    return respond_uncached(request, msgspec.json.encode(share.report()))
