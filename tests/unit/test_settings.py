"""Which archive is used: options, variables, the settings file, and what is refused."""

from collections.abc import Callable
from pathlib import Path

import pytest

from clew.settings import (
    ArchiveChoice,
    DigestSettings,
    SettingsError,
    SettingsFile,
    SettingValue,
    choose_archive,
    hide_password,
)

DATABASE = "postgresql://clew@db.example/clew"
BUCKET = "s3://bucket/clew"
Choose = Callable[..., ArchiveChoice]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Give the place of the settings file, with its folder."""
    path = tmp_path / "config" / "clew" / "config.toml"
    path.parent.mkdir(parents=True)
    return path


@pytest.fixture
def choose(tmp_path: Path, file: Path) -> Choose:
    """Choose with some variables, as a user whose settings file is `file`."""

    def run(archive: str = "", blobs: str = "", **environ: str) -> ArchiveChoice:
        folders = {"XDG_CONFIG_HOME": str(file.parents[1]), "XDG_DATA_HOME": str(tmp_path / "data")}
        return choose_archive({**folders, **environ}, tmp_path, archive, blobs)

    return run


def test_the_one_that_is_named_most_closely_is_used(choose: Choose, file: Path) -> None:
    file.write_text('archive = "/from/file"\n')

    found = [
        choose("/given", CLEW_ARCHIVE="/from/variable", CLEW_HOME="/home"),
        choose(CLEW_ARCHIVE="/from/variable", CLEW_HOME="/home"),
        choose(CLEW_HOME="/home"),
    ]
    file.unlink()
    found += [choose(CLEW_HOME="/home"), choose()]

    assert [choice.archive for choice in found] == [
        SettingValue("/given", "--archive"),
        SettingValue("/from/variable", "CLEW_ARCHIVE"),
        SettingValue("/from/file", "settings file"),
        SettingValue("/home", "CLEW_HOME"),
        SettingValue(str(file.parents[2] / "data" / "clew"), "default"),
    ]
    assert {choice.blobs for choice in found} == {None}


def test_empty_variables_are_not_set(choose: Choose) -> None:
    assert choose(CLEW_ARCHIVE="", CLEW_HOME="", CLEW_BLOBS="").archive.source == "default"


def test_a_directory_is_made_absolute(
    choose: Choose, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "me"))

    assert choose("mine").archive.value == str(tmp_path / "mine")
    assert choose("~/mine").archive.value == str(tmp_path / "me" / "mine")


def test_blobs_of_a_database_come_from_a_variable_or_the_file(choose: Choose, file: Path) -> None:
    file.write_text(f'archive = "{DATABASE}"\nblobs = "{BUCKET}"\n')

    assert choose().blobs == SettingValue(BUCKET, "settings file")
    assert choose(DATABASE).blobs == SettingValue(BUCKET, "settings file")
    assert choose(CLEW_BLOBS="/other").blobs == SettingValue("/other", "CLEW_BLOBS")
    assert choose(DATABASE, "/mine", CLEW_BLOBS="/other").blobs == SettingValue(
        "/mine", "--archive"
    )


def test_a_folder_of_blobs_is_the_same_wherever_a_command_runs(choose: Choose) -> None:
    found = choose(DATABASE, CLEW_BLOBS="blobs").blobs

    assert found == SettingValue(str(Path("blobs").absolute()), "CLEW_BLOBS")


def test_another_database_has_other_blobs_than_those_of_the_file(
    choose: Choose, file: Path
) -> None:
    file.write_text(f'archive = "{DATABASE}"\nblobs = "{BUCKET}"\n')

    with pytest.raises(SettingsError, match="set CLEW_BLOBS to s3://"):
        choose("postgresql://clew@db.example/other")


def test_blobs_alone_in_the_file_are_for_any_database(choose: Choose, file: Path) -> None:
    file.write_text(f'blobs = "{BUCKET}"\n')

    assert choose(CLEW_ARCHIVE=DATABASE).blobs == SettingValue(BUCKET, "settings file")


def test_a_database_without_blobs_is_refused_without_its_password(choose: Choose) -> None:
    with pytest.raises(SettingsError) as refused:
        choose("postgresql://me:secret@host/clew")

    assert "postgresql://me:***@host/clew; set CLEW_BLOBS" in str(refused.value)


@pytest.mark.parametrize(
    ("given", "environ", "named"),
    [
        ({"archive": "/a", "blobs": BUCKET}, {}, "remove blobs"),
        ({}, {"CLEW_ARCHIVE": "/a", "CLEW_BLOBS": BUCKET}, "remove CLEW_BLOBS"),
        ({}, {"CLEW_HOME": "/a", "CLEW_BLOBS": BUCKET}, "remove CLEW_BLOBS"),
        ({}, {"CLEW_BLOBS": BUCKET}, "remove CLEW_BLOBS"),
    ],
)
def test_blobs_beside_a_directory_are_refused(
    choose: Choose, given: dict[str, str], environ: dict[str, str], named: str
) -> None:
    with pytest.raises(SettingsError, match=named):
        choose(**given, **environ)


def test_blobs_beside_a_directory_are_refused_in_the_file(choose: Choose, file: Path) -> None:
    file.write_text(f'blobs = "{BUCKET}"\n')

    with pytest.raises(SettingsError, match=f"remove `blobs` in {file}"):
        choose()


def test_a_directory_may_replace_a_database_with_its_blobs(choose: Choose, file: Path) -> None:
    file.write_text(f'archive = "{DATABASE}"\nblobs = "{BUCKET}"\n')

    assert choose("/a", CLEW_ARCHIVE=DATABASE, CLEW_BLOBS=BUCKET).blobs is None
    assert choose(CLEW_ARCHIVE="/a").blobs is None


def test_a_file_that_is_not_needed_is_not_read(choose: Choose, file: Path) -> None:
    file.write_text("this is no TOML")

    assert choose(CLEW_ARCHIVE="/a").archive.value == "/a"
    with pytest.raises(SettingsError):
        choose(CLEW_HOME="/a")


@pytest.mark.parametrize("address", ["s3://bucket", "https://me:secret@host/x", "mysql://h/d"])
def test_an_address_of_something_else_is_refused(choose: Choose, address: str) -> None:
    with pytest.raises(SettingsError, match="is not an archive; use a directory") as refused:
        choose(address)

    assert "secret" not in str(refused.value)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("archive = ", "is not valid TOML"),
        (b"archive = '\xff'", "is not valid TOML"),
        ("colour = 'red'", "there is no setting 'colour'; the settings are: archive, blobs"),
        ("archive = 1", "archive must be a postgresql:// address or the absolute path"),
        ("archive = ''", "archive must be a postgresql:// address or the absolute path"),
        ("archive = 'relative/path'", "archive must be a postgresql:// address"),
        ("[blobs]\nurl = 's3://a'", "blobs must be s3://BUCKET/PREFIX or the absolute path"),
    ],
)
def test_a_wrong_file_is_refused_with_its_path_and_what_is_allowed(
    choose: Choose, file: Path, text: str | bytes, problem: str
) -> None:
    file.write_bytes(text if isinstance(text, bytes) else text.encode())

    with pytest.raises(SettingsError) as refused:
        choose()

    assert problem in str(refused.value)
    assert str(file) in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_byte_order_mark_does_no_harm(choose: Choose, file: Path) -> None:
    file.write_bytes(b"\xef\xbb\xbfarchive = '/a'\n")

    assert choose().archive.value == "/a"


def test_a_variable_names_another_file(choose: Choose, tmp_path: Path) -> None:
    other = tmp_path / "other.toml"

    with pytest.raises(SettingsError, match=f"there is no file {other}; create it"):
        choose(CLEW_CONFIG=str(other))
    other.write_text("archive = '/other'\n")
    assert choose(CLEW_CONFIG=str(other)).archive.value == "/other"
    assert SettingsFile({"CLEW_CONFIG": str(other)}, tmp_path).path == other


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("postgresql://me:secret@host:5432/db", "postgresql://me:***@host:5432/db"),
        ("postgresql://:secret@host/db", "postgresql://:***@host/db"),
        ("postgresql://me:sec/ret@x@host/db", "postgresql://me:***@host/db"),
        ("postgresql://me@host:5432/db", "postgresql://me@host:5432/db"),
        ("postgresql:///db?password=secret&user=me", "postgresql:///db?password=***&user=me"),
        ("postgresql:///db?sslpassword=secret", "postgresql:///db?sslpassword=***"),
        ("/home/me/archive", "/home/me/archive"),
        ("s3://key:secret@bucket/prefix", "s3://key:***@bucket/prefix"),
    ],
)
def test_passwords_are_not_shown(address: str, shown: str) -> None:
    assert hide_password(address) == shown


def digest_settings(file: Path, text: str) -> DigestSettings:
    file.write_text(text, "utf-8")
    return SettingsFile({"XDG_CONFIG_HOME": str(file.parents[1])}, file.parent).values.digest


def test_without_a_section_no_model_writes_digests(file: Path) -> None:
    assert digest_settings(file, "") == DigestSettings(
        model="", redact=True, max_cost_per_run=1.0, max_cost_per_day=5.0
    )


def test_a_section_sets_who_writes_digests(file: Path) -> None:
    found = digest_settings(
        file, '[digest]\nmodel = "claude-haiku-4-5"\nmax_cost_per_day = 2\nredact = false\n'
    )

    assert (found.model, found.max_cost_per_day) == ("claude-haiku-4-5", 2.0)
    assert not found.redact


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[digest]\nmodle = 'x'", "unknown field 'modle'; its settings are: model, base_url"),
        ("[digest]\nmodel = 3", "Expected 'str', got 'int'"),
        ("digest = 3", "Expected 'object', got 'int'"),
        ("[digest]\nmax_cost_per_run = -1", "max_cost_per_run must be an amount in dollars"),
        ("[digest]\nmax_cost_per_day = nan", "max_cost_per_day must be an amount in dollars"),
        ("model = 'x'", "the settings are: archive, blobs, digest"),
    ],
)
def test_a_section_with_mistakes_is_refused(file: Path, text: str, words: str) -> None:
    with pytest.raises(SettingsError) as raised:
        digest_settings(file, text)

    assert words in str(raised.value)
