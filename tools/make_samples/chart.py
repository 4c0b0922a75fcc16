"""A bar chart as a PNG: the pictures that the stories show."""

from collections.abc import Collection, Sequence
from typing import Final

from tools.make_samples.png import encode_png

WIDTH: Final = 480
HEIGHT: Final = 240
_LEFT: Final = 36
_BOTTOM: Final = 216
_TOP: Final = 16
_PAPER, _INK, _BAR, _GRID, _MEAN = range(5)
_PALETTE: Final = bytes.fromhex("fbfaf7 6a6760 0f766e e4e1d8 b42318")
# Three columns and five rows for each digit, a bit for each dot, from the top left.
_DIGITS: Final = (31599, 11415, 29671, 29647, 23497, 31183, 31215, 29257, 31727, 31695)
_DASH: Final = 8

Picture = list[bytearray]


def draw(
    values: Sequence[float],
    *,
    low: float = 0,
    grid: int = 0,
    mean: float | None = None,
    hollow: Collection[int] = (),
) -> bytes:
    """Give a chart with a bar for each value, from `low` up; `hollow` are bars without filling."""
    picture = [bytearray(WIDTH) for _ in range(HEIGHT)]
    scale = (_BOTTOM - _TOP) / (max(values) - low)
    for amount in range(grid, int(max(values)) + 1, grid) if grid else ():
        level = _BOTTOM - round((amount - low) * scale)
        _fill(picture, (_LEFT, level, WIDTH, level + 1), _GRID)
        _write(picture, 6, level - 5, str(amount))
    for number, value in enumerate(values):
        _draw_bar(picture, number, round((value - low) * scale), number in hollow)
    _fill(picture, (_LEFT, _BOTTOM, WIDTH, _BOTTOM + 1), _INK)
    if mean is not None:
        level = _BOTTOM - round((mean - low) * scale)
        for left in range(_LEFT, WIDTH, 2 * _DASH):
            _fill(picture, (left, level, left + _DASH, level + 2), _MEAN)
    return encode_png(picture, _PALETTE)


def _draw_bar(picture: Picture, number: int, height: int, is_hollow: bool) -> None:  # noqa: FBT001
    step = (WIDTH - _LEFT) // 12
    left = _LEFT + number * step + 6
    right = left + step - 12
    _fill(picture, (left, _BOTTOM - height, right, _BOTTOM), _BAR)
    if is_hollow:
        _fill(picture, (left + 2, _BOTTOM - height + 2, right - 2, _BOTTOM), _PAPER)
    _write(picture, left + 4, _BOTTOM + 7, str(number + 1))


def _fill(picture: Picture, box: tuple[int, int, int, int], colour: int) -> None:
    left, top, right, bottom = box
    for row in picture[top:bottom]:
        row[left:right] = bytes([colour]) * len(row[left:right])


def _write(picture: Picture, left: int, top: int, digits: str) -> None:
    for place, digit in enumerate(digits):
        for dot in range(15):
            if _DIGITS[int(digit)] >> (14 - dot) & 1:
                across, down = left + place * 8 + dot % 3 * 2, top + dot // 3 * 2
                _fill(picture, (across, down, across + 2, down + 2), _INK)
