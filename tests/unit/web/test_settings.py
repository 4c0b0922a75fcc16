"""Where the app may listen."""

import pytest

from clew.web.settings import ExposedError, Settings, is_any, is_loopback, require_safe

LONG = "sixteen-letters-and-more"


@pytest.mark.parametrize("host", ["127.0.0.1", "127.9.9.9", "::1", "[::1]", "localhost"])
def test_this_machine_alone_needs_no_token(host: str) -> None:
    assert is_loopback(host)
    require_safe(Settings(host=host))


@pytest.mark.parametrize("host", ["192.168.0.2", "example.org", "::"])
def test_others_need_a_long_token(host: str) -> None:
    require_safe(Settings(host=host, token=LONG))
    with pytest.raises(ExposedError):
        require_safe(Settings(host=host, token=LONG[:15]))


def test_all_addresses_are_no_name() -> None:
    assert is_any("::")
    assert not is_any("example.org")
    assert "::" not in Settings(host="::", token=LONG).names


def test_names_are_those_of_this_machine_and_what_was_said() -> None:
    names = Settings(host="Box.Example", hosts=("clew.example",)).names

    assert {"localhost", "127.0.0.1", "::1", "box.example", "clew.example"} == names
