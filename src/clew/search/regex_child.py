"""A program of its own that matches regular expressions, so that one that never ends can be ended.

It reads one object from its input and prints one line of JSON per text as soon as that text is
done: the places of its matches, or `null` when it is not wanted. It imports nothing of the package,
and of Python only what starts quickly.
"""

import marshal
import re
import sys
from collections.abc import Iterable
from functools import reduce
from itertools import islice
from operator import or_

_FLAGS = {"i": re.IGNORECASE, "m": re.MULTILINE, "s": re.DOTALL, "x": re.VERBOSE}


def main() -> None:
    """Match the texts on standard input."""
    asked = marshal.load(sys.stdin.buffer)  # noqa: S302 (written by the process that started us)
    patterns = compile_all(asked["regexes"])
    for text in asked["texts"]:
        places = find_places(patterns, text, asked["most"])
        # A list of lists of numbers is JSON as Python writes it.
        line = "null" if places is None else str([list(place) for place in places])
        sys.stdout.write(line + "\n")
        sys.stdout.flush()


def compile_all(
    regexes: Iterable[tuple[str, str, bool]],
) -> list[tuple[re.Pattern[str], bool]]:
    """Compile sources, each given with its flags and whether it is wanted."""
    return [(compile_regex(source, flags), is_wanted) for source, flags, is_wanted in regexes]


def compile_regex(source: str, flags: str) -> re.Pattern[str]:
    """Compile a source with flags as they follow the closing slash."""
    return re.compile(source, reduce(or_, (_FLAGS[flag] for flag in flags), re.MULTILINE))


def find_places(
    patterns: Iterable[tuple[re.Pattern[str], bool]], text: str, most: int
) -> list[tuple[int, int, int]] | None:
    """Return start, end and pattern of the first matches; None when a pattern forbids the text."""
    places: list[tuple[int, int, int]] = []
    for number, (pattern, is_wanted) in enumerate(patterns):
        found = islice(pattern.finditer(text), most if is_wanted else 1)
        spans = [(match.start(), match.end(), number) for match in found]
        if bool(spans) != is_wanted:
            return None
        places += spans
    return sorted(places)


if __name__ == "__main__":
    main()
