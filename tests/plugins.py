"""Packages that add tools, installed into a folder of their own."""

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from zipfile import ZipFile

PAGE = Path(__file__).parents[1] / "docs" / "plugins.md"
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def documented() -> tuple[str, str]:
    """Read `pyproject.toml` and the module of the example in the docs."""
    blocks = dict(_BLOCK.findall(PAGE.read_text("utf-8")))
    return blocks["toml"], blocks["python"]


def build(folder: Path, pyproject: str, source: str) -> Path:
    """Write the wheel that a build backend makes of a package with one module."""
    project = tomllib.loads(pyproject)["project"]
    module = project["name"].replace("-", "_")
    info = f"{module}-{project['version']}.dist-info"
    files = {
        f"{module}.py": source,
        f"{info}/METADATA": (
            f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
        ),
        f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": _entry_points(project["entry-points"]),
    }
    wheel = folder / f"{module}-{project['version']}-py3-none-any.whl"
    with ZipFile(wheel, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
        record = "".join(f"{name},,\n" for name in [*files, f"{info}/RECORD"])
        archive.writestr(f"{info}/RECORD", record)
    return wheel


def install(wheel: Path, target: Path) -> None:
    """Install a wheel into a folder, without a network."""
    uv = shutil.which("uv") or "uv"
    words = ["pip", "install", "--quiet", "--offline", "--no-index", "--no-deps"]
    places = ["--python", sys.executable, "--target", str(target), str(wheel)]
    subprocess.run([uv, *words, *places], check=True)  # noqa: S603 (our own wheel)


def _entry_points(groups: dict[str, dict[str, str]]) -> str:
    return "\n".join(
        f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in entries.items())
        for group, entries in groups.items()
    )
