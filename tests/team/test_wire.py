"""What travels from `clew push` to a server at each tier: every request, decompressed and read.

The command is a process of its own, the server is a real one, and a proxy between them records all
bytes that the command sends.
"""

import hashlib
import re
import shutil
from collections.abc import Callable, Iterator
from itertools import count, cycle
from pathlib import Path

import msgspec
import psycopg
import pytest

from clew.archive import Archive
from clew.protocol import Tier
from clew.push import Consents, ProjectConsent
from clew.push.push_files import PushFiles
from clew.server.collect import collect_forgotten, delete_doomed, sweep_frames
from clew.server.seal import seal_idle_files
from clew.server.worker import Worker
from clew.store import Home
from clew.store.postgres_location import PostgresLocation
from tests.build import Call, SessionBuilder, bash, read
from tests.postgres_server import PostgresServer
from tests.recordings import HERE
from tests.team.clean_rows import session_files
from tests.team.laptop import TeamOfTests, running_team
from tests.team.machines import Machine
from tests.team.planted_secrets import password, planted, random_text
from tests.team.test_redacted import PLACES
from tests.team.test_structure import CANARY, canaries, is_allowed, is_telling
from tests.team.wire import Wire, json_strings, recording, unpack_all

pytestmark = pytest.mark.slow

WORD = CANARY
FOLDER = f"/home/{WORD}/code"
# Between them, they have all that a client writes: agents, workflows, teams, hooks, long results.
RECORDINGS = (
    *(("2.1.325", name) for name in ("subagent-nested", "workflow", "team", "bgagent", "todos")),
    *(("2.1.150", name) for name in ("content-blocks", "mcp", "worktree")),
    ("2.1.47", "attachments"),
    ("1.0.128", "hooks"),
)
# All that requests consist of besides names, hashes and numbers.
SCAFFOLD = """
host user-agent python-httpx accept accept-encoding gzip deflate br zstd connection keep-alive
content-type application/json application/zstd content-length authorization Bearer HTTP POST PUT
push hello missing frames manifests consents protocol roots buckets root file kind session agent
workflow project_key tier epoch size mtime_ns parent has_ended visibility project purge private
structure nothing null true false meta journal transcript
"""
_numbers = count(1)


@pytest.fixture(scope="module")
def server(
    postgres_server: PostgresServer,
    prepared_database: str,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[TeamOfTests]:
    url = postgres_server.make_database(like=prepared_database)
    location = PostgresLocation(url, str(tmp_path_factory.mktemp("blobs")))
    with running_team(location) as team:
        yield team


@pytest.fixture
def machine(server: TeamOfTests, tmp_path: Path) -> Machine:
    token = server.device(server.join(f"member{next(_numbers)}"))
    machine = Machine(tmp_path / "laptop", server.address, token)
    machine.log_in()
    return machine


def push(server: TeamOfTests, machine: Machine) -> Wire:
    """Push, and return what was sent for it."""
    with recording(server.proxy) as wire:
        machine.clew("push")
    return wire


def allow(machine: Machine, tier: Tier, *paths: str) -> None:
    """Allow something for some projects, by default for all that there are."""
    wanted = list(paths)
    if not paths:
        with Archive(Home(machine.home)) as archive:
            archive.sync([machine.claude], workers=1)
            wanted = [each.project for each in archive.projects()]
    consents = [ProjectConsent(server=machine.address, path=path, tier=tier) for path in wanted]
    Consents(PushFiles(machine.home)).save(consents)


def talk(name: str = WORD, folder: str = FOLDER) -> SessionBuilder:
    """Return a session with a word in all that a person or a model writes."""
    session = SessionBuilder(name, cwd=folder, branch=f"fix-{WORD}").user(f"about {WORD}")
    session.tools(bash(f"cat {WORD}.txt", f"it is {WORD}")).custom_title(f"On {WORD}")
    session.tools(read(f"{folder}/{WORD}.py", f"{WORD} = 1"))
    session.tools(Call("Bash", {"command": WORD}, f"{WORD} " * 20, persisted=True))
    session.agent(f"{WORD}-agent", f"See {WORD}", lambda run: run.assistant(f"Saw {WORD}."))
    return session.assistant(f"{WORD} it is")


def plant_everywhere(root: Path) -> None:
    """Write recorded sessions in which every string, file and folder has the word in its name."""
    for version, name in RECORDINGS:
        found = HERE / version / name / "root" / "projects"
        for path in [path for path in found.rglob("*") if path.is_file()]:
            folder, *inner = path.relative_to(found).parts
            inner[-1] = re.sub(r"^agent-([^.]*)", rf"agent-{WORD}\1", inner[-1])
            if "tool-results" in inner:
                inner[-1] = f"{WORD}-{inner[-1]}"
            target = root.joinpath("projects", f"-{WORD}{folder}", *inner)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(b"\n".join(map(_with_words, path.read_bytes().split(b"\n"))))


def _with_words(line: bytes) -> bytes:
    """Put the word into every string of a line; all work is done in one folder."""
    try:
        tree = canaries(msgspec.json.decode(line), [0], with_types=False)
    except msgspec.DecodeError:
        return line + WORD.encode() if line else line
    folder = f'"cwd":"{FOLDER}"'.encode()
    return re.sub(rb'"cwd":"[^"]*"', folder, msgspec.json.encode(tree))


def names_of(root: Path) -> set[str]:
    """Return the names of all files and folders, and the paths of those that worked there."""
    files = [path for path in root.rglob("*") if path.is_file()]
    parts = {part for path in files for part in path.relative_to(root).parts}
    return {*parts, *(part.split(".")[0].removeprefix("agent-") for part in parts)}


def test_nothing_sends_nothing(server: TeamOfTests, machine: Machine, tmp_path: Path) -> None:
    capped = tmp_path / f"{WORD}-capped"
    capped.mkdir()
    (capped / ".clew.toml").write_text('[team]\nmax_tier = "nothing"\n')
    sessions = {
        "undecided": talk("undecided"),
        "decided": talk("decided", "/home/dev/decided"),
        "capped": talk("capped", str(capped)),
        "also elsewhere": talk("also elsewhere", "/home/dev/open")
        .cwd("/home/dev/decided")
        .user("so"),
    }
    for session in sessions.values():
        session.write(machine.claude)

    silent = [push(server, machine).requests]
    with recording(server.proxy) as wire:
        machine.clew("push", "--dry-run")
        machine.clew("consent", "set", "/home/dev/decided", "nothing", "--yes")
        machine.clew("push")
    silent.append(wire.requests)
    allow(machine, Tier.EVERYTHING, "/home/dev/open", str(capped))
    greeting = push(server, machine)
    SessionBuilder("open", cwd="/home/dev/open").user("in the open").write(machine.claude)
    wire = push(server, machine)

    assert silent == [[], []]
    assert {path.split("/")[2] for path in greeting.paths} == {"hello", "consents"}
    assert [manifest.session for manifest in wire.manifests] == [SessionBuilder("open").session_id]
    for sent in (greeting.text(), wire.text()):
        assert WORD not in sent
        assert "decided" not in sent
        assert [name for name, one in sessions.items() if one.session_id in sent] == []
    assert "in the open" in wire.text()


def test_structure_has_no_string_of_the_transcripts(server: TeamOfTests, machine: Machine) -> None:
    for version, name in RECORDINGS:
        root = HERE / version / name / "root"
        shutil.copytree(root, machine.claude, dirs_exist_ok=True)
    allow(machine, Tier.STRUCTURE)

    wire = push(server, machine)

    files = session_files(machine.claude)
    assert len(wire.manifests) > len(RECORDINGS)
    assert {manifest.tier for manifest in wire.manifests} == {"structure"}
    told = {leaf for frame in wire.frames.values() for leaf in json_strings(frame)}
    assert [leaf for leaf in told if not is_allowed(leaf)] == []
    written = {leaf for data in files.values() for leaf in json_strings(data)}
    text = wire.strings()
    left = {leaf for leaf in {*written, *names_of(machine.claude)} if is_telling(leaf)}
    assert len(left) > 1_000
    assert [leaf for leaf in left if leaf in text and leaf not in SCAFFOLD] == []


def test_structure_has_no_planted_word(server: TeamOfTests, machine: Machine) -> None:
    plant_everywhere(machine.claude)
    talk().write(machine.claude)
    allow(machine, Tier.STRUCTURE)

    wire = push(server, machine)

    assert len(wire.manifests) > len(RECORDINGS)
    text = wire.text()
    assert WORD not in text.lower()
    assert "/home/" not in text
    # Names are hidden by a key: whoever guesses one cannot check it.
    known = {*names_of(machine.claude), FOLDER, WORD, f"fix-{WORD}", talk().session_id}
    assert [name for name in known if any(digest in text for digest in digests(name))] == []


def digests(name: str) -> Iterator[str]:
    """Give what a name becomes without a key."""
    for kind in ("md5", "sha1", "sha256"):
        yield hashlib.new(kind, name.encode(), usedforsecurity=False).hexdigest()[:16]


def plant_secrets(machine: Machine) -> list[str]:
    """Write sessions with hundreds of secrets in all places, names included; return the secrets."""
    texts = planted()
    secrets = [secret for _, own in texts for secret in own]
    token, other = "ghp_" + "a1B2" * 9, "glpat-" + random_text(7, 20)
    session = SessionBuilder("planted", cwd=f"/home/dev/{token}", branch=other).user("Begin.")
    session.tools(Call("Bash", {"command": "cat it"}, "long " * 40, persisted=True))
    session.agent("Look", "Look", lambda run: run.assistant("Seen."))
    for (text, _), place in zip(texts, cycle(PLACES.values()), strict=False):
        place(session, text)
    path = session.assistant("Done.").write(machine.claude)
    for found in list(path.parent.rglob("tool-results/*"))[:1]:
        found.rename(found.with_name(f"{other}.txt"))
    (agent, *_) = path.parent.rglob("agent-*.jsonl")
    agent.rename(agent.with_name(f"agent-{token}.jsonl"))
    return [*secrets, token, other]


def test_redacted_has_no_planted_secret(server: TeamOfTests, machine: Machine) -> None:
    secrets = plant_secrets(machine)
    assert len(secrets) >= 300
    allow(machine, Tier.REDACTED)

    wire = push(server, machine)

    assert {manifest.tier for manifest in wire.manifests} == {"redacted"}
    text = wire.text()
    assert [secret for secret in secrets if secret in text] == []
    manifests = str(wire.manifests)
    named = {name for name in names_of(machine.claude) if len(name) > 20}
    assert [name for name in named if name in manifests] == []
    assert text.count("[redacted: ") >= 300
    assert "Begin." in text


def test_a_secret_that_is_recognised_later_leaves_neither_wire_nor_server_with_it(
    server: TeamOfTests, machine: Machine
) -> None:
    session = SessionBuilder("late").user("Use " + ", ".join(map(password, range(300))))
    session.agent("Look", "Look", lambda run: run.assistant(f"with {password(7)}"))
    session.assistant("Yes.").write(machine.claude)
    allow(machine, Tier.REDACTED)
    first = push(server, machine).text()
    assert [number for number in range(300) if password(number) not in first] == []
    work(server)
    assert password(7) in everything_on(server)
    for number in range(300):
        session.tools(bash("cat it", f"DB_PASSWORD={password(number)}\n"))
    session.write(machine.claude)

    wire = push(server, machine)
    work(server)

    text = wire.text()
    assert [number for number in range(300) if password(number) in text] == []
    # Not even as a word of an index.
    left = everything_on(server).lower()
    assert [number for number in range(300) if f"xyz{number}q" in left] == []
    assert "[redacted: password 300]" in left
    assert {manifest.parent is None for manifest in wire.manifests} == {False}


def work(server: TeamOfTests) -> None:
    """Let workers derive and seal all there is, and delete for good what is not used."""
    for _ in range(2):
        server.rows("UPDATE session_state SET due_at = now()")
        Worker(server.location).run_once()
        seal_idle_files(server.location, idle=-1)
    collect_forgotten(server.location, hours=-1)
    sweep_frames(server.location, hours=-1)
    delete_doomed(server.location, days=-1)


def everything_on(server: TeamOfTests) -> str:
    """Return all rows of all tables of a server, and all its objects, decompressed."""
    files = [path for path in Path(server.location.blobs).rglob("*") if path.is_file()]
    texts = [unpack_all(path.read_bytes()).decode("utf-8", "replace") for path in files]
    with psycopg.connect(server.location.database_url) as connection:
        tables = connection.execute(
            "SELECT format('%I.%I', schemaname, tablename) FROM pg_tables"
            " WHERE schemaname NOT LIKE 'pg\\_%' AND schemaname <> 'information_schema'"
        ).fetchall()
        for (table,) in tables:
            rows = connection.execute(f"SELECT t::text FROM {table} AS t".encode())  # noqa: S608
            texts += [row[0] for row in rows]
    return "\n".join(texts)


def test_everything_is_sent_byte_by_byte(server: TeamOfTests, machine: Machine) -> None:
    for version, name in RECORDINGS:
        shutil.copytree(HERE / version / name / "root", machine.claude, dirs_exist_ok=True)
    (machine.claude / "history.jsonl").write_text('{"display":"a plan of my own"}\n')
    allow(machine, Tier.EVERYTHING)

    wire = push(server, machine)

    files = session_files(machine.claude)
    # A list without a transcript belongs to no project, for which nobody could allow anything.
    transcripts = {Path(path).stem for path in files if path.endswith(".jsonl")}
    kept = {
        path: data
        for path, data in files.items()
        if data and not (path.startswith("todos/") and Path(path).name[:36] not in transcripts)
    }
    assert wire.files() == kept
    assert "a plan of my own" not in wire.text()


def at_structure(machine: Machine, folder: str) -> None:
    allow(machine, Tier.STRUCTURE, folder)


def at_nothing(machine: Machine, folder: str) -> None:
    allow(machine, Tier.NOTHING, folder)


def capped(machine: Machine, folder: str) -> None:
    allow(machine, Tier.EVERYTHING, folder)
    Path(folder, ".clew.toml").write_text('[team]\nmax_tier = "structure"\n')


@pytest.mark.parametrize(
    ("limit", "tiers"),
    [(at_structure, {"structure"}), (capped, {"structure"}), (at_nothing, set())],
)
def test_the_lowest_tier_of_all_folders_travels(
    limit: Callable[[Machine, str], None],
    tiers: set[str],
    server: TeamOfTests,
    machine: Machine,
    tmp_path: Path,
) -> None:
    folder = tmp_path / WORD
    folder.mkdir()
    talk().cwd(str(folder)).user(f"and here {WORD}").cwd(FOLDER).write(machine.claude)
    talk("alone", str(folder)).write(machine.claude)
    allow(machine, Tier.EVERYTHING, FOLDER)
    limit(machine, str(folder))

    wire = push(server, machine)

    assert {str(manifest.tier) for manifest in wire.manifests} == tiers
    assert WORD not in wire.text()
    assert [one for one in (talk(), talk("alone")) if one.session_id in wire.text()] == []
