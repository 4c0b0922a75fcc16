"""Confirming a device in the browser."""

import asyncio
from typing import Annotated, Any, Final

from litestar import Request, Response, get, post
from litestar.params import QueryParameter

from clew.render.site import FormField, FormPage
from clew.server.account_responses import read_form, respond_form
from clew.server.device_login import (
    CodeOverError,
    confirm_device,
    find_waiting_device,
    refuse_device,
)
from clew.server.passwords import TooManyTriesError
from clew.server.rate_limits import RateLimit
from clew.server.requests import browser_of, team_of

_NOT_FOUND: Final = 404
_TRIES: Final = 20
_MINUTE: Final = 60.0

AnyRequest = Request[Any, Any, Any]


def make_code_limit() -> RateLimit:
    """Return how often a member may try codes."""
    return RateLimit(_TRIES, _MINUTE)


@get("/device", include_in_schema=False)
async def device_page(
    request: AnyRequest, code: Annotated[str, QueryParameter(max_length=40)] = ""
) -> Response[bytes]:
    """Show which device waits with a code, or ask for the code."""
    browser_of(request)
    if not code:
        return respond_form(request, _code_form())
    return await asyncio.to_thread(_show, request, code)


@post("/device", status_code=200, include_in_schema=False)
async def confirm_device_page(request: AnyRequest) -> Response[bytes]:
    """Let a device in, or refuse it."""
    form = await read_form(request)
    return await asyncio.to_thread(_confirm, request, form)


def _show(request: AnyRequest, code: str) -> Response[bytes]:
    _count_try(request)
    with team_of(request) as team:
        try:
            name = find_waiting_device(team, code)
        except CodeOverError as error:
            return respond_form(request, _code_form(f"{error}."), _NOT_FOUND)
    return respond_form(request, _confirm_form(request, code, name))


def _confirm(request: AnyRequest, form: dict[str, str]) -> Response[bytes]:
    _count_try(request)
    code = form.get("code", "")
    with team_of(request) as team:
        try:
            name = find_waiting_device(team, code)
            if form.get("answer") == "look":
                return respond_form(request, _confirm_form(request, code, name))
            if form.get("answer") != "confirm":
                refuse_device(team, code)
                return respond_form(request, FormPage(title="Device refused", lines=[name]))
            confirm_device(team, code, browser_of(request).member_id)
        except CodeOverError as error:
            return respond_form(request, _code_form(f"{error}."), _NOT_FOUND)
    lines = [f"{name} is connected. You can close this page."]
    return respond_form(request, FormPage(title="Device connected", lines=lines))


def _count_try(request: AnyRequest) -> None:
    limit: RateLimit = request.app.state.code_limit
    wait = limit.count(browser_of(request).member_id)
    if wait:
        raise TooManyTriesError(wait)


def _code_form(problem: str = "") -> FormPage:
    return FormPage(
        title="Connect a device",
        lines=["Enter the code that clew shows on your device."],
        problem=problem,
        action="/device",
        fields=[FormField(name="code", label="Code")],
        buttons=[("look", "Continue")],
    )


def _confirm_form(request: AnyRequest, code: str, name: str) -> FormPage:
    principal = browser_of(request)
    return FormPage(
        title="Connect a device",
        lines=[
            f"{name} will push and read sessions as {principal.name} of {principal.organisation}.",
            "Confirm only if you ran clew login yourself and it shows this code:",
        ],
        code=code.upper(),
        action="/device",
        fields=[FormField(name="code", kind="hidden", value=code)],
        buttons=[("confirm", "Connect"), ("refuse", "Refuse")],
    )


HANDLERS: Final = [device_page, confirm_device_page]
