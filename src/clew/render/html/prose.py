"""Markdown → markup that can do no harm.

The parser escapes raw HTML, so that every tag in what it gives is its own. Those are then made
ours: headings below those of the page, links that lead to the web alone, pictures as words.
"""

import html
import re
from functools import lru_cache
from typing import Final

import comrak

from clew.render.html.escaping import clean, escape, escape_value, replace_surrogates, safe_url, tag
from clew.render.typed_text import TypedBlock, typed_blocks

_LONGEST: Final = 200_000
_MOST_CELLS: Final = 100_000
_TAG: Final = re.compile(
    r"""
    < (?= a\ | img | pre | h | t[dha] | input | /a | /h | /t )  # most tags stay as they are
      (?: a\ href="(?P<url>[^"]*)" [^>]* > | (?P<end>/a>)
        | img\ src="(?P<picture>[^"]*)" \s alt="(?P<alt>[^"]*)" [^>]* >
        | (?P<pre>pre)><code (?: \s class="language-(?P<language>[^"]*)" )? >
        | (?P<close>/?) h(?P<heading>[1-6])>
        | (?P<cell>t[dh]) \s align="(?P<align>left|center|right)">
        | input\ type="checkbox" (?P<checked>\ checked="")? \ disabled=""\ />
        | (?P<table>/?table)>
      )
    """,
    re.VERBOSE,
)
# Escaped HTML blocks are text outside of any paragraph.
_BARE: Final = re.compile(r"(^|</(?:p|ul|ol|pre|blockquote|table|h[1-6])>|<hr />)([^<]+)")
_LANGUAGE: Final = re.compile(r"[a-z0-9+#_.-]{1,30}")
_ADDRESS: Final = re.compile(r"https?://[a-zA-Z0-9\[][!#-;=?-Z\[\]_a-z~%]*")
_AFTER_ADDRESS: Final = ".,;:!?)]'"
_FOOTNOTE: Final = re.compile(r"^([ >]{0,8})\[(?=\^[^\]\n]+\]:)", re.MULTILINE)
_FENCE: Final = re.compile(r"[ >]{0,8}(`{3,}|~{3,})")
_LOWEST_HEADING: Final = 6
_SHIFT: Final = 3


def draw_prose(text: str) -> str:
    """Return Markdown as markup; what is too long to be someone's prose stays as it is."""
    if len(text) > _LONGEST:
        return tag("div", "words", escape(text))
    try:
        drawn = _parse(text)
    except UnicodeEncodeError:
        drawn = _parse(replace_surrogates(text))
    if "<" in text:
        drawn = _BARE.sub(_in_paragraph, drawn)
    return _TAG.sub(_Tags().ours, clean(drawn))


def draw_typed(text: str) -> str:
    """Return what a person typed, sign by sign; fences become blocks and addresses links."""
    return "".join(map(_typed_block, typed_blocks(text)))


def _typed_block(block: TypedBlock) -> str:
    if block.is_code:
        return f"{_fence(block.language)}{escape(block.text)}</code></pre>"
    drawn, position = [], 0
    for found in _ADDRESS.finditer(block.text):
        url = found[0].rstrip(_AFTER_ADDRESS)
        drawn.append(escape(block.text[position : found.start()]))
        drawn.append(f'<a href="{escape_value(url)}" rel="noreferrer">{escape(url)}</a>')
        position = found.start() + len(url)
    drawn.append(escape(block.text[position:]))
    return f"<p>{''.join(drawn)}</p>"


@lru_cache(maxsize=1024)
def language_of(name: str, path: str = "") -> str:
    """Name a language as its fence or its file's ending does; empty where neither does."""
    word = name.strip().partition(" ")[0].lower()
    if not word and path:
        last = path.replace("\\", "/").rpartition("/")[2].lower()
        word = last.rpartition(".")[2]
    return word if _LANGUAGE.fullmatch(word) else ""


class _Tags:
    """The tags of one text, made ours one after another."""

    def __init__(self) -> None:
        self.ends: list[str] = []

    def ours(self, found: re.Match[str]) -> str:
        if found["url"] is not None:
            return self._open_link(html.unescape(found["url"]))
        if found["end"]:
            return self.ends.pop() if self.ends else ""
        if found["picture"] is not None:
            return self._picture(html.unescape(found["picture"]), found["alt"])
        if found["heading"]:
            level = min(int(found["heading"]) + _SHIFT, _LOWEST_HEADING)
            return f"<{found['close']}h{level}>"
        if found["cell"]:
            return f'<{found["cell"]} class="{found["align"]}">'
        if found["table"]:
            return _table(found["table"])
        if found["pre"]:
            return _fence(html.unescape(found["language"] or ""))
        return _check_box(is_checked=bool(found["checked"]))

    def _open_link(self, url: str) -> str:
        followed = safe_url(url)
        if followed:
            self.ends.append("</a>")
            return f'<a href="{escape_value(followed)}" rel="noreferrer">'
        self.ends.append("</span>")
        return f'<span class="link" title="{escape_value(url)}">'

    def _picture(self, url: str, alt: str) -> str:
        """Show a picture from elsewhere as a link to it: nothing is loaded."""
        words = alt or "picture"
        followed = safe_url(url)
        if not followed or self.ends:
            return tag("span", "picture", words)
        return f'<a class="picture" href="{escape_value(followed)}" rel="noreferrer">{words}</a>'


def _parse(text: str) -> str:
    extensions = _extensions(tables=not _may_explode(text), links=_may_link(text))
    return comrak.render_markdown(_with_footnotes(text), extensions, None, _render_options())


def _with_footnotes(text: str) -> str:
    """Keep footnotes as words: a short one would be taken for the address of a link."""
    if "[^" not in text or _FOOTNOTE.search(text) is None:
        return text
    lines, fence = [], ""
    for line in text.split("\n"):
        mark = _FENCE.match(line)
        if mark and (not fence or mark[1].startswith(fence)):
            fence = "" if fence else mark[1]
        lines.append(line if fence else _FOOTNOTE.sub(r"\1\\[", line))
    return "\n".join(lines)


def _may_explode(text: str) -> bool:
    """Return whether few pipes could be many cells: a table fills up its short rows."""
    if "|" not in text:
        return False
    lines = text.count("\n") + 1
    if text.count("|") * lines < _MOST_CELLS:
        return False
    return lines * max(line.count("|") for line in text.split("\n")) > _MOST_CELLS


def _may_link(text: str) -> bool:
    """Return whether there can be a bare URL: looking for one takes half of the parser's time."""
    # What an `&` writes may be an `@`.
    return "@" in text or "&" in text or "://" in text or "www." in text


@lru_cache(maxsize=4)
def _extensions(*, tables: bool, links: bool) -> comrak.ExtensionOptions:
    chosen = comrak.ExtensionOptions()
    chosen.table = tables
    chosen.strikethrough = True
    chosen.autolink = links
    chosen.tasklist = True
    return chosen


@lru_cache(maxsize=1)
def _render_options() -> comrak.RenderOptions:
    chosen = comrak.RenderOptions()
    chosen.escape = True
    chosen.compact_html = True
    return chosen


def _in_paragraph(found: re.Match[str]) -> str:
    text = found[2].strip("\n")
    return f"{found[1]}<p>{text}</p>" if text else found[1]


def _fence(info: str) -> str:
    language = language_of(info)
    return f'<pre data-language="{language}"><code>' if language else "<pre><code>"


def _table(found: str) -> str:
    """Let a wide table scroll by itself."""
    return "</table></div>" if found.startswith("/") else '<div class="wide"><table>'


def _check_box(*, is_checked: bool) -> str:
    word, mark = ("done", "☑") if is_checked else ("to do", "☐")
    return f'<span class="box" role="img" aria-label="{word}">{mark}</span>'
