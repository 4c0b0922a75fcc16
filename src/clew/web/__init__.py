"""requests → pages and JSON, over one archive.

`make_app` makes the application and `run` serves it, both as `Settings` say. Each name is imported
when it is first used, since the follower runs without the application.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clew.web.app import make_app
    from clew.web.server import PortTakenError, Server, make_server, open_socket, run
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
]

if not TYPE_CHECKING:  # so that a type checker still finds names that do not exist

    def __getattr__(name: str) -> object:
        """Import a name of the interface when it is first used."""
        for module in ("settings", "server", "app"):
            if name in __all__:
                found = getattr(import_module(f"clew.web.{module}"), name, None)
                if found is not None:
                    return found
        raise AttributeError(f"module 'clew.web' has no attribute {name!r}")
