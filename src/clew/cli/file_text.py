"""The versions of a file on the terminal."""

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from clew.cli.text import visible
from clew.figures import plural
from clew.replay import Version, count_lines


def print_versions(path: str, versions: Sequence[Version], console: Console) -> None:
    """Print one line per version: when, by which call, what it changed, and how sure it is."""
    console.print(Text(visible(path), "bold"), soft_wrap=True)
    for version in versions:
        line = Text(f"{version.at:<24}  {version.action:<6} ")
        line.append(f"{line_counts(version):>12}  ", "dim")
        line.append(f"{version.after.state:<7}  ", "" if version.after.is_known else "yellow")
        line.append(f"{version.session_id[:8]}  {version.message_id}", "dim")
        console.print(line, soft_wrap=True)
    console.print(Text(plural(len(versions), "version"), "dim"))


def line_counts(version: Version) -> str:
    """Count the lines that a version added and removed, where both texts are known."""
    counts = count_lines(version)
    return "" if counts is None else f"+{counts[0]} -{counts[1]}"
