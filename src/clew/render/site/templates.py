"""Templates, stylesheets and scripts of these pages."""

from functools import lru_cache
from typing import Any, Final

import minijinja

from clew.render.formatting import capitalize_sentence, dollars, duration, plural, scaled
from clew.render.html.escaping import clean, markup, safe_url
from clew.render.html.formatting import changes_markup
from clew.render.templates import make_environment, read_asset

_AT_LEAST: Final = ' title="At least: some of it was not recorded, or has no known price"'
_PACKAGE: Final = "clew.render.site"


def draw(template: str, **values: Any) -> str:
    """Fill a template; the result can be inserted in another one."""
    return markup(clean(_environment().render_template(template, **values)))


def asset(name: str) -> str:
    """Return the text of a stylesheet or script of these pages."""
    return read_asset(_PACKAGE, name)


def at_least(amount: str) -> str:
    """Return the attribute that says what ≥ means, for an amount that begins with it."""
    return markup(_AT_LEAST if amount.startswith("≥") else "")


@lru_cache(maxsize=1)
def _environment() -> minijinja.Environment:
    return make_environment(
        _PACKAGE,
        {
            "changes": changes_markup,
            "at_least": at_least,
            "count": plural,
            "dollars": dollars,
            "number": "{:,}".format,
            "duration": duration,
            "scaled": scaled,
            "sentence": capitalize_sentence,
            "safe_url": safe_url,
        },
    )
