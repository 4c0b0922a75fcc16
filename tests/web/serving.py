"""A real server in a thread of this process, and a client that asks it."""

import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from clew.archive import open_archive
from clew.store import Home
from clew.web import Settings, make_server, open_socket, run

# Far longer than anything takes, however busy the machine is.
PATIENCE = 60


@contextmanager
def serving(settings: Settings, follower: subprocess.Popen[bytes] | None = None) -> Iterator[str]:
    """Serve on a free port; give the address."""
    ready = threading.Event()
    server = make_server(settings, ready.set, follower)
    listener = open_socket(settings, any_port=False)
    thread = threading.Thread(target=run, args=(server, listener), daemon=True)
    port = listener.getsockname()[1]
    thread.start()
    try:
        assert ready.wait(PATIENCE)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(PATIENCE)
        assert not thread.is_alive()


def settings_for(home: Path, root: Path, *, token: str = "", is_followed: bool = False) -> Settings:
    """Give settings for an archive in a folder, which is filled from a root."""
    with open_archive(home) as archive:
        archive.sync([root])
    return Settings(
        port=0, location=Home(home), roots=(root,), token=token, is_followed=is_followed
    )


def client_for(address: str) -> httpx.Client:
    """Give a client that asks one server, and no proxy."""
    return httpx.Client(base_url=address, trust_env=False, timeout=PATIENCE)
