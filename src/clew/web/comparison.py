"""Two sessions compared, for the page and the API."""

from clew.insight import SessionComparison, SessionSide, compare_sides, read_side
from clew.web.cache import ArchiveCache
from clew.web.responses import AppRequest
from clew.web.state import session_named


def compare_in(cache: ArchiveCache, a: str, b: str) -> SessionComparison:
    """Compare two sessions; each is read on its own, so that only one is in memory."""
    return compare_sides(_side(cache, a), _side(cache, b))


def compared_of(request: AppRequest, a: str, b: str) -> tuple[ArchiveCache, str, str, str]:
    """Return the cache, the ids of two sessions that a request names, and the version of both.

    Raises:
        SessionNotFoundError: There is no session with one of these ids, or several.
    """
    cache, a, first = session_named(request, a)
    _, b, second = session_named(request, b)
    return cache, a, b, f"{first}-{second}"


def _side(cache: ArchiveCache, name: str) -> SessionSide:
    version = cache.session_version(name)
    return cache.with_session(name, version, lambda it: read_side(it.index.conversation))
