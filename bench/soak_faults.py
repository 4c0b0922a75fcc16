"""Faults that befall a team server and its devices, one at a time, chosen by a seed."""

import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, Final

import httpx
import msgspec
import psycopg
from psycopg.rows import dict_row

from bench.soak_devices import SoakDevice
from clew.protocol import FileManifest
from clew.store.frames import compress, content_hash
from tests.postgres_server import PostgresServer
from tests.s3_servers import S3Server
from tests.slow_proxy import SlowProxy
from tests.team.machines import TeamPrograms

WORKERS: Final = ("worker 1", "worker 2")
_SLOW_SECONDS: Final = 8.0
_HARMLESS: Final = ("same", "ignored")
_MANIFEST: Final = """
SELECT f.member_id, f.receipt, f.root_id AS root, f.file, f.kind, f.session_id AS session,
  f.agent_id AS agent, f.workflow_id AS workflow, f.project_key, f.tier, f.epoch,
  f.size_bytes AS size, f.mtime_ns, json_agg(
    json_build_array(encode(p.hash, 'hex'), p.size_bytes) ORDER BY r.number) AS frames
FROM received_file AS f
JOIN received_frame AS r ON r.file_id = f.id AND r.generation = f.generation
JOIN pushed_frame AS p ON p.id = r.frame_id
GROUP BY f.id ORDER BY random() LIMIT 1"""
_UPLOADS: Final = "SELECT object_key FROM pushed_frame WHERE object_key IS NOT NULL"
_CLAIMED: Final = "SELECT count(*) AS claimed FROM session_state WHERE claimed_until > now()"


class SoakScene(msgspec.Struct, frozen=True):
    """All machines of a team: what faults can befall."""

    database: PostgresServer
    s3: S3Server
    proxy: SlowProxy
    programs: TeamPrograms
    devices: Sequence[SoakDevice]


class SeenManifest(msgspec.Struct, frozen=True):
    """A manifest that was committed, with the device that could have sent it."""

    device: SoakDevice
    manifest: FileManifest
    receipt: str


class Faults:
    """Lets things go wrong; `violations` are answers that a server must not give."""

    def __init__(self, scene: SoakScene, seed: str) -> None:
        self.counts: Counter[str] = Counter()
        self.violations: list[str] = []
        self._scene = scene
        self._dice = random.Random(seed)  # noqa: S311 (only to choose what happens)
        self._seen: list[SeenManifest] = []
        self._all: dict[str, Callable[[], None]] = {
            "killed client": self._mark_device("killed client"),
            "full disk": self._mark_device("full disk"),
            "clock skew": self._mark_device("clock skew"),
            "killed server": self._kill_server,
            "killed worker": self._kill_worker,
            "database restart": self._restart_database,
            "S3 errors": self._fail_s3,
            "S3 time-outs": self._slow_s3,
            "S3 restart": self._restart_s3,
            "repeated push": self._repeat,
            "stale parent": self._send_stale,
            "forgotten upload": self._forget_upload,
            "lost object": self._lose_object,
        }

    def befall(self, count: int, until: float, stop: threading.Event) -> None:
        """Let so many faults happen, spread over the time; each kind comes before any twice."""
        waiting: list[str] = []
        for number in range(count):
            waiting = waiting or self._dice.sample(list(self._all), len(self._all))
            name = waiting.pop()
            self._all[name]()
            self.counts[name] += 1
            self._remember()
            left = max(0.0, until - time.monotonic()) / (count - number)
            if stop.wait(left * self._dice.uniform(0.5, 1.0)):
                return

    @property
    def names(self) -> list[str]:
        """The names of all faults."""
        return list(self._all)

    def repair(self) -> None:
        """Let everything run again as it should."""
        self._scene.proxy.refuse_each(0)
        self._scene.proxy.seconds = 0

    def _mark_device(self, fault: str) -> Callable[[], None]:
        def mark() -> None:
            self._dice.choice(self._scene.devices).next_fault = fault

        return mark

    def _kill_server(self) -> None:
        self._scene.programs.kill("server")
        time.sleep(self._dice.uniform(0, 1.5))
        self._scene.programs.start_server()

    def _kill_worker(self) -> None:
        """Kill a worker, if possible while it works."""
        until = time.monotonic() + 2
        while time.monotonic() < until and not self._records(_CLAIMED)[0]["claimed"]:
            time.sleep(0.005)
        name = self._dice.choice(WORKERS)
        self._scene.programs.kill(name)
        self._scene.programs.start_worker(name)

    def _restart_database(self) -> None:
        log = str(self._scene.database.folder / "log")
        self._scene.database.run("pg_ctl", "-w", "-m", "immediate", "-l", log, "restart")

    def _fail_s3(self) -> None:
        self._scene.proxy.refuse_each(self._dice.choice((1, 2, 3)))
        time.sleep(self._dice.uniform(0.5, 3))
        self._scene.proxy.refuse_each(0)

    def _slow_s3(self) -> None:
        self._scene.proxy.seconds = self._dice.uniform(0.5, _SLOW_SECONDS)
        time.sleep(self._dice.uniform(0.5, 3))
        self._scene.proxy.seconds = 0

    def _restart_s3(self) -> None:
        self._scene.s3.kill()
        time.sleep(self._dice.uniform(0, 2))
        self._scene.s3.start()

    def _repeat(self) -> None:
        """Send manifests again that were committed before, in another order."""
        for seen in self._dice.sample(self._seen, min(5, len(self._seen))):
            self._send(seen, seen.manifest)

    def _send_stale(self) -> None:
        """Replace a file without knowing what it is now."""
        if self._seen:
            seen = self._dice.choice(self._seen)
            frames = list(reversed(seen.manifest.frames))[: self._dice.randrange(1, 3)]
            size = sum(frame.size for frame in frames)
            parent = self._dice.choice((None, "0" * 64))
            changed = {"frames": frames, "size": size, "parent": parent}
            self._send(seen, msgspec.structs.replace(seen.manifest, **changed))

    def _forget_upload(self) -> None:
        """Send a frame twice that no manifest will ever name."""
        content = self._dice.randbytes(1_000)
        ((packed, _),) = compress([content], 0, 0)
        device = self._dice.choice(self._scene.devices)
        with device.machine.client() as client:
            for _ in range(2):
                _put(client, f"/push/frames/{content_hash(content).hex()}", packed)

    def _lose_object(self) -> None:
        """Delete an upload behind the server's back; its device has to send it again."""
        found = self._records(_UPLOADS)
        if found and self._scene.s3.folder is not None:
            key = self._dice.choice(found)["object_key"]
            for path in self._scene.s3.folder.glob(f"*/team/{key}"):
                path.unlink(missing_ok=True)

    def _send(self, seen: SeenManifest, manifest: FileManifest) -> None:
        with seen.device.machine.client() as client:
            response = _put(client, "/push/manifests", msgspec.json.encode(manifest), "POST")
        if response is None or response.status_code >= httpx.codes.INTERNAL_SERVER_ERROR:
            return
        change = response.json().get("change") if response.is_success else None
        self.counts[f"  answered {response.status_code} {change or ''}"] += 1
        if response.is_success and change not in _HARMLESS:
            self.violations.append(f"an old manifest of {manifest.file} was {change}")

    def _remember(self) -> None:
        """Remember a manifest that was committed."""
        try:
            found = self._records(_MANIFEST)
        except psycopg.Error:
            return
        for record in found:
            member, receipt = record.pop("member_id"), record.pop("receipt")
            manifest = msgspec.convert(record, FileManifest)
            owner = next(each for each in self._scene.devices if each.member == member)
            place = (manifest.root, manifest.file)
            before = [
                each.receipt
                for each in self._seen
                if (each.manifest.root, each.manifest.file) == place
            ]
            parent = before[-1] if before else None
            known = msgspec.structs.replace(manifest, parent=parent)
            self._seen.append(SeenManifest(owner, known, receipt))

    def _records(self, text: str) -> list[dict[str, Any]]:
        url = self._scene.programs.location.database_url
        with psycopg.connect(url, row_factory=dict_row) as connection:
            return connection.execute(text.encode()).fetchall()


def _put(
    client: httpx.Client, path: str, content: bytes, method: str = "PUT"
) -> httpx.Response | None:
    kind = "application/json" if method == "POST" else "application/zstd"
    try:
        return client.request(method, path, content=content, headers={"content-type": kind})
    except httpx.HTTPError:
        return None
