"""One live server with the built book per test module."""

import pytest
from live_server import LiveServer


@pytest.fixture(scope="module")
def live(tmp_path_factory, site_folder):
    """A server with the built book."""
    server = LiveServer(tmp_path_factory.mktemp("live"))
    yield server
    server.stop()
