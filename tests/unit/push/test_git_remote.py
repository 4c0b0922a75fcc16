"""The name of a repository, however its address is written."""

import subprocess
from pathlib import Path

import pytest

from clew.push.git_remote import find_remote, normalise_remote

SAME = (
    "git@github.com:Acme/Payments.git",
    "github.com:acme/payments",
    "me@GitHub.com:/acme/payments.git/",
    "https://github.com/acme/payments.git",
    "https://github.com/acme/payments/",
    "http://github.com:80/acme/payments",
    "https://mira:ghp_token@github.com:443/Acme/Payments.git",
    "ssh://git@github.com/acme/payments.git",
    "ssh://git@github.com:22/acme//payments.git",
    "ssh://git@github.com.:2222/acme/payments",
    "git://GITHUB.COM/acme/payments.git",
    "git+ssh://git@github.com/acme/payments.git",
    " https://github.com/acme/payments.git?x=1#y\n",
    "https://github.com/acme/p%61yments",
)
NOT_REMOTE = (
    "",
    "/srv/git/payments.git",
    "../payments",
    "file:///srv/git/payments.git",
    "C:\\code\\payments",
    "C:/code/payments",
    "https://github.com",
    "https://github.com/",
    "https:///acme/payments",
    "https://git hub.com/acme/payments",
    "https://github.com/../../etc/passwd",
    "https://github.com/acme/pay\nments",
    "https://[::1/acme/payments",
    "ext::sh -c whoami",
    "ftp://github.com/acme/payments",
    "https://github.com/" + "a" * 300,
)


@pytest.mark.parametrize("address", SAME)
def test_all_spellings_of_an_address_are_one_name(address: str) -> None:
    assert normalise_remote(address) == "github.com/acme/payments"


@pytest.mark.parametrize("address", NOT_REMOTE)
def test_what_names_no_repository_elsewhere_has_no_name(address: str) -> None:
    assert normalise_remote(address) is None


def test_an_address_by_number_keeps_it() -> None:
    assert normalise_remote("ssh://git@[2001:DB8::7]:22/a/b.git") == "2001:db8::7/a/b"
    assert normalise_remote("git@10.0.0.7:a/b.git") == "10.0.0.7/a/b"


def run_git(folder: Path, *words: str) -> None:
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.com")
    command = ["git", *identity, *words]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)  # noqa: S603


def test_the_remote_of_a_repository_is_that_of_its_worktrees_and_folders(tmp_path: Path) -> None:
    main = tmp_path / "main"
    (main / "src").mkdir(parents=True)
    run_git(main, "init", "-q")
    run_git(main, "commit", "-q", "--allow-empty", "-m", "first")
    assert find_remote(main) is None
    run_git(main, "remote", "add", "fork", "https://github.com/mira/payments")
    run_git(main, "remote", "add", "origin", "git@github.com:Acme/Payments.git")
    run_git(main, "worktree", "add", "-q", str(tmp_path / "other"))

    for folder in (main, main / "src", tmp_path / "other"):
        assert find_remote(folder) == "github.com/acme/payments"
    assert find_remote(tmp_path) is None


@pytest.mark.parametrize("config", [b"[remote", b"\xff\x00", b'[remote "origin"]\nurl', b""])
def test_settings_that_are_damaged_name_nothing(tmp_path: Path, config: bytes) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "config").write_bytes(config)

    assert find_remote(tmp_path) is None
