"""command line → output and an exit code.

One module per command, imported when it runs. Results go to stdout, everything else to stderr.
"""

from clew.cli.app import main

__all__ = ["main"]
