"""Errors: a message on stderr and an exit code."""

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
    errno.EACCES: "check its permissions, or use another path",
    errno.EDQUOT: "free some space and try again",
    errno.EEXIST: "use another path",
    errno.EISDIR: "use another path",
    errno.ENOENT: "check the path",
    errno.ENOSPC: "free some space and try again",
    errno.ENOTDIR: "use another path",
    errno.EPERM: "check its permissions, or use another path",
    errno.EROFS: "use another path",
}

_PREFIX: Final = "clew: "
_CLICK_PREFIX: Final = "Error: "
_NO_UTF_8: Final = "an argument or a path is not valid UTF-8; rename it"


def report_error(error: BaseException) -> int:
    """Print an error message, if there is something to say, and return the exit code."""
    match error:
        case click.exceptions.Exit():
            return error.exit_code
        case SystemExit(__context__=BrokenPipeError()):
            # rich exits like this when its output is closed.
            return _BROKEN_PIPE
        case SystemExit(code=int(code)):
            return code
        case click.ClickException():
            return _print_usage_error(error)
        case KeyboardInterrupt() | click.Abort():
            return _print_error("interrupted", _INTERRUPTED)
        case BrokenPipeError():
            _drop_output()
            return _BROKEN_PIPE
        case ClewError():
            return _print_error(str(error), error.exit_code)
        case OSError():
            _drop_output()
            return _print_error(_system_message(error), _FAILED)
        case UnicodeEncodeError(object=str(text)) if any(map(_is_lone, text)):
            # Python represents bytes that are not UTF-8 by surrogates.
            return _print_error(_NO_UTF_8, _WRONG_USE)
        case _:
            return _report_bug(error)


def _print_usage_error(error: click.ClickException) -> int:
    """Print click's message, which quotes the command line, with our prefix."""
    message = io.StringIO()
    error.show(message)
    text = message.getvalue().replace(_CLICK_PREFIX, _PREFIX)
    click.echo(visible_lines(text), err=True, nl=False)
    return error.exit_code


def _print_error(message: str, code: int) -> int:
    click.echo(f"{_PREFIX}{visible_lines(message)}", err=True)
    return code


def _report_bug(error: BaseException) -> int:
    """Print the type of the error only: its message may quote a transcript."""
    if os.environ.get("CLEW_DEBUG"):
        import traceback

        traceback.print_exception(error)
        return _FAILED
    kind = type(error).__name__
    return _print_error(
        f"internal error ({kind}); run with CLEW_DEBUG=1 for the traceback, and report it", _FAILED
    )


def _system_message(error: OSError) -> str:
    reason = error.strerror or type(error).__name__
    place = error.filename or "cannot read or write"
    hint = _HINTS.get(error.errno or 0)
    return f"{place}: {reason}; {hint}" if hint else f"{place}: {reason}"


def _is_lone(char: str) -> bool:
    return "\udc80" <= char <= "\udcff"


def _drop_output() -> None:
    """Discard buffered output: Python would try to write it again when it exits."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
    except OSError:
        return
