import pytest

from clew.push import ServerAddressError, normalise_server


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("clew.example.com", "https://clew.example.com"),
        ("https://Clew.Example.com:443/", "https://clew.example.com"),
        ("https://example.com:8443/clew/", "https://example.com:8443/clew"),
        ("http://localhost:8000", "http://localhost:8000"),
        ("http://127.0.0.1:80/", "http://127.0.0.1"),
        ("http://[::1]:8000", "http://[::1]:8000"),
    ],
)
def test_addresses_are_written_in_one_way(address: str, expected: str) -> None:
    assert normalise_server(address) == expected


@pytest.mark.parametrize(
    "address",
    [
        "",
        "https://",
        "ftp://example.com",
        "http://example.com",
        "http://127.0.0.1.example.com",
        "https://me:secret@example.com",
        "https://example.com/?token=1",
        "https://example.com:port",
        "https://[::1",
        "https://exa\nmple.com",
    ],
)
def test_other_addresses_are_refused(address: str) -> None:
    with pytest.raises(ServerAddressError):
        normalise_server(address)


def test_plain_http_must_be_allowed() -> None:
    assert normalise_server("http://example.com", is_insecure=True) == "http://example.com"
