"""Pictures and documents: embedded, written beside the page, or named."""

import base64
import binascii
import hashlib
from typing import Final

from clew.parts import Document, Image
from clew.render.formatting import image_facts
from clew.render.markdown.inline import code_span, inline
from clew.render.markdown.options import MarkdownContext

# What a reader shows as a picture, and nothing that could hold a program.
_ENDINGS: Final = {
    "image/png": "png",
    "image/jpeg": "jpg",
    "image/jpg": "jpg",
    "image/gif": "gif",
    "image/webp": "webp",
}
_FOLDER: Final = "assets"
_HASH: Final = 16


def write_image(image: Image, context: MarkdownContext) -> str:
    """Write a picture as the page's options say; one that cannot be shown is named."""
    ending = _ENDINGS.get(image.media_type.lower(), "")
    data = _decoded(image.data) if ending and context.options.images != "none" else b""
    if not data:
        return _named(image)
    words = inline(image.text) or "image"
    if context.options.images == "embed":
        encoded = base64.b64encode(data).decode("ascii")
        return f"![{words}](data:image/{ending.replace('jpg', 'jpeg')};base64,{encoded})"
    path = f"{_FOLDER}/{hashlib.sha256(data).hexdigest()[:_HASH]}.{ending}"
    context.save(path, data)
    return f"![{words}]({path})"


def write_document(shown: Document) -> str:
    """Name a document that was shown to the model."""
    return _line(shown, shown.name)


def _named(image: Image) -> str:
    return f"{_line(image, image.url)} {inline(image.text)}".rstrip()


def _line(shown: Image | Document, name: str) -> str:
    facts = ", ".join(filter(None, map(inline, image_facts(shown))))
    return " ".join(filter(None, (f"*{facts}*", code_span(name))))


def _decoded(data: str) -> bytes:
    try:
        return base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        return b""
