"""A server process with small caches: `python -m tests.web.limited_server ARCHIVE BYTES`."""

import sys
from pathlib import Path

from clew.store import Home
from clew.web import CacheLimits, Settings, make_server, open_socket, run


def main(home: Path, limit: int) -> None:
    """Serve an archive, with caches of so many bytes each; print the address when it is ready."""
    limits = CacheLimits(sessions=limit, responses=limit, shapes=limit, long_session=limit)
    settings = Settings(port=0, location=Home(home), is_followed=False, cache=limits)
    listener = open_socket(settings, any_port=False)
    address = f"http://127.0.0.1:{listener.getsockname()[1]}"
    run(make_server(settings, lambda: print(address, flush=True)), listener)  # noqa: T201


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
