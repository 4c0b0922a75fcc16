"""Templates, stylesheets and scripts of these pages."""

import base64
import hashlib
from functools import lru_cache
from typing import Any, Final

import minijinja

from clew.render.formatting import plural
from clew.render.html.escaping import clean, markup, safe_url
from clew.render.html.formatting import changes_markup, size
from clew.render.html.images import data_uri
from clew.render.templates import make_environment, read_asset

EARLY_SCRIPT: Final = "theme.js"
LATE_SCRIPTS: Final = (
    "fold.js",
    "settings.js",
    "times.js",
    "position.js",
    "find.js",
    "keys.js",
    "copy.js",
    "images.js",
    "highlight.js",
)
_PACKAGE: Final = "clew.render.html"
_CHECK_LABELS: Final = {
    "open": "to do",
    "doing": "in progress",
    "done": "done",
    "dropped": "dropped",
}


def draw(template: str, **values: Any) -> str:
    """Fill a template; what comes out is markup, and safe."""
    return clean(_environment().render_template(template, **values))


def asset(name: str) -> str:
    """Return the text of a stylesheet or script."""
    return read_asset(_PACKAGE, name)


def stylesheet() -> str:
    """Return the stylesheet of every page."""
    return asset("style.css")


def script() -> str:
    """Return all scripts of a page as one text; each is a module and keeps its names to itself."""
    texts = [asset(name) for name in (EARLY_SCRIPT, *LATE_SCRIPTS)]
    return "\n".join(f"{{\n{text}}}" for text in texts)


@lru_cache(maxsize=64)
def content_hash(text: str) -> str:
    """Name a text as a content security policy does."""
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def _split(path: str) -> tuple[str, str]:
    """Part a path into its folder, with the slash, and its last name."""
    start = max(path.rstrip("/\\").rfind(slash) for slash in "/\\") + 1
    return path[:start], path[start:]


@lru_cache(maxsize=1)
def _environment() -> minijinja.Environment:
    return make_environment(
        _PACKAGE,
        {
            "as_is": markup,
            "changes": changes_markup,
            "check_label": lambda state: _CHECK_LABELS.get(state, state),
            "count": plural,
            "data_uri": data_uri,
            "folder": lambda path: _split(path)[0],
            "name": lambda path: _split(path)[1],
            "number": "{:,}".format,
            "safe_url": safe_url,
            "size": size,
        },
    )
