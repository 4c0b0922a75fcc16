"""`/metrics`: how the server is, in the format of Prometheus.

Numbers only: no content, and no names of members, sessions, projects or files. Requests are counted
by the template of their route.
"""

import hmac
import ipaddress
from collections.abc import Iterator
from typing import Any, Final

from litestar import Request, Response, get
from litestar.exceptions import NotAuthorizedException, PermissionDeniedException
from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.registry import Collector

from clew.server.requests import team_settings_of
from clew.store import PARSER_VERSION, translate_errors
from clew.store.postgres.team import open_team
from clew.store.postgres_location import PostgresLocation

METRICS: Final = "/metrics"
GAUGES: Final = {
    "sessions": "Sessions that can be read.",
    "received": "Sessions with bytes that are not parsed yet.",
    "due": "Sessions that wait for a worker.",
    "oldest_due_seconds": "How long the oldest of them has waited.",
    "working": "Sessions that a worker has claimed.",
    "lease_overruns": "Claims that are over: their workers have died or hang.",
    "failed": "Sessions that failed; `clew admin status` shows the reasons.",
    "outdated": "Sessions that an older parser has parsed.",
    "parse_overdue": "Sessions received more than ten minutes ago and not parsed yet.",
    "summarised": "Sessions with a digest of all that they have.",
    "digest_pending": "Parsed sessions that will get a digest.",
    "digest_overdue": "Parsed sessions that have been due for a digest for ten minutes.",
    "digest_working": "Sessions of which a model writes a digest.",
    "digest_skipped": "Parsed sessions without a digest: no text, no budget, or it failed.",
    "digest_failed": "Parsed sessions whose digest failed; `clew admin status` shows the reasons.",
    "digest_day_usd": "What digests cost in the last 24 hours, in dollars.",
    "deleted": "Sessions that were deleted.",
    "held": "Sessions under legal hold.",
    "content_bytes": "Content that was pushed, uncompressed.",
    "uncommitted_frames": "Frames that no file names yet.",
    "lost_frames": "Frames that clients must send again.",
    "doomed_objects": "Objects that are deleted after the quarantine.",
    "members": "Members who can log in.",
    "active_devices": "Devices that were seen in the last 24 hours.",
    "database_bytes": "Size of the database.",
}
_BUCKETS: Final = (0.005, 0.02, 0.05, 0.1, 0.3, 1, 3, 10, 30)
_OTHER: Final = "other"
_FORWARDED: Final = frozenset({"forwarded", "via", "x-forwarded-for", "x-forwarded-host"})


class ServerMetrics:
    """The requests of this process, and what the tables say when somebody asks."""

    def __init__(self, location: PostgresLocation) -> None:
        self.registry = CollectorRegistry()
        self._requests = Counter(
            "clew_requests",
            "Requests by route and status.",
            ["method", "route", "status"],
            registry=self.registry,
        )
        self._seconds = Histogram(
            "clew_request_seconds",
            "Time until a response was sent, by route.",
            ["method", "route"],
            buckets=_BUCKETS,
            registry=self.registry,
        )
        self.registry.register(_TableMetrics(location))

    def count(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request; what has no route is not told apart, whatever its path is."""
        self._requests.labels(method, route or _OTHER, str(status)).inc()
        self._seconds.labels(method, route or _OTHER).observe(seconds)


class _TableMetrics(Collector):
    """Gauges from the tables, read when they are asked for."""

    def __init__(self, location: PostgresLocation) -> None:
        self._location = location

    def describe(self) -> Iterator[GaugeMetricFamily]:
        """Name the gauges, without reading the tables."""
        for name, about in GAUGES.items():
            yield GaugeMetricFamily(f"clew_{name}", about)

    def collect(self) -> Iterator[GaugeMetricFamily]:  # type: ignore[explicit-override]
        """Read the tables."""
        with translate_errors(self._location), open_team(self._location) as team:
            found = team.record("team_metrics", {"parser": PARSER_VERSION}) or {}
        for name, about in GAUGES.items():
            yield GaugeMetricFamily(f"clew_{name}", about, float(found[name]))


@get(METRICS, sync_to_thread=True, include_in_schema=False)
def server_metrics(request: Request[Any, Any, Any]) -> Response[bytes]:
    """Get the metrics: with their token, or from the machine of the server if there is none."""
    _require_reader(request)
    metrics: ServerMetrics = request.app.state.metrics
    # The server adds the charset.
    media_type = CONTENT_TYPE_LATEST.partition("; charset")[0]
    return Response(generate_latest(metrics.registry), media_type=media_type)


def _require_reader(request: Request[Any, Any, Any]) -> None:
    token = team_settings_of(request).metrics_token
    shown = request.headers.get("authorization", "")
    if token and not hmac.compare_digest(shown.encode(), f"Bearer {token}".encode()):
        raise NotAuthorizedException("the metrics need their own token, CLEW_METRICS_TOKEN")
    if not token and not _is_local(request):
        raise PermissionDeniedException(
            "the metrics are for this machine only; set CLEW_METRICS_TOKEN on the server"
        )


def _is_local(request: Request[Any, Any, Any]) -> bool:
    """Return whether a request comes from this machine, and not through a proxy on it."""
    if _FORWARDED & set(request.headers):
        return False
    client = request.scope.get("client")
    try:
        return client is not None and ipaddress.ip_address(client[0]).is_loopback
    except ValueError:
        return False
