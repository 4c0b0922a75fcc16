from pathlib import Path

import msgspec
import pytest

from clew.protocol import Tier, Visibility
from clew.push import Consents, ProjectConsent, PushFiles
from clew.push.push_files import UnreadablePushFileError

SERVER = "https://clew.example.com"


@pytest.fixture
def consents(tmp_path: Path) -> Consents:
    return Consents(PushFiles(tmp_path / "home"))


def test_decisions_are_kept_in_a_file_that_people_can_read(
    consents: Consents, tmp_path: Path
) -> None:
    first = ProjectConsent(server=SERVER, path="/home/me/a", tier=Tier.EVERYTHING)
    odd = ProjectConsent(
        server=SERVER,
        path='/home/me/"b"\n\x7f\\',
        tier=Tier.STRUCTURE,
        visibility=Visibility.PROJECT,
        server_project="example.com/b",
    ).as_sent(3)
    assert consents.all() == []

    consents.save([odd, first])
    consents.save([msgspec.structs.replace(first, tier=Tier.REDACTED)])

    path = tmp_path / "home" / "consent.toml"
    assert path.stat().st_mode & 0o777 == 0o600
    assert 'tier = "redacted"' in path.read_text()
    assert {each.path: each for each in consents.all(SERVER)}[odd.path] == odd
    found = consents.find(SERVER, "/home/me/a")
    assert found is not None
    assert found.tier is Tier.REDACTED
    assert consents.all("https://other.example.com") == []


def test_an_edited_decision_is_sent_again(consents: Consents, tmp_path: Path) -> None:
    consent = ProjectConsent(
        server=SERVER, path="/a", tier=Tier.EVERYTHING, visibility=Visibility.ORGANISATION
    )
    consents.save([consent.as_sent(2)])
    assert consents.all()[0].is_sent
    path = tmp_path / "home" / "consent.toml"

    path.write_text(path.read_text().replace('visibility = "organisation"', ""))

    (found,) = consents.all()
    assert (found.visibility, found.epoch, found.is_sent) == (Visibility.PRIVATE, 2, False)


def test_a_project_has_another_key_on_each_server_and_laptop(
    consents: Consents, tmp_path: Path
) -> None:
    one = ProjectConsent(server=SERVER, path="/home/me/a", tier=Tier.EVERYTHING)
    two = msgspec.structs.replace(one, server="https://other.example.com")
    other = Consents(PushFiles(tmp_path / "other"))

    keys = {consents.key_of(one), consents.key_of(two), other.key_of(one)}

    assert len(keys) == 3
    assert consents.key_of(one) in keys
    assert (tmp_path / "home" / "push.key").stat().st_mode & 0o777 == 0o600


def test_a_file_that_was_damaged_allows_nothing_and_is_named(
    consents: Consents, tmp_path: Path
) -> None:
    path = tmp_path / "home" / "consent.toml"
    path.parent.mkdir()
    path.write_text('[[project]]\npath = "/a"\nserver = "https://x"\ntier = "all"\n')

    with pytest.raises(UnreadablePushFileError, match=r"consent\.toml cannot be used"):
        consents.all()
