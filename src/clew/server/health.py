"""Whether the server runs, and whether it can answer requests; open to everybody."""

from importlib.metadata import version
from typing import Any

import msgspec
from litestar import Request, Response, get

from clew.server.requests import team_of


class ServerHealth(msgspec.Struct, frozen=True):
    """The server runs."""

    status: str
    version: str


@get("/health", sync_to_thread=False, tags=["health"], operation_id="server_health")
def server_health() -> ServerHealth:
    """Get whether the server runs."""
    return ServerHealth("ok", version("clew"))


@get("/ready", sync_to_thread=True, tags=["health"], operation_id="server_ready")
def server_ready(request: Request[Any, Any, Any]) -> Response[ServerHealth]:
    """Get whether the server can answer requests: 503 while its database cannot be reached."""
    with team_of(request) as team:
        team.rows("server_now")
    return Response(ServerHealth("ready", version("clew")))


HANDLERS = [server_health, server_ready]
