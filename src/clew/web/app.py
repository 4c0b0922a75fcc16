"""The application: its routes, its guard and its shared state."""

import asyncio
import subprocess
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from functools import partial
from typing import Final

from litestar import Litestar
from litestar.config.app import AppConfig
from litestar.datastructures import State
from litestar.di import Provide
from litestar.openapi import OpenAPIConfig
from litestar.openapi.plugins import JsonRenderPlugin

from clew.web.api import HANDLERS, LOCAL_HANDLERS
from clew.web.cache import ArchiveCache
from clew.web.errors import respond_error
from clew.web.guard import Guard
from clew.web.live import Live
from clew.web.pages import PAGES
from clew.web.params import PROVIDED
from clew.web.session_query import read_session_query
from clew.web.settings import Settings, require_safe
from clew.web.short_ids import complete_id

# Some wait for what another one makes. Each has its own database connection and page cache.
_THREADS: Final = 8
_IDLE_CHECK: Final = 10.0
_ABOUT = "Sessions, conversations, search and usage of a clew archive, and your own notes."


def make_app(settings: Settings, follower: subprocess.Popen[bytes] | None = None) -> Guard:
    """Make the application; the `follower` may be running already.

    Raises:
        ExposedError: Other machines could read everything without a token.
    """
    require_safe(settings)
    cache = ArchiveCache(settings)
    live = Live(settings, cache, follower)
    app = Litestar(
        route_handlers=[*HANDLERS, *LOCAL_HANDLERS, *PAGES],
        dependencies={
            **PROVIDED,
            "session_query": Provide(read_session_query, sync_to_thread=False),
        },
        state=State({"cache": cache, "live": live}),
        lifespan=[partial(_lifetime, cache=cache, live=live)],
        before_request=complete_id,
        exception_handlers={Exception: respond_error},
        openapi_config=OpenAPIConfig(
            title="clew",
            version="1",
            description=_ABOUT,
            path="/api/schema",
            # The others need a second of all requests' time, or scripts of another site.
            render_plugins=[JsonRenderPlugin()],
        ),
        on_app_init=[_disable_logging_config],
    )
    return Guard(app, settings, live)


@asynccontextmanager
async def _lifetime(_app: Litestar, cache: ArchiveCache, live: Live) -> AsyncIterator[None]:
    live.start()
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(_THREADS, "clew-request"))
    idle = asyncio.create_task(_drop_idle_sessions(cache))
    try:
        yield
    finally:
        idle.cancel()
        await live.stop()
        cache.close()


async def _drop_idle_sessions(cache: ArchiveCache) -> None:
    while True:
        await asyncio.sleep(_IDLE_CHECK)
        cache.drop_idle_sessions()


def _disable_logging_config(config: AppConfig) -> AppConfig:
    """Leave logging to the program that runs the app."""
    config.logging_config = None
    return config
