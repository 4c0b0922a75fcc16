"""Forms and pages about an account on a team server."""

from collections.abc import Sequence

import msgspec

from clew.render.site.base import BasePage
from clew.render.site.templates import draw


class FormField(msgspec.Struct, frozen=True, kw_only=True):
    """A field of a form; `kind` is an input's type."""

    name: str
    label: str = ""
    kind: str = "text"
    value: str = ""
    autocomplete: str = "off"


class FormPage(msgspec.Struct, frozen=True, kw_only=True):
    """A page with one form, which is sent to `action`, by default the page's own address.

    Each of the `buttons` has the value that it sends, and each of the `links` an address.
    """

    title: str
    lines: Sequence[str] = ()
    code: str = ""
    problem: str = ""
    action: str = ""
    fields: Sequence[FormField] = ()
    buttons: Sequence[tuple[str, str]] = ()
    links: Sequence[tuple[str, str]] = ()


class AccountDevice(msgspec.Struct, frozen=True):
    """A device of a member, and when it was used."""

    id: int
    name: str
    seen: str


class AccountPage(msgspec.Struct, frozen=True, kw_only=True):
    """What a member sees of their own account; `provider` is empty without single sign-on."""

    name: str
    role: str
    organisation: str
    url: str
    readers: Sequence[str]
    devices: Sequence[AccountDevice]
    provider: str = ""
    has_identity: bool = False
    has_password: bool = False


def render_form(form: FormPage, base: BasePage) -> str:
    """Draw a page with a form."""
    return base.draw(form.title, draw("form.html", form=form))


def render_account(account: AccountPage, base: BasePage) -> str:
    """Draw the page about a member's own account."""
    return base.draw("Account", draw("own_account.html", account=account))
