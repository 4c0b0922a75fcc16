"""A single session on a team server: deleted there, or let in again."""

from urllib.parse import quote

from clew.errors import NotFoundError
from clew.push.logins import Logins, ServerLogin
from clew.push.names import KeyedNames
from clew.push.push_errors import ServerRefusedError
from clew.push.push_files import PushFiles, names_key
from clew.push.team_client import FEW_TRIES, TeamClient

_UNKNOWN = "not_found"


class NotPushedError(NotFoundError):
    """A server has nothing of a session."""

    def __init__(self, server: str, session_id: str) -> None:
        super().__init__(f"{server} has no session {session_id} of yours")


def delete_pushed(files: PushFiles, login: ServerLogin, session_id: str) -> None:
    """Delete a session on the server, which refuses it from then on.

    Raises:
        NotPushedError: The server has nothing of it.
        ServerRefusedError: An administrator holds it.
    """
    _ask(files, login, session_id, "DELETE", "")


def revive_pushed(files: PushFiles, login: ServerLogin, session_id: str) -> None:
    """Let a session that was deleted on the server be pushed again.

    Raises:
        NotPushedError: The server knows nothing of it.
    """
    _ask(files, login, session_id, "POST", "/revive")


def _ask(files: PushFiles, login: ServerLogin, session_id: str, method: str, action: str) -> None:
    """Ask by all names of a session: below the tier of everything, it has another one."""
    hidden = KeyedNames(names_key(files, login.server)).hash_session(session_id)
    known = 0
    with TeamClient(login.server, Logins(files).token_of(login), most_tries=FEW_TRIES) as client:
        for name in (session_id, hidden):
            try:
                client.call(method, f"/push/sessions/{quote(name, safe='')}{action}")
                known += 1
            except ServerRefusedError as error:
                if error.code != _UNKNOWN:
                    raise
    if not known:
        raise NotPushedError(login.server, session_id)
