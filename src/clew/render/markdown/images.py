"""Pictures and documents: embedded, written beside the page, or named."""

import base64
import binascii
import hashlib
from typing import Final

from clew.parts import Document, Image
from clew.render.formatting import scaled
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
    kind = shown.media_type.rpartition("/")[2]
    size = scaled(shown.size_bytes, "B") if shown.size_bytes else ""
    return _line("document", (inline(kind), size), shown.name)


def _named(image: Image) -> str:
    kind = image.media_type.rpartition("/")[2]
    size = scaled(image.size_bytes, "B") if image.size_bytes else ""
    measures = f"{image.width} x {image.height}" if image.width and image.height else ""
    line = _line("image", (inline(kind), measures, size), image.url)
    return f"{line} {inline(image.text)}".rstrip()


def _line(word: str, facts: tuple[str, ...], name: str) -> str:
    line = ", ".join(filter(None, (word, *facts)))
    return " ".join(filter(None, (f"*{line}*", code_span(name))))


def _decoded(data: str) -> bytes:
    try:
        return base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        return b""
