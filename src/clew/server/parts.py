"""A part of the team server's application: its routes, and what these need."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any

import msgspec
from litestar import Litestar


class AppPart(msgspec.Struct, frozen=True, kw_only=True):
    """What one part adds to the application: routes, shared state, and errors of its own."""

    handlers: Sequence[Any]
    dependencies: Mapping[str, Any] = {}
    state: Mapping[str, Any] = {}
    errors: Mapping[type[Exception], Callable[..., Any]] = {}
    lifespan: Sequence[Callable[[Litestar], AbstractAsyncContextManager[None]]] = ()
