"""Who is signed in, on pages of a server with several users."""

from collections.abc import Sequence

import msgspec


class AccountLinks(msgspec.Struct, frozen=True, kw_only=True):
    """A member, and the pages that they alone have.

    `url` is that of the server, `notice` what everybody must know, and `processing` what of their
    sessions is not shown yet; a page says more about it.
    """

    name: str
    role: str
    organisation: str
    links: Sequence[tuple[str, str]] = ()
    logout: str = "/logout"
    url: str = ""
    notice: str = ""
    processing: str = ""
    processing_url: str = ""

    @property
    def shown_role(self) -> str:
        """The role, unless it is the usual one."""
        return "" if self.role == "member" else self.role
