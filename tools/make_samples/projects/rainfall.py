"""rainfall: ten years of rain at one station, in a table and in charts."""
# ruff: noqa: RUF001 - Chinese punctuation is meant

from typing import Final

ROOT: Final = "/home/mira/data/rainfall"

RAIN_2025: Final = (88, 74, 69, 82, 96, 131, 118, 61, 104, 92, 86, 97)
_USUAL: Final = (80, 68, 72, 64, 78, 92, 98, 88, 84, 90, 96, 98)
_YEARS: Final = {
    2016: 3,
    2017: -5,
    2018: -9,
    2019: 1,
    2020: 2,
    2021: 10,
    2022: -7,
    2023: 6,
    2024: -1,
}
MEAN: Final = 84


def _table() -> str:
    """Make the table: usual months, some years wetter and some drier, and the year 2025."""
    years = {year: [mm + more for mm in _USUAL] for year, more in _YEARS.items()}
    years[2025] = list(RAIN_2025)
    lines = [
        f"{year},{month},{mm}" for year, row in years.items() for month, mm in enumerate(row, 1)
    ]
    return "\n".join(["year,month,mm", *lines, ""])


CHART: Final = '''\
"""一年十二个月的雨量，画成柱状图。"""

from pixels import BAR, INK, Picture

LEFT, TOP, BOTTOM = 36, 16, 216


def draw(values: list[float]) -> Picture:
    """每个月一根柱子。"""
    picture = Picture(480, 240)
    low, high = min(values), max(values)
    scale = (BOTTOM - TOP) / (high - low)
    step = (picture.width - LEFT) // 12
    for month, value in enumerate(values, 1):
        height = round((value - low) * scale)
        left = LEFT + (month - 1) * step + 6
        picture.fill(left, BOTTOM - height, left + step - 12, BOTTOM, BAR)
        picture.write(left + 4, BOTTOM + 7, str(month), INK)
    picture.fill(LEFT, BOTTOM, picture.width, BOTTOM + 1, INK)
    return picture
'''

PLOT: Final = '''\
"""读出一年的雨量，画一张图：python plot.py 2025"""

import csv
import sys
from pathlib import Path

from chart import draw


def main(year: str) -> None:
    with open("rain.csv", newline="") as stream:
        rows = list(csv.DictReader(stream))
    values = [float(row["mm"]) for row in rows if row["year"] == year]
    target = Path("out") / f"{year}.png"
    draw(values).save(target)
    print(target)


if __name__ == "__main__":
    main(*sys.argv[1:])
'''

FILES: Final = {"rain.csv": _table(), "chart.py": CHART, "plot.py": PLOT}
