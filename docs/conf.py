"""Settings of the documentation site; `just site` builds it."""

import tomllib
from pathlib import Path

_PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text("utf-8"))

project = "clew"
release = _PROJECT["project"]["version"]
language = "en"

extensions = ["myst_parser"]
myst_heading_anchors = 3
myst_enable_extensions = ["attrs_inline"]
nitpicky = True
# Examples quote output and shell sessions that no lexer knows.
highlight_language = "text"

html_theme = "furo"
html_title = f"clew {release}"
html_copy_source = False
html_show_sphinx = False
html_theme_options = {"footer_icons": []}
