"""Read, rebuild, keep, search and show Claude Code transcripts.

    import clew

    for entry in clew.read("session.jsonl"):
        print(entry.line.number, entry.body.type)

    conversation = clew.load("latest")
    print(conversation.session.title, len(conversation.messages))

    with clew.open_archive() as archive:
        archive.sync()
        for session in archive.sessions(clew.Filters(project="app", since="2026-11-01")):
            print(session.ended_at, session.title, session.cost_usd)

        print(archive.search("retry bug").total)

What can go wrong is in `clew.errors`: all are `ClewError`. Importing the package is cheap: each
name is imported when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clew.api import Archive, Filters, Order, load, open_archive, read, to_dicts

    __version__: str

__all__ = [
    "Archive",
    "Filters",
    "Order",
    "__version__",
    "load",
    "open_archive",
    "read",
    "to_dicts",
]

if not TYPE_CHECKING:  # so that a type checker still finds names that do not exist

    def __getattr__(name: str) -> object:
        """Import a name of the interface when it is first used."""
        if name == "__version__":
            return import_module("importlib.metadata").version("clew")
        if name in __all__:
            return getattr(import_module("clew.api"), name)
        raise AttributeError(f"module 'clew' has no attribute {name!r}")

    def __dir__() -> list[str]:
        """List the interface, for those who look what there is before they use it."""
        return [*__all__]
