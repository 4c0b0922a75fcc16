"""A claim is a lease: whoever works for longer renews it now and then."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from clew.errors import ClewError
from clew.store.location import translate_errors
from clew.store.postgres.team import TeamDatabase, open_team
from clew.store.postgres_location import PostgresLocation


@contextmanager
def renewing(
    location: PostgresLocation, lease: float, renew: Callable[[TeamDatabase], object]
) -> Iterator[None]:
    """Renew a claim until the end of the block, however long that takes."""
    done = threading.Event()

    def keep_renewing() -> None:
        while not done.wait(lease / 3):
            # Without a database nothing can be finished either.
            with suppress(ClewError), translate_errors(location), open_team(location) as team:
                renew(team)

    thread = threading.Thread(target=keep_renewing, name="renew-claim", daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
