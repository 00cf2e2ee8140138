"""One live server with the built book per test module."""

import signal

import pytest
from live_server import LiveServer


@pytest.fixture(scope="session", autouse=True)
def control_c():
    """Ctrl-C reaches what the tests start, as in a terminal: tests that a script runs in the background ignore it, and pass that on."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="module")
def live(tmp_path_factory, site_folder):
    """A server with the built book."""
    server = LiveServer(tmp_path_factory.mktemp("live"))
    yield server
    server.stop()
