"""The files in `deploy/` are well formed, and name what exists."""

import re
import shutil
import subprocess
from configparser import RawConfigParser
from pathlib import Path
from typing import Any

import click
import pytest
import yaml  # type: ignore[import-untyped]  # it comes with moto, without types

from clew.cli.app import app

DEPLOY = Path(__file__).parents[2] / "deploy"
UNITS = sorted(DEPLOY.glob("*.service"))
SERVICE_KEYS = {
    "build",
    "command",
    "depends_on",
    "entrypoint",
    "environment",
    "healthcheck",
    "image",
    "ports",
    "restart",
    "stop_grace_period",
    "volumes",
}
# A name, or an owner and a name, with a version: the first part of a host has a dot or a port.
IMAGE = re.compile(r"[a-z0-9-]+(/[a-z0-9-]+)?:[a-z0-9][a-z0-9.-]*")
VARIABLE = re.compile(r"(?<!\$)\$\{(\w+):(?:-|\?[^}]+)\}")


def test_the_services_of_the_compose_file_fit_together() -> None:
    found = compose()
    services = found["services"]

    assert set(found) == {"name", "x-clew", "services", "volumes"}
    assert set(services) == {"postgres", "s3", "server", "worker"}
    for service in services.values():
        assert set(service) <= SERVICE_KEYS
        assert IMAGE.fullmatch(service["image"])
        assert set(service.get("depends_on", {})) <= set(services)
        assert {volume.partition(":")[0] for volume in service.get("volumes", ())} <= set(
            found["volumes"]
        )
        assert all(isinstance(value, str) for value in service["environment"].values())
        assert all(port.startswith("127.0.0.1:") for port in service.get("ports", ()))
    build = services["server"]["build"]
    assert (DEPLOY / build["context"] / build["dockerfile"]).samefile(DEPLOY / "Dockerfile")


def test_the_compose_file_uses_the_settings_of_its_example() -> None:
    text = (DEPLOY / "compose.yaml").read_text()

    assert set(VARIABLE.findall(text)) == set(environment(DEPLOY / "example.env"))
    assert text.replace("$$", "").count("$") == len(VARIABLE.findall(text))


@pytest.mark.parametrize("unit", UNITS, ids=lambda path: path.name)
def test_a_unit_is_well_formed(unit: Path) -> None:
    found = RawConfigParser(strict=False, allow_no_value=False)
    found.optionxform = str  # type: ignore[assignment,method-assign]  # keys keep their case
    found.read(unit)

    assert found.sections() == ["Unit", "Service", "Install"]
    service = found["Service"]
    assert service["EnvironmentFile"] == "/etc/clew/server.env"
    check_command(service["ExecStart"].split())
    if shutil.which("systemd-analyze"):
        done = subprocess.run(  # noqa: S603
            ["systemd-analyze", "verify", "--man=no", str(unit)],  # noqa: S607
            capture_output=True,
            text=True,
            check=False,
        )
        problems = [line for line in done.stderr.splitlines() if unit.name in line]
        assert [line for line in problems if "not executable" not in line] == []


def test_commands_exist() -> None:
    services = compose()["services"]

    for name in ("server", "worker"):
        check_command(services[name]["command"])
    assert UNITS != []


def test_the_image_is_built_from_what_the_package_needs() -> None:
    lines = (DEPLOY / "Dockerfile").read_text().splitlines()
    steps = [line.split()[0] for line in lines if line and line[0].isupper()]
    ignored = (DEPLOY / "Dockerfile.dockerignore").read_text().split()

    assert steps == ["FROM", "COPY", "RUN", "USER", "WORKDIR", "EXPOSE", "CMD"]
    assert IMAGE.fullmatch(lines[1].split()[1])
    assert ignored[0] == "*"
    assert all((DEPLOY.parent / name.removeprefix("!")).exists() for name in ignored[1:])


def check_command(words: list[str]) -> None:
    """Check that a command line of clew can be parsed."""
    name, *rest = words
    assert Path(name).name == "clew"
    with app.make_context("clew", rest[:1]) as context:
        command = app.get_command(context, rest[0])
        assert isinstance(command, click.Command)
        command.make_context(rest[0], rest[1:], context)


def compose() -> dict[str, Any]:
    found = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    assert isinstance(found, dict)
    return found


def environment(path: Path) -> dict[str, str]:
    lines = [line for line in path.read_text().splitlines() if line and not line.startswith("#")]
    return dict(line.split("=", 1) for line in lines)
