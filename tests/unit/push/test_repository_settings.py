"""What a repository permits and suggests."""

from pathlib import Path

import pytest

from clew.protocol import Tier
from clew.push.repository_settings import RepositorySettings, read_repository_settings


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    (folder / ".git").mkdir(parents=True)
    (folder / "src" / "app").mkdir(parents=True)
    return folder


def test_a_repository_without_a_file_says_nothing(repository: Path) -> None:
    assert read_repository_settings(repository) == RepositorySettings()
    assert read_repository_settings(repository / "no" / "longer" / "there") == RepositorySettings()


def test_settings_hold_for_all_folders_of_a_repository(repository: Path) -> None:
    text = '[team]\nmax_tier = "redacted"\nsuggest_tier = "structure"\nproject = " payments "\n'
    (repository / ".clew.toml").write_text(text)

    expected = RepositorySettings(
        max_tier=Tier.REDACTED, suggest_tier=Tier.STRUCTURE, project="payments"
    )
    assert read_repository_settings(repository) == expected
    assert read_repository_settings(repository / "src" / "app") == expected


def test_the_lowest_maximum_and_the_nearest_suggestion_count(repository: Path) -> None:
    (repository / ".clew.toml").write_text('[team]\nmax_tier = "structure"\nproject = "all"\n')
    inner = '[team]\nmax_tier = "everything"\nproject = "app"\n'
    (repository / "src" / ".clew.toml").write_text(inner)

    found = read_repository_settings(repository / "src" / "app")

    assert (found.max_tier, found.project) == (Tier.STRUCTURE, "app")


def test_a_file_above_the_repository_does_not_count(repository: Path) -> None:
    (repository.parent / ".clew.toml").write_text('[team]\nmax_tier = "nothing"\n')

    assert read_repository_settings(repository) == RepositorySettings()


def test_outside_of_repositories_the_folder_itself_counts(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / ".clew.toml").write_text('[team]\nmax_tier = "structure"\n')

    assert read_repository_settings(tmp_path).max_tier is Tier.STRUCTURE
    assert read_repository_settings(tmp_path / "a").max_tier is None


@pytest.mark.parametrize(
    "content",
    [
        b"[team",
        b"\xff\xfe",
        b'[team]\nmax_tier = "secret"\n',
        b"[team]\nmax_tier = 3\n",
        b'[team]\nmaxtier = "structure"\n',
        b"team = 1\n",
        b'[team]\nproject = "a\\u0000b"\n',
        b"# " + b"x" * (64 << 10),
    ],
)  # fmt: skip
def test_a_file_that_cannot_be_understood_permits_nothing(repository: Path, content: bytes) -> None:
    (repository / ".clew.toml").write_bytes(content)

    found = read_repository_settings(repository)

    assert found.max_tier is Tier.NOTHING
    assert found.problem.startswith(f"{repository / '.clew.toml'} ")


def test_a_folder_of_that_name_permits_nothing(repository: Path) -> None:
    (repository / ".clew.toml").mkdir()

    assert read_repository_settings(repository).max_tier is Tier.NOTHING


def test_other_tables_are_for_others(repository: Path) -> None:
    (repository / ".clew.toml").write_text('[other]\nname = "x"\n')

    assert read_repository_settings(repository) == RepositorySettings()
