"""Devices of a team that have archived the same transcripts, and push all of them."""

import resource
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from bench.generate import generated
from clew.archive import Archive
from clew.protocol import Tier, Visibility
from clew.push import Consents, Logins, ProjectConsent, find_push_files
from clew.store import Home
from tests.team.machines import PATIENCE, Machine, TeamPrograms


class Spending(msgspec.Struct, frozen=True):
    """How long something took, and how long processors worked for it."""

    seconds: float
    cpu_seconds: float


class PushedLoad(msgspec.Struct, frozen=True):
    """What devices have sent."""

    spent: Spending
    bytes: int
    packed_bytes: int
    frames: int


def make_devices(
    programs: TeamPrograms, count: int, size: int, folder: Path
) -> tuple[list[Machine], Spending]:
    """Let members join, each with a machine that has archived so many bytes of transcripts.

    Returns:
        The machines, and what the sync of the first one took.
    """
    roots = [generated(size // count, number) for number in range(count)]
    made = [
        make_device(programs, root, folder / f"device{number}") for number, root in enumerate(roots)
    ]
    return [machine for machine, _ in made], made[0][1]


def make_device(programs: TeamPrograms, root: Path, folder: Path) -> tuple[Machine, Spending]:
    """Let a member join with a machine that has archived a root and may push all of it.

    Returns:
        The machine, and what its sync took.
    """
    _, token = programs.join(folder.name)
    machine = Machine(folder, programs.address, token)
    synced = _sync(machine, root)
    machine.log_in()
    _allow_all(machine)
    return machine, synced


def push_all(machines: Sequence[Machine]) -> PushedLoad:
    """Let all devices push at once."""
    started, used = time.perf_counter(), children_cpu()
    processes = [each.start("push", "--no-sync", "--json", *_ended(each)) for each in machines]
    reports = []
    for process in processes:
        out, err = process.communicate(timeout=PATIENCE * 10)
        if process.returncode:
            raise RuntimeError(err.decode())
        reports.append(msgspec.json.decode(out))
    spent = Spending(time.perf_counter() - started, children_cpu() - used)
    sums = {
        name: sum(report[name] for report in reports)
        for name in ("bytes", "packed_bytes", "frames")
    }
    return PushedLoad(spent, **sums)


def children_cpu() -> float:
    """Return how long processes have worked that this one has started and that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _sync(machine: Machine, root: Path) -> Spending:
    machine.claude.mkdir(parents=True)
    started, used = time.perf_counter(), children_cpu()
    machine.clew("sync", "--root", str(root))
    return Spending(time.perf_counter() - started, children_cpu() - used)


def _allow_all(machine: Machine) -> None:
    """Let all sessions leave, for everybody in the organisation to read."""
    with Archive(Home(machine.home)) as archive:
        files = find_push_files(archive.location)
        server = Logins(files).find("").server
        consents = [
            ProjectConsent(
                server=server,
                path=each.project,
                tier=Tier.EVERYTHING,
                visibility=Visibility.ORGANISATION,
            )
            for each in archive.projects()
            if each.project
        ]
        Consents(files).save(consents)


def _ended(machine: Machine) -> Iterator[str]:
    """Say of all sessions that they have ended: they are parsed as soon as they are there."""
    with Archive(Home(machine.home)) as archive:
        for name in archive.session_versions():
            yield from ("--ended", name)
