"""Templates and assets: the files beside this module, read once."""

from functools import lru_cache
from importlib import resources
from typing import Any, Final

import minijinja

from clew.render.figures import dollars, duration, plural, scaled
from clew.render.html.text import clean, markup, safe_url

_PACKAGE: Final = "clew.render.site"


def draw(template: str, **values: Any) -> str:
    """Fill a template and give what may stand in another as it is."""
    return markup(clean(_environment().render_template(template, **values)))


@lru_cache(maxsize=16)
def asset(name: str) -> str:
    """Give the text of a stylesheet or script of these pages."""
    return (resources.files(_PACKAGE) / "assets" / name).read_text("utf-8")


@lru_cache(maxsize=1)
def _environment() -> minijinja.Environment:
    return minijinja.Environment(
        loader=_load,
        filters={
            "count": plural,
            "dollars": dollars,
            "duration": duration,
            "scaled": scaled,
            "safe_url": safe_url,
        },
        undefined_behavior="strict",
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _load(name: str) -> str:
    return (resources.files(_PACKAGE) / "templates" / name).read_text("utf-8")
