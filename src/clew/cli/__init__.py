"""command line → output and an exit code.

One module per command, imported when it runs. Results go to stdout, everything else to stderr.
"""

import sys
from collections.abc import Sequence

__all__ = ["main"]

_HOOK = "hook"


def main(words: Sequence[str] | None = None) -> int:
    """Run a command line, by default this process's, and return its exit code.

    `clew hook EVENT` is what Claude Code runs: it has no options and no help, and imports nothing
    of the other commands, so that nobody waits for it.
    """
    words = sys.argv[1:] if words is None else words
    if words[:1] == [_HOOK]:
        from clew.cli.hook import nudge

        return nudge(words[1:])
    from clew.cli.app import main as run_command

    return run_command(words)
