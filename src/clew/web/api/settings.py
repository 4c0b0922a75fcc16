"""Settings: how clew is set up, without passwords and tokens."""

import msgspec
from litestar import Response

from clew.web.api.routes import json_route
from clew.web.responses import AppRequest, respond_uncached
from clew.web.setting_facts import SettingsReport, report_settings
from clew.web.state import account_of, cache_of, live_of


@json_route("/api/settings", "settings", "settings", SettingsReport, "Facts about the set-up")
def settings(request: AppRequest) -> Response[bytes]:
    """Get what clew reads, archives, counts and sends, and what changes it."""
    found = report_settings(cache_of(request), live_of(request), account_of(request))
    return respond_uncached(request, msgspec.json.encode(found))
