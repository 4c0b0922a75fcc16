"""requests → pages and JSON, over one archive.

`make_app` makes the application and `run` serves it, both as `Settings` say. Each name is imported
when it is first used: the follower runs without the application, and starts before it is imported.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clew.web.app import make_app
    from clew.web.follower_process import start_follower
    from clew.web.listener import PortTakenError, open_socket
    from clew.web.server import Server, make_server, run
    from clew.web.settings import ExposedError, Settings, is_any, require_safe

__all__ = [
    "ExposedError",
    "PortTakenError",
    "Server",
    "Settings",
    "is_any",
    "make_app",
    "make_server",
    "open_socket",
    "require_safe",
    "run",
    "start_follower",
]

if not TYPE_CHECKING:  # so that a type checker still finds names that do not exist

    def __getattr__(name: str) -> object:
        """Import a name of the interface when it is first used."""
        for module in ("settings", "listener", "follower_process", "server", "app"):
            if name in __all__:
                found = getattr(import_module(f"clew.web.{module}"), name, None)
                if found is not None:
                    return found
        raise AttributeError(f"module 'clew.web' has no attribute {name!r}")
