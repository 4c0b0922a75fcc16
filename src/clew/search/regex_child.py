"""A program of its own that matches regular expressions, so that one that never ends can be ended.

It reads one JSON object from its input and prints one line per text as soon as that text is done:
the places of its matches, or `null` when it is not wanted. It imports nothing of the package.
"""

import json
import re
import sys
from typing import Any


def main() -> None:
    """Match the texts on standard input."""
    asked = json.load(sys.stdin.buffer)
    patterns = [
        (re.compile(source, re.MULTILINE | (re.IGNORECASE if ignores_case else 0)), is_wanted)
        for source, ignores_case, is_wanted in asked["regexes"]
    ]
    for text in asked["texts"]:
        places = find_places(patterns, text, asked["most"])
        sys.stdout.write(json.dumps(places) + "\n")
        sys.stdout.flush()


def find_places(
    patterns: list[tuple[re.Pattern[str], Any]], text: str, most: int
) -> list[tuple[int, int, int]] | None:
    """Give start, end and pattern of the first matches; None when a pattern forbids the text."""
    places: list[tuple[int, int, int]] = []
    for number, (pattern, is_wanted) in enumerate(patterns):
        found = pattern.search(text)
        if (found is not None) != is_wanted:
            return None
        if found is None:
            continue
        for count, match in enumerate(pattern.finditer(text)):
            if count == most:
                break
            places.append((match.start(), match.end(), number))
    return sorted(places)


if __name__ == "__main__":
    main()
