"""Print how often the insights are right, on any folder of transcripts.

    python tools/insight_rates.py FOLDER [--repo GIT] [--family NAME]… [--json]

FOLDER is a root such as ~/.claude, or contains several. Rates that need a repository are printed
with --repo. Ends with 1 when a rate is lower than it must be.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).parents[1]))

from tools.rates import FAMILIES, Rate, RateSource


def main(words: Sequence[str] | None = None) -> int:
    """Measure the rates of a folder and print them."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("--repo", type=Path, metavar="GIT", help="repository of the sessions")
    parser.add_argument("--family", action="append", choices=list(FAMILIES), help="only these")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args(words)
    if not options.folder.is_dir():
        parser.error(f"{options.folder} is not a directory")
    source = RateSource(options.folder, options.repo)
    rates = {name: list(FAMILIES[name](source)) for name in options.family or FAMILIES}
    if options.json:
        print(msgspec.json.encode(rates).decode())
    else:
        for name, own in rates.items():
            _print(name, own)
    return 0 if all(rate.is_reached for own in rates.values() for rate in own) else 1


def _print(name: str, rates: Sequence[Rate]) -> None:
    print(name)
    for rate in rates:
        share = f"{rate.share:7.2%}" if rate.whole else "      -"
        missed = "" if rate.is_reached else f"  below {rate.required:.0%}"
        print(f"  {rate.name:<72} {rate.part:>7,} of {rate.whole:>7,} {share}{missed}")


if __name__ == "__main__":
    sys.exit(main())
