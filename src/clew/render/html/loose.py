"""Parts on their own → markup: what a page shows of a call, where the page is about else."""

from collections.abc import Iterable

from clew.parts import Part
from clew.render.html.escaping import markup
from clew.render.html.parts import draw_parts


def render_parts(parts: Iterable[Part]) -> str:
    """Draw parts, one below the other."""
    return markup(draw_parts(tuple(parts)))
