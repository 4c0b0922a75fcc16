"""A data notebook: a year in which it rained every day."""

import json
from typing import Any, Final

from tests.build import Call
from tools.make_samples.calls import bash, find_tools
from tools.make_samples.opening import Setting, open_scene
from tools.make_samples.projects import rainfall
from tools.make_samples.scene import Scene
from tools.make_samples.workspace import Workspace

_NAME: Final = "wet_days.ipynb"
_LOAD: Final = (
    'import pandas as pd\n\ndaily = pd.read_csv("daily.csv", parse_dates=["day"])\nlen(daily)'
)
_COUNT: Final = (
    "wet = daily.assign(wet=daily.mm >= 0).groupby(daily.day.dt.year).wet.sum()\nwet.tail(4)"
)
_MENDED: Final = (
    "WET = 1.0  # millimetres; less is dew as often as rain\n"
    "\n"
    'measured = daily.dropna(subset="mm")\n'
    "years = measured.day.dt.year\n"
    'wet = measured.assign(wet=measured.mm >= WET).groupby(years).wet.agg(["sum", "size"])\n'
    "wet.tail(4)"
)
_BEFORE: Final = "day\n2022    365\n2023    365\n2024    366\n2025    352\nName: wet, dtype: int64"
_AFTER: Final = (
    "      sum  size\nday\n2022  118   365\n2023  141   365\n2024  136   366\n2025  127   352"
)


def build() -> Scene:
    """Act the session."""
    setting = Setting(at="2026-10-12T14:31:55Z", title="Count wet days right")
    scene = open_scene("notebook", Workspace(rainfall.ROOT, rainfall.FILES), setting)
    scene.prompt(
        "`wet_days.ipynb` says that it rained on 365 days in 2022. I was there. It did not.",
        after=0,
    )
    scene.act(_read(scene), find_tools("NotebookEdit"))
    scene.act(
        bash(
            "head -3 daily.csv; grep -c ',$' daily.csv",
            "day,mm\n2016-01-01,0.0\n2016-01-02,4.1\n21",
            told="What the table looks like",
        ),
        think="""
        `mm >= 0` is true on every dry day. It should be a threshold. And what is an empty value:
        the table has 21 of them, read as NaN, which no comparison counts, so they silently become
        dry days. Both belong in the answer.
        """,
    )
    scene.act(
        _replace(scene),
        say="""
        The cell counts days with `mm >= 0`, which includes every dry one. The usual threshold for
        a wet day is 1 mm. There is a second thing: 21 days have no value at all, and those should
        not be counted as dry.
        """,
    )
    scene.act(
        bash(
            "uv run jupyter execute --inplace wet_days.ipynb && uv run python show.py "
            "wet_days.ipynb",
            _AFTER,
            told="Run the notebook",
            seconds=6.3,
        )
    )
    scene.answer(
        """
        118 wet days in 2022, which you may remember better.

        - A day is wet from 1 mm on.
        - Days without a value are left out, and `size` shows how many were measured. In 2025 that
          matters: 13 days are missing, all in July, so 127 is a lower bound.
        """
    )
    return scene.end()


def _read(scene: Scene) -> Call:
    cells = [_shown("a1", _LOAD, "3653"), _shown("b2", _COUNT, _BEFORE)]
    file = {"filePath": scene.workspace.path(_NAME), "cells": cells}
    text = "\n".join(
        f'<cell id="{cell["cell_id"]}">{cell["source"]}</cell id="{cell["cell_id"]}">\n\n'
        f"{cell['outputs'][0]['text']}\n"
        for cell in cells
    )
    result = {"type": "notebook", "file": file}
    return Call("Read", {"file_path": file["filePath"]}, [{"type": "text", "text": text}], result)


def _replace(scene: Scene) -> Call:
    path = scene.workspace.path(_NAME)
    arguments = {
        "notebook_path": path,
        "new_source": _MENDED,
        "cell_id": "b2",
        "cell_type": "code",
        "edit_mode": "replace",
    }
    result = {
        "new_source": _MENDED,
        "old_source": _COUNT,
        "cell_type": "code",
        "language": "python",
        "edit_mode": "replace",
        "cell_id": "b2",
        "error": "",
        "notebook_path": path,
        "original_file": _file(_COUNT),
        "updated_file": _file(_MENDED),
    }
    return Call("NotebookEdit", arguments, f"Updated cell b2 with {_MENDED}", result)


def _shown(name: str, source: str, output: str) -> dict[str, Any]:
    outputs = [{"output_type": "execute_result", "text": output}]
    return {
        "cellType": "code",
        "source": source,
        "execution_count": 1,
        "cell_id": name,
        "language": "python",
        "outputs": outputs,
    }


def _file(count: str) -> str:
    cells = [
        {"cell_type": "code", "id": name, "metadata": {}, "source": source, "outputs": []}
        for name, source in (("a1", _LOAD), ("b2", count))
    ]
    return json.dumps(
        {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1
    )
