"""Numbers formatted for people."""


def plural(number: int, noun: str, nouns: str = "") -> str:
    """Write a number with its noun: `1 call`, `2,000 calls`."""
    return f"{number:,} {noun if number == 1 else nouns or noun + 's'}"
