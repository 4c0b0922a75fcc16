"""The servers that the user is logged in to, and their tokens."""

from typing import Any, Final

import msgspec

from clew.push.keyring_store import delete_keyring, read_keyring, write_keyring
from clew.push.push_errors import NotLoggedInError
from clew.push.push_files import PushFiles, UnreadablePushFileError, read_toml, write_private
from clew.push.server_url import normalise_server
from clew.push.toml_text import toml_lines, toml_text

_HEAD: Final = "# Team servers of this laptop; `clew login` and `clew logout` change this file.\n"


class ServerLogin(msgspec.Struct, frozen=True, kw_only=True):
    """A server that the user is logged in to; the keyring has the token if it is empty here."""

    server: str
    member: str = ""
    organisation: str = ""
    token: str = ""
    is_insecure: bool = False


class Logins:
    """The file of logins, and the keyring."""

    def __init__(self, files: PushFiles) -> None:
        self._path = files.logins

    def all(self) -> list[ServerLogin]:
        """Return all logins, that of the default server first.

        Raises:
            UnreadablePushFileError: The file was changed by hand, and cannot be read any longer.
        """
        found = read_toml(self._path)
        tables = found.get("servers", {})
        try:
            logins = [_read_login(server, table) for server, table in tables.items()]
        except (AttributeError, TypeError, msgspec.ValidationError) as error:
            raise UnreadablePushFileError(self._path, str(error)) from error
        return sorted(logins, key=lambda login: login.server != found.get("default"))

    def find(self, server: str = "") -> ServerLogin:
        """Return the login to a server, by default to the default one.

        Raises:
            NotLoggedInError: There is none.
        """
        logins = self.all()
        if not server and logins:
            return logins[0]
        # Whoever logged in over plain HTTP has allowed it.
        name = normalise_server(server, is_insecure=True) if server else ""
        for login in logins:
            if login.server == name:
                return login
        raise NotLoggedInError(name)

    def token_of(self, login: ServerLogin) -> str:
        """Return the token for a server.

        Raises:
            NotLoggedInError: The keyring has it no longer, or does not give it.
            ServerAddressError: It would be sent unencrypted, which the user has not allowed.
        """
        normalise_server(login.server, is_insecure=login.is_insecure)
        token = login.token or read_keyring(login.server)
        if not token:
            raise NotLoggedInError(login.server)
        return token

    def add(self, login: ServerLogin, token: str) -> bool:
        """Remember a login, which becomes the default; return whether the keyring has its token."""
        is_in_keyring = write_keyring(login.server, token)
        own = msgspec.structs.replace(login, token="" if is_in_keyring else token)
        others = [each for each in self.all() if each.server != login.server]
        self._write([own, *others])
        return is_in_keyring

    def remove(self, login: ServerLogin) -> None:
        """Forget a login and its token."""
        if not login.token:
            delete_keyring(login.server)
        self._write([each for each in self.all() if each.server != login.server])

    def _write(self, logins: list[ServerLogin]) -> None:
        tables = [_HEAD]
        if logins:
            tables.append(toml_lines({"default": logins[0].server}))
        for login in logins:
            values = msgspec.structs.asdict(login)
            server = values.pop("server")
            if not login.is_insecure:
                values.pop("is_insecure")
            tables.append(f"[servers.{toml_text(server)}]\n{toml_lines(values)}")
        write_private(self._path, "\n".join(tables))


def _read_login(server: str, table: dict[str, Any]) -> ServerLogin:
    return msgspec.convert({**table, "server": server}, ServerLogin)
