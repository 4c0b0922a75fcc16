"""One process of a laptop at a time pushes or pulls."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from clew.push.push_errors import PushBusyError
from clew.push.push_files import PushFiles
from clew.store import ArchiveBusyError
from clew.store.lock import writer_lock


@contextmanager
def working_alone(files: PushFiles) -> Iterator[None]:
    """Keep other processes from pushing and pulling.

    Raises:
        PushBusyError: One of them does.
    """
    with ExitStack() as stack:
        try:
            stack.enter_context(writer_lock(files.lock))
        except ArchiveBusyError as error:
            raise PushBusyError from error
        yield
