"""Health: what the app can show, and what is wrong."""

from importlib.metadata import version

from litestar import get

from clew.web.api.schemas import Health
from clew.web.responses import AppRequest
from clew.web.state import cache_of, live_of


@get("/api/health", sync_to_thread=True, tags=["health"], operation_id="health")
def health(request: AppRequest) -> Health:
    """Get the state of the app."""
    cache, live = cache_of(request), live_of(request)
    return Health(
        status="troubled" if live.trouble else "ok",
        version=version("clew"),
        archive_version=cache.version(),
        sessions=len(cache.catalogue().sessions),
        is_followed=cache.settings.is_followed,
        trouble=live.trouble,
        is_synced=live.is_synced,
        archiving=live.archiving,
    )
