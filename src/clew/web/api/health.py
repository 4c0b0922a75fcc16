"""Health: whether there is something to show, and what is wrong."""

from importlib.metadata import version

from litestar import get

from clew.web.answers import Asked
from clew.web.api.shapes import Health
from clew.web.state import live_of, shelf_of


@get("/api/health", sync_to_thread=True, tags=["health"], operation_id="health")
def health(request: Asked) -> Health:
    """Tell how the app is."""
    shelf, live = shelf_of(request), live_of(request)
    return Health(
        status="troubled" if live.trouble else "ok",
        version=version("clew"),
        archive_version=shelf.version(),
        sessions=len(shelf.catalogue().sessions),
        is_followed=shelf.settings.is_followed,
        trouble=live.trouble,
    )
