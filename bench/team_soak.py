"""`python -m bench.team_soak`: a team server under faults, which must lose and show nothing.

Devices of four members work and push, some of them to the same session, while clients, the server,
workers, the database and the S3 server fail. At the end all must be there once, as a plain sync of
the same files has it, and nobody may have seen what is not theirs. The same seed chooses the same
faults; when they hit depends on the machine.
"""

import argparse
import os
import secrets
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from bench.soak_checks import count_pushed, find_differences, find_losses, settle
from bench.soak_devices import OPEN, PRIVATE, SoakDevice, word_of
from bench.soak_faults import WORKERS, Faults, SoakScene
from bench.soak_probes import Prober
from clew.store.postgres.team import prepare_team
from clew.store.postgres_location import PostgresLocation
from tests.postgres_server import running_postgres
from tests.s3_servers import running_rclone
from tests.slow_proxy import slow_proxy
from tests.team.machines import Machine, TeamPrograms

VIOLATED: Final = 1
_WORKER: Final = (sys.executable, "-m", "bench.soak_worker")
# A commit must survive the end of a process; that of the machine is not tried.
_DURABLE: Final = {"synchronous_commit": "on"}
_PATIENCE: Final = 240.0
_LONGEST: Final = 2_000
_OK: Final = 200
_MEMBERS: Final = (("ada", "acme", 2), ("bob", "acme", 1), ("zoe", "other", 1))


def main(arguments: Sequence[str]) -> int:
    """Soak, print numbers, and fail when a promise is broken."""
    options = _options(arguments)
    _say([f"seed {options.seed}"])
    with tempfile.TemporaryDirectory(prefix="clew-soak-", ignore_cleanup_errors=True) as place:
        folder = Path(options.keep or place)
        with _scene(folder, options.seed) as scene:
            violations = _soak(scene, options, folder)
    _say(f"VIOLATED: {violation[:_LONGEST]}" for violation in violations)
    _say([f"{len(violations)} promises broken" if violations else "all promises kept"])
    return VIOLATED if violations else 0


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.team_soak", description=__doc__)
    parser.add_argument("--seed", default=secrets.token_hex(4))
    parser.add_argument("--faults", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=540, help="over which they are spread")
    parser.add_argument("--keep", help="a folder for homes and logs, which are left there")
    return parser.parse_args(arguments)


@contextmanager
def _scene(folder: Path, seed: str) -> Iterator[SoakScene]:
    """Start all servers and set up all devices."""
    folder.mkdir(parents=True, exist_ok=True)
    with (
        running_postgres(_DURABLE) as database,
        running_rclone() as s3,
        slow_proxy(s3.port, 0) as proxy,
    ):
        os.environ.update(s3.environment)
        blobs = f"s3://{s3.make_bucket()}/team?endpoint={proxy.endpoint}"
        location = PostgresLocation(database.make_database(), blobs)
        prepare_team(location)
        programs = TeamPrograms(location, _WORKER, folder)
        devices = list(_devices(programs, folder, seed))
        programs.start_server()
        for name in WORKERS:
            programs.start_worker(name)
        try:
            for device in devices:
                device.set_up()
            yield SoakScene(database, s3, proxy, programs, devices)
        finally:
            programs.stop()


def _devices(programs: TeamPrograms, folder: Path, seed: str) -> Iterator[SoakDevice]:
    for name, organisation, count in _MEMBERS:
        member, token = programs.join(name, organisation)
        for number in range(count):
            if number:
                token = programs.another_device(member, organisation)
            machine = Machine(folder / f"{name}{number}", programs.address, token)
            yield SoakDevice(machine, name, member, f"{seed} {name} {number}")


def _soak(scene: SoakScene, options: argparse.Namespace, folder: Path) -> list[str]:
    faults, location = Faults(scene, options.seed), scene.programs.location
    probers = [Prober(device, _forbidden(device)) for device in scene.devices]
    stop, stop_probes = threading.Event(), threading.Event()
    works = [threading.Thread(target=each.run, args=[stop]) for each in scene.devices]
    looks = [
        threading.Thread(target=each.run, args=[stop_probes, _ids_of_others(scene, device)])
        for each, device in zip(probers, scene.devices, strict=True)
    ]
    for thread in (*works, *looks):
        thread.start()
    started = time.monotonic()
    try:
        faults.befall(options.faults, started + options.seconds, stop)
    finally:
        faults.repair()
        stop.set()
        for thread in works:
            thread.join()
    middle = time.monotonic()
    violations = settle(scene.devices, location, _PATIENCE)
    ended = time.monotonic()
    stop_probes.set()
    for thread in looks:
        thread.join()
    _say(_tell(scene, faults, probers, (middle - started, ended - middle)))
    violations += faults.violations
    violations += [leak for each in probers for leak in each.leaks]
    violations += _broken_counts(scene, probers)
    if not violations:
        violations += find_losses(scene.devices, location)
        clean = PostgresLocation(scene.database.make_database(), str(folder / "clean" / "blobs"))
        violations += find_differences(scene.devices, location, clean)
    return violations


def _forbidden(viewer: SoakDevice) -> list[str]:
    """Return the words that a member must not see."""
    organisations = {name: organisation for name, organisation, _ in _MEMBERS}
    words = []
    for name, organisation, _ in _MEMBERS:
        if name != viewer.name:
            words.append(word_of(name, PRIVATE))
            if organisation != organisations[viewer.name]:
                words.append(word_of(name, OPEN))
    return words


def _ids_of_others(scene: SoakScene, viewer: SoakDevice) -> list[str]:
    return [name for each in scene.devices if each.name != viewer.name for name in each.session_ids]


def _broken_counts(scene: SoakScene, probers: Sequence[Prober]) -> Iterator[str]:
    for device in scene.devices:
        for what in ("internal errors", "pushes that hung"):
            if device.counts[what]:
                yield f"{device.counts[what]} {what} on a device of {device.name}"
        if not device.counts["pushes"]:
            yield f"no push of {device.name} succeeded"
    for prober in probers:
        if not prober.answers[_OK]:
            yield "a prober saw nothing at all"


def _tell(
    scene: SoakScene, faults: Faults, probers: Sequence[Prober], seconds: tuple[float, float]
) -> Iterator[str]:
    count = sum(faults.counts[name] for name in faults.names)
    yield f"{count} faults in {seconds[0]:.0f} s, then parsed in {seconds[1]:.0f} s"
    yield from (f"  {name}: {number}" for name, number in faults.counts.items())
    done: Counter[str] = Counter()
    for device in scene.devices:
        done.update(device.counts)
    yield f"devices: {', '.join(f'{number:,} {name}' for name, number in done.items())}"
    answers: Counter[int] = Counter()
    for prober in probers:
        answers.update(prober.answers)
    yield f"probes: {', '.join(f'{number:,} of {status}' for status, number in answers.items())}"
    found = count_pushed(scene.programs.location)
    sizes = f"{found.generations} generations, {found.bytes:,} bytes"
    yield f"on the server: {found.sessions} sessions, {found.files} files, {sizes}"


def _say(lines: Iterable[str]) -> None:
    for line in lines:
        sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
