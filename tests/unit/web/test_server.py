"""Sockets: the port that is asked for, or the next one."""

import socket

import pytest

from clew.web import PortTakenError, Settings, open_socket


def test_a_taken_port_is_refused_when_it_was_asked_for() -> None:
    with open_socket(Settings(port=0), any_port=False) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(PortTakenError, match=f"127.0.0.1:{port}"):
            open_socket(Settings(port=port), any_port=False)


def test_the_next_free_port_does_where_any_will() -> None:
    with open_socket(Settings(port=0), any_port=False) as taken:
        port = taken.getsockname()[1]
        with open_socket(Settings(port=port), any_port=True) as other:
            assert other.getsockname()[1] != port


def test_addresses_of_both_kinds_are_listened_on() -> None:
    with open_socket(Settings(host="[::1]", port=0), any_port=False) as found:
        assert found.family is socket.AF_INET6
