"""page → HTML: one file that needs nothing else, or its pieces for the web app."""

from clew.render.html.frame import FramePieces, render_frame
from clew.render.html.items import render_section
from clew.render.html.options import AppLinks, Home, HtmlOptions
from clew.render.html.page import content_policy, render_html
from clew.render.html.several import render_several
from clew.render.html.templates import script, stylesheet

__all__ = [
    "AppLinks",
    "FramePieces",
    "Home",
    "HtmlOptions",
    "content_policy",
    "render_frame",
    "render_html",
    "render_section",
    "render_several",
    "script",
    "stylesheet",
]
