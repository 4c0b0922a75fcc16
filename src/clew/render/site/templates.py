"""Templates, stylesheets and scripts of these pages."""

from functools import lru_cache
from typing import Any, Final

import minijinja

from clew.render.formatting import capitalize_sentence, dollars, duration, plural, scaled
from clew.render.html.escaping import clean, escape, markup, safe_url
from clew.render.html.formatting import changes_markup
from clew.render.html.marks import AT_LEAST
from clew.render.templates import make_environment, read_asset

_SIGN: Final = "≥"
_AT_LEAST: Final = f'<span class="least" title="{AT_LEAST}">{_SIGN}</span>'
_PACKAGE: Final = "clew.render.site"


def draw(template: str, **values: Any) -> str:
    """Fill a template; the result can be inserted in another one."""
    return markup(clean(_environment().render_template(template, **values)))


def asset(name: str) -> str:
    """Return the text of a stylesheet or script of these pages."""
    return read_asset(_PACKAGE, name)


def draw_amount(amount: str) -> str:
    """Draw an amount; a ≥ before it is quieter than the number, and says what it means."""
    least, number = (_AT_LEAST, amount[1:]) if amount.startswith(_SIGN) else ("", amount)
    return markup(least + escape(number))


@lru_cache(maxsize=1)
def _environment() -> minijinja.Environment:
    return make_environment(
        _PACKAGE,
        {
            "changes": changes_markup,
            "amount": draw_amount,
            "count": plural,
            "dollars": dollars,
            "number": "{:,}".format,
            "duration": duration,
            "scaled": scaled,
            "sentence": capitalize_sentence,
            "safe_url": safe_url,
        },
    )
