"""requests → pages and JSON, over one archive.

`make_app` makes the application and `run` serves it, both as `Settings` say. Each name is imported
when it is first used: the follower runs without the application, and starts before it is imported.
"""

from typing import TYPE_CHECKING

from clew.lazy import import_lazily

if TYPE_CHECKING:
    from clew.web.app import make_app
    from clew.web.follower_process import start_follower
    from clew.web.listener import PortTakenError, open_socket
    from clew.web.server import Server, make_server, run
    from clew.web.settings import (
        CacheLimits,
        ExposedError,
        Settings,
        is_any,
        is_loopback,
        require_safe,
    )

__all__ = [
    "CacheLimits",
    "ExposedError",
    "PortTakenError",
    "Server",
    "Settings",
    "is_any",
    "is_loopback",
    "make_app",
    "make_server",
    "open_socket",
    "require_safe",
    "run",
    "start_follower",
]

import_lazily(__name__)
