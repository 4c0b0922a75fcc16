"""The application: its routes, its guard, and what lives as long as it does."""

import asyncio
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

from clew.web.api import HANDLERS
from clew.web.asked import PROVIDED
from clew.web.catalogue import read_choice
from clew.web.errors import answer_error
from clew.web.guard import Guard
from clew.web.live import Live
from clew.web.pages import PAGES
from clew.web.settings import Settings, require_safe
from clew.web.shelf import Shelf

# Some of them wait for what another one makes. Each has a connection with pages of its own.
_THREADS: Final = 8
_ABOUT = "Sessions, conversations, search and usage of a clew archive, read-only."


def make_app(settings: Settings) -> Guard:
    """Give the application.

    Raises:
        ExposedError: It would listen beyond this machine without a token.
    """
    require_safe(settings)
    shelf = Shelf(settings)
    live = Live(settings, shelf)
    app = Litestar(
        route_handlers=[*HANDLERS, *PAGES],
        dependencies={**PROVIDED, "choice": Provide(read_choice, sync_to_thread=False)},
        state=State({"shelf": shelf, "live": live}),
        lifespan=[partial(_lifetime, shelf=shelf, live=live)],
        exception_handlers={Exception: answer_error},
        openapi_config=OpenAPIConfig(
            title="clew", version="1", description=_ABOUT, path="/api/schema"
        ),
        on_app_init=[_quiet],
    )
    return Guard(app, settings, live)


@asynccontextmanager
async def _lifetime(_app: Litestar, shelf: Shelf, live: Live) -> AsyncIterator[None]:
    live.start()
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(_THREADS, "clew-answer"))
    try:
        yield
    finally:
        await live.stop()
        shelf.close()


def _quiet(config: AppConfig) -> AppConfig:
    """Leave logging to whoever runs the app."""
    config.logging_config = None
    return config
