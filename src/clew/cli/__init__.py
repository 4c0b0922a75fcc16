"""words on a command line → output and an exit code.

One module per command, imported when it is asked for. Results go to stdout, all else to stderr.
"""

from clew.cli.app import main

__all__ = ["main"]
