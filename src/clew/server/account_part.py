"""The part of the application by which people and devices log in."""

from clew.server import account_pages, device_pages, device_routes, login_pages, oidc_pages
from clew.server.parts import AppPart
from clew.server.passwords import LoginThrottle
from clew.server.settings import TeamSettings


def account_part(settings: TeamSettings) -> AppPart:
    """Return the routes of logins, and what limits them."""
    return AppPart(
        handlers=[
            *account_pages.HANDLERS,
            *device_pages.HANDLERS,
            *device_routes.HANDLERS,
            *login_pages.HANDLERS,
            *oidc_pages.HANDLERS,
        ],
        state={
            "oidc_client": oidc_pages.make_oidc_client(settings),
            "login_throttle": LoginThrottle(),
            "device_limit": device_routes.make_device_limit(),
            "code_limit": device_pages.make_code_limit(),
        },
    )
