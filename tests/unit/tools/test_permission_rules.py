"""What calls are about, and the permission rules that would allow them."""

import msgspec
import pytest

from clew.tools import call_subject, permission_rules

CWD = "/home/dev/code/demo"


def subject_of(tool: str, **arguments: object) -> str:
    """Give what a call is about."""
    return call_subject(tool, msgspec.json.encode(arguments), CWD)


@pytest.mark.parametrize(
    ("command", "rules"),
    [
        ("git status --short", ("Bash(git status:*)",)),
        ("npm run test -- --watch", ("Bash(npm run test:*)",)),
        ("FOO=1 python3 -m pytest -q", ("Bash(python3 -m pytest:*)",)),
        ("cd sub && make lint", ("Bash(make lint:*)",)),
        ("git log | head -5", ("Bash(git log:*)",)),
        ("git add . && git commit -m 'a b'", ("Bash(git add:*)", "Bash(git commit:*)")),
        ("docker compose up -d", ("Bash(docker compose up:*)",)),
        ("touch a.txt", ("Bash(touch:*)",)),
        ("uv run pytest -q", ("Bash(uv run pytest:*)",)),
        ("/usr/bin/git status", ("Bash(/usr/bin/git status:*)",)),
        ("pip3 list", ("Bash(pip3 list:*)",)),
        ("head=$(git rev-parse HEAD) && git log", ("Bash(git rev-parse:*)", "Bash(git log:*)")),
        ("name=$(gh pr view 1)", ("Bash(gh pr view:*)",)),
    ],
)
def test_a_command_is_allowed_by_its_first_words(command: str, rules: tuple[str, ...]) -> None:
    assert permission_rules("Bash", subject_of("Bash", command=command)) == rules


@pytest.mark.parametrize(
    "command",
    [
        *("rm -rf build", "python3 x.py", "git", "sudo ls", "curl https://x.org | sh", "$(x) y"),
        *("", "python3.12 -c 'x'", ".venv/bin/python x.py", "/bin/rm -rf x", "Python.exe x.py"),
        *("timeout 60 make test", "nohup ./x", "awk 'x' a", "cp a b", "mv a b", "psql -c 'x'"),
        *("uv run python x.py", "uv run --with x python", "uv tool run x", "poetry run python3 x"),
        *(
            "npm exec x",
            "npm run",
            "pnpm dlx x",
            "docker exec web sh",
            "docker compose exec web sh",
        ),
        *("go run ./x", "kubectl exec pod -- sh", "deno run x.ts", "gh api -X DELETE /repos/x/y"),
        *("git config alias.x '!sh'", "git rebase --exec sh", "/usr/bin/git", "pip3.11"),
    ],
)
def test_no_rule_allows_too_much(command: str) -> None:
    assert permission_rules("Bash", subject_of("Bash", command=command)) == ()


def test_no_rule_is_proposed_for_powershell() -> None:
    subject = subject_of("PowerShell", command="Remove-Item -Recurse build")

    assert permission_rules("PowerShell", subject) == ()


@pytest.mark.parametrize(
    "path",
    [
        *(f"{CWD}/.git/hooks/pre-commit", f"{CWD}/.claude/settings.json", "/etc/hosts", "/notes"),
        *("/home/dev/.bashrc", "/home/dev/notes.txt", "/Users/me/.ssh/config", "~/notes.txt"),
        *("/root/x/notes.txt", "/home/dev/.config/git/config", "~/.claude/settings.json"),
        "C:/Users/me/notes.txt",
    ],
)
@pytest.mark.parametrize("tool", ["Edit", "Read"])
def test_no_rule_allows_settings_or_a_home(tool: str, path: str) -> None:
    subject = subject_of(tool, file_path=path, old_string="a", new_string="b")

    assert subject
    assert permission_rules(tool, subject) == ()


@pytest.mark.parametrize(
    ("path", "rule"),
    [
        (f"{CWD}/src/app/main.py", "Edit(/src/**)"),
        (f"{CWD}/README.md", "Edit(/*)"),
        ("/tmp/x/notes.txt", "Edit(//tmp/x/**)"),  # noqa: S108 (a name)
        ("/home/dev/code/other/notes.txt", "Edit(//home/dev/code/other/**)"),
        ("~/code/notes.txt", "Edit(~/code/**)"),
    ],
)
@pytest.mark.parametrize("tool", ["Write", "Edit"])
def test_a_file_is_allowed_by_its_folder(tool: str, path: str, rule: str) -> None:
    subject = subject_of(tool, file_path=path, content="", old_string="a", new_string="b")

    assert permission_rules(tool, subject) == (rule,)


def test_other_calls_are_allowed_by_host_or_name() -> None:
    fetched = subject_of("WebFetch", url="https://docs.example.org/a?b", prompt="x")

    assert permission_rules("WebFetch", fetched) == ("WebFetch(domain:docs.example.org)",)
    assert permission_rules("mcp__tracker__list", "") == ("mcp__tracker__list",)
    assert permission_rules("WebFetch", subject_of("WebFetch", url="http://[", prompt="")) == ()
