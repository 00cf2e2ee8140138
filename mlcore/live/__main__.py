"""Start the book: ``python -m mlcore.live``. One server on 127.0.0.1, one address to open; Ctrl-C stops everything."""
import argparse
import contextlib
import errno
import os
import pathlib
import secrets
import socket
import sys
import webbrowser

from jupyter_server.serverapp import ServerApp
from traitlets.config import Config

from mlcore.live.app import BookApp, stale_chapters

ROOT = pathlib.Path(__file__).resolve().parents[2]
FIRST_PORT, TRIES = 8888, 20
IDLE = 600      # seconds after which a kernel that no page is connected to is stopped


class BookServer(ServerApp):
    """A server that keeps its token to itself: no file and no log holds it."""

    def write_server_info_file(self):
        """Jupyter's own list of running servers would hold the token."""

    def write_browser_open_files(self):
        """The address is printed instead."""


def free_port(port=None):
    """The port asked for, or the first free one from 8888 on; a sentence says which were in use."""
    candidates = [port] if port else range(FIRST_PORT, FIRST_PORT + TRIES)
    for candidate in candidates:
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", candidate))
                return candidate
            except OverflowError:
                sys.exit(f"error: a port is a number from 1 to 65535, not {port}.")
            except OSError as error:
                if error.errno not in (errno.EADDRINUSE, errno.EACCES):
                    raise
                what = "in use" if error.errno == errno.EADDRINUSE else "not allowed for you"
                if port:
                    sys.exit(f"error: port {port} is {what}; name another one, for example --port {port + 1 if port >= 1024 else 8888}.")
                print(f"Port {candidate} is {what}, trying {candidate + 1}.", flush=True)
    return sys.exit(f"error: no free port between {FIRST_PORT} and {FIRST_PORT + TRIES - 1}; name one: --port 9000.")


def configuration(port, token, site, originals, retries=0):
    """The server's settings; nothing listens beyond this machine. ``retries``: other ports to try if another server is quicker."""
    config = Config()
    config.BookApp.site, config.BookApp.originals = str(site), str(originals)
    config.ServerApp.update(ip="127.0.0.1", port=port, port_retries=retries, open_browser=False, allow_root=True, answer_yes=True,
                            log_level="WARN", default_url="/book/", jpserver_extensions={"mlcore.live": True})
    # The answer to the last ping is up to an interval old when the next one is sent: a limit of one interval cuts off busy pages.
    config.ServerApp.tornado_settings = {"ws_ping_interval": 30_000, "ws_ping_timeout": 120_000}
    config.IdentityProvider.token = token
    config.LabApp.log_level = config.JupyterNotebookApp.log_level = "WARN"
    config.KernelManager.transport_encryption = "auto"      # other users of this machine cannot listen to the kernels
    config.MappingKernelManager.update(cull_idle_timeout=IDLE, cull_interval=60, cull_connected=False)
    return config


def check_site(site, originals):
    """End with a sentence if there is nothing to serve; warn of pages older than their chapter."""
    if not (site / "index.html").is_file():
        sys.exit(f"error: {site} holds no built book; run `make site` first.")
    stale = stale_chapters(originals, site)
    if stale:
        names = ", ".join(stale[:3]) + (f" and {len(stale) - 3} more" if len(stale) > 3 else "")
        print(f"Note: the pages of {names} are older than their chapters; `make site` brings them up to date.", flush=True)


def has_desktop(platform, environment):
    """Whether a browser window can open; without one, a text browser would take over the terminal."""
    return platform in ("win32", "darwin") or bool(environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY"))


def announce(address, work, browser):
    """Print the address, and open it where there is a desktop."""
    print(f"The book is at\n\n    {address}\n\nYour copies of chapters go to {work}. Ctrl-C stops the book and its kernels.", flush=True)
    if browser and has_desktop(sys.platform, os.environ) and sys.stdout.isatty():
        with contextlib.suppress(webbrowser.Error):      # the printed address is enough
            webbrowser.open(address)


def main(argv=None):
    """Parse the options, start the server, print its address."""
    parser = argparse.ArgumentParser(prog="python -m mlcore.live", description=__doc__)
    parser.add_argument("--port", type=int, help="default: the first free one from 8888 on")
    parser.add_argument("--site", type=pathlib.Path, default=ROOT / "_build" / "html", help="folder of the built site")
    parser.add_argument("--originals", type=pathlib.Path, default=ROOT / "book", help="folder of the chapters")
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "work", help="folder of the working copies")
    parser.add_argument("--no-browser", action="store_true", help="only print the address")
    options = parser.parse_args(argv)
    site, originals, work = options.site.resolve(), options.originals.resolve(), options.work.resolve()
    check_site(site, originals)
    work.mkdir(parents=True, exist_ok=True)
    port, token = free_port(options.port), os.environ.pop("JUPYTER_TOKEN", "") or secrets.token_hex(24)
    server = BookServer.instance(config=configuration(port, token, site, originals, 0 if options.port else TRIES), root_dir=str(work))
    server.initialize(argv=[], starter_extension=BookApp.name)
    address = f"http://127.0.0.1:{server.port}/book/?token={token}"
    server.io_loop.add_callback(announce, address, work, not options.no_browser)      # once it listens
    server.start()
    print("Stopped.", flush=True)


if __name__ == "__main__":
    main()
