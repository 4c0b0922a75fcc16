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


@pytest.mark.parametrize(
    "name", ["192.168.1.5", "10.0.0.7", "fd00::2", "box", "box.lan", "box.local"]
)
@pytest.mark.parametrize("host", ["::", "192.168.1.9", "example.org"])
def test_others_may_call_this_machine_as_their_network_does(
    monkeypatch: pytest.MonkeyPatch, host: str, name: str
) -> None:
    monkeypatch.setattr("socket.gethostname", lambda: "Box.home")

    assert Settings(host=host, token=LONG).accepts_host(name)
    assert not Settings(host="127.0.0.1", token=LONG).accepts_host(name)


@pytest.mark.parametrize("name", ["evil.example", "boxer.lan", "", ".", "1.2.3.4.evil.example"])
def test_others_may_not_call_this_machine_something_else(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr("socket.gethostname", lambda: "box")

    assert not Settings(host="::", token=LONG).accepts_host(name)


def test_a_machine_without_a_name_is_not_called_by_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("socket.gethostname", lambda: "")

    assert not Settings(host="::", token=LONG).accepts_host("")
