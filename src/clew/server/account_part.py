"""The part of the application by which people and devices log in."""

from clew.server import device_pages, device_routes, login_pages
from clew.server.parts import AppPart
from clew.server.passwords import LoginThrottle
from clew.server.settings import TeamSettings


def account_part(_settings: TeamSettings) -> AppPart:
    """Return the routes of logins, and what limits them."""
    return AppPart(
        handlers=[*device_routes.HANDLERS, *login_pages.HANDLERS, *device_pages.HANDLERS],
        state={
            "login_throttle": LoginThrottle(),
            "device_limit": device_routes.make_device_limit(),
            "code_limit": device_pages.make_code_limit(),
        },
    )
