"""A real team server in a thread of this process, and clients that ask it."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import msgspec

from clew.server.run import make_team_server, run_team_server
from clew.server.settings import TeamSettings
from clew.web import Settings, open_socket

# Far longer than anything takes, however busy the machine is.
PATIENCE = 60


@contextmanager
def serving_team(settings: TeamSettings, port: int = 0) -> Iterator[str]:
    """Serve on a free port, or on the one that is given; give the address."""
    listener = open_socket(Settings(port=port), any_port=False)
    port = listener.getsockname()[1]
    ready = threading.Event()
    server = make_team_server(msgspec.structs.replace(settings, port=port), ready.set)
    thread = threading.Thread(target=run_team_server, args=(server, listener), daemon=True)
    thread.start()
    try:
        assert ready.wait(PATIENCE)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(PATIENCE)
        assert not thread.is_alive()


def team_client(address: str, token: str = "") -> httpx.Client:
    """Give a client that asks one server, and no proxy; with a token it is a device."""
    headers = {"authorization": f"Bearer {token}"} if token else {}
    return httpx.Client(base_url=address, trust_env=False, timeout=PATIENCE, headers=headers)


def team_browser(address: str, token: str) -> httpx.Client:
    """Give a client that asks as a page of the server does, with the cookie of a browser."""
    client = team_client(address)
    client.headers["origin"] = address
    client.cookies.set("clew_session", token)
    return client
