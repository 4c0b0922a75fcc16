"""What curl and wget write: what they fetch is printed, or goes to a file."""

from collections.abc import Iterator, Sequence
from typing import Final

from clew.replay.shell.lexer import ShellWord

DOWNLOADERS: Final = ("curl", "wget")
# One-letter options that have a value, and those whose value is a file to write to.
_VALUED: Final = {"curl": "XHdFuAebmwTxErCyYzQtUP", "wget": "eUtTQwBoaiDIlARX"}
_FILES: Final = {"curl": "oDc", "wget": "Ooa"}
# With these, files are named by the server, or by a file of settings.
_UNKNOWN: Final = {"curl": "OJKR", "wget": "PrmpxNci"}
_LONG_FILES: Final = (
    *("--output", "--dump-header", "--cookie-jar", "--output-document", "--output-file"),
    *("--append-output", "--trace", "--trace-ascii", "--stderr", "--etag-save"),
)
_LONG_UNKNOWN: Final = (
    *("--remote-", "--config", "--output-dir", "--input-file", "--mirror", "--recursive"),
    *("--save-cookies", "--directory-prefix", "--libcurl", "--hsts", "--warc", "--page-requisites"),
)
_LONG_VALUED: Final = (
    *("--header", "--data", "--data-raw", "--data-binary", "--data-urlencode", "--form", "--user"),
    *("--request", "--url", "--json", "--cookie", "--user-agent", "--referer", "--max-time"),
    *("--write-out", "--post-data", "--body-data", "--connect-timeout", "--retry", "--proxy"),
)
_WEB: Final = ("http://", "https://")


def download_targets(name: str, words: Sequence[ShellWord]) -> Iterator[ShellWord | None]:
    """List the files that curl or wget writes to; None stands for any."""
    rest = list(words)
    prints = name == "curl"
    while rest:
        word = rest.pop(0)
        option, _, value = word.text.partition("=")
        if not word.text.startswith("-") or word.text == "-":
            # What a shell puts in front of an address may be an option.
            if not word.is_plain and not word.text.startswith(_WEB):
                yield None
        elif option.startswith("--"):
            if option in _LONG_FILES:
                prints = True
                yield ShellWord(value, is_plain=word.is_plain) if value else _take(rest)
            elif option.startswith(_LONG_UNKNOWN):
                yield None
            elif option in _LONG_VALUED and not value and rest:
                rest.pop(0)
            elif option == "--spider":
                prints = True
        else:
            for target in _short(name, word, rest):
                prints = True
                yield target
    if not prints:
        yield None


def _short(name: str, word: ShellWord, rest: list[ShellWord]) -> Iterator[ShellWord | None]:
    """Read options of one letter that stand together; the last may have a value."""
    for at, letter in enumerate(word.text[1:], start=2):
        value = word.text[at:]
        if letter in _FILES[name]:
            yield ShellWord(value, is_plain=word.is_plain) if value else _take(rest)
            return
        if letter in _UNKNOWN[name]:
            yield None
        if letter in _VALUED[name]:
            if not value and rest:
                rest.pop(0)
            return


def _take(rest: list[ShellWord]) -> ShellWord | None:
    return rest.pop(0) if rest else None
