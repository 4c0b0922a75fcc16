"""The application of the team server: its parts behind one guard."""

from collections.abc import Sequence
from typing import Final

from litestar import Litestar
from litestar.config.app import AppConfig
from litestar.datastructures import State
from litestar.openapi import OpenAPIConfig
from litestar.openapi.plugins import JsonRenderPlugin

from clew.server import health, metrics
from clew.server.account_part import account_part
from clew.server.errors import respond_team_error
from clew.server.parts import AppPart
from clew.server.push_routes import push_part
from clew.server.settings import TeamSettings
from clew.server.team_guard import TeamGuard
from clew.server.viewer_part import viewer_part
from clew.web.pages.assets import served_asset

_ABOUT: Final = "Sessions of a team: push, read, search and count them."


def make_team_app(settings: TeamSettings) -> TeamGuard:
    """Make the application."""
    parts = team_parts(settings)
    counted = metrics.ServerMetrics(settings.location)
    app = Litestar(
        route_handlers=[handler for part in parts for handler in part.handlers],
        dependencies={name: one for part in parts for name, one in part.dependencies.items()},
        state=State(
            {
                "team_settings": settings,
                "metrics": counted,
                "readiness": health.Readiness(settings.location),
                **_merged_state(parts),
            }
        ),
        lifespan=[one for part in parts for one in part.lifespan],
        exception_handlers={
            Exception: respond_team_error,
            **{kind: handler for part in parts for kind, handler in part.errors.items()},
        },
        openapi_config=OpenAPIConfig(
            title="clew server",
            version="1",
            description=_ABOUT,
            path="/api/schema",
            # The others need a second of all requests' time, or scripts of another site.
            render_plugins=[JsonRenderPlugin()],
        ),
        on_app_init=[_disable_logging_config],
    )
    return TeamGuard(app, settings, counted.count, app.state.viewers.end_streams)


def team_parts(settings: TeamSettings) -> list[AppPart]:
    """Return the parts of the application, each made by the module that knows it."""
    common = [*health.HANDLERS, metrics.server_metrics, served_asset]
    return [
        AppPart(handlers=common),
        account_part(settings),
        push_part(settings),
        viewer_part(settings),
    ]


def _merged_state(parts: Sequence[AppPart]) -> dict[str, object]:
    return {name: value for part in parts for name, value in part.state.items()}


def _disable_logging_config(config: AppConfig) -> AppConfig:
    """Leave logging to the program that runs the app."""
    config.logging_config = None
    return config
