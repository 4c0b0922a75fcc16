"""How a run that did not end well is told: one line on stderr, and an exit code."""

import errno
import io
import os
import sys
from typing import Final

import click

from clew.cli.text import visible_lines
from clew.errors import ClewError

_FAILED: Final = 1
_WRONG_USE: Final = 2
_INTERRUPTED: Final = 130
_BROKEN_PIPE: Final = 141
_HINTS: Final = {
    errno.EACCES: "make it readable and writable for you, or name another place",
    errno.EDQUOT: "make room, and run it again",
    errno.EEXIST: "name another place",
    errno.EISDIR: "name another place",
    errno.ENOENT: "check the path",
    errno.ENOSPC: "make room, and run it again",
    errno.ENOTDIR: "name another place",
    errno.EPERM: "make it readable and writable for you, or name another place",
    errno.EROFS: "name another place",
}

_NO_UTF_8: Final = "a word or a path has bytes that are no UTF-8; write or name it otherwise"


def report_error(error: BaseException) -> int:
    """Say what happened, as far as there is something to say, and give the exit code."""
    match error:
        case click.exceptions.Exit():
            return error.exit_code
        case SystemExit(__context__=BrokenPipeError()):
            # So rich ends a process whose output nobody reads any more.
            return _BROKEN_PIPE
        case SystemExit(code=int(code)):
            return code
        case click.ClickException():
            return _show(error)
        case KeyboardInterrupt() | click.Abort():
            return _say("stopped", _INTERRUPTED)
        case BrokenPipeError():
            _drop_output()
            return _BROKEN_PIPE
        case ClewError():
            return _say(str(error), error.exit_code)
        case OSError():
            _drop_output()
            return _say(_system_words(error), _FAILED)
        case UnicodeEncodeError(object=str(text)) if any(map(_is_lone, text)):
            # So Python keeps bytes of the command line and of file names that are no UTF-8.
            return _say(_NO_UTF_8, _WRONG_USE)
        case _:
            return _say_bug(error)


def _show(error: click.ClickException) -> int:
    """Print click's own words, which quote what was typed."""
    words = io.StringIO()
    error.show(words)
    click.echo(visible_lines(words.getvalue()), err=True, nl=False)
    return error.exit_code


def _say(message: str, code: int) -> int:
    click.echo(f"clew: {visible_lines(message)}", err=True)
    return code


def _say_bug(error: BaseException) -> int:
    """Name the kind of failure alone: its words may quote a transcript."""
    if os.environ.get("CLEW_DEBUG"):
        import traceback

        traceback.print_exception(error)
        return _FAILED
    kind = type(error).__name__
    return _say(f"a bug in clew ({kind}); CLEW_DEBUG=1 shows the traceback to report", _FAILED)


def _system_words(error: OSError) -> str:
    reason = error.strerror or type(error).__name__
    place = error.filename or "cannot read or write"
    hint = _HINTS.get(error.errno or 0)
    return f"{place}: {reason}; {hint}" if hint else f"{place}: {reason}"


def _is_lone(char: str) -> bool:
    return "\udc80" <= char <= "\udcff"


def _drop_output() -> None:
    """Let what is still buffered go nowhere: Python writes it out once more at its end."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
    except OSError:
        return
