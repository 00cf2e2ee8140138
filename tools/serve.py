"""Serve the built site on 127.0.0.1 and print its address; Ctrl-C stops it."""

import argparse
import functools
import http.server
import pathlib
import sys
import webbrowser

ROOT = pathlib.Path(__file__).resolve().parent.parent


class Handler(http.server.SimpleHTTPRequestHandler):
    """Static files, without a log line for each and without caching an older build."""

    def log_message(self, *args):
        pass

    def end_headers(self):
        self.send_header("Cache-Control", "no-cache")
        super().end_headers()


def open_server(site, port, tries=20):
    """Bind the port asked for, or the next free one."""
    for candidate in range(port, port + tries):
        try:
            return http.server.ThreadingHTTPServer(("127.0.0.1", candidate), functools.partial(Handler, directory=str(site)))
        except OSError:
            print(f"Port {candidate} is in use, trying {candidate + 1}.", flush=True)
    return sys.exit(f"error: no free port between {port} and {port + tries - 1}; name one: python tools/serve.py --port 9000")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--site", type=pathlib.Path, default=ROOT / "_build" / "html")
    args = parser.parse_args()
    if not (args.site / "index.html").exists():
        sys.exit(f"error: {args.site} holds no built site; run `make site` first.")
    server = open_server(args.site, args.port)
    address = f"http://127.0.0.1:{server.server_address[1]}/"
    print(f"The book is at {address}  (Ctrl-C stops it)", flush=True)
    try:
        if sys.stdout.isatty():
            webbrowser.open(address)
    except webbrowser.Error:
        pass  # no desktop: the printed address is enough
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        print("\nStopped.")
    finally:
        server.server_close()


if __name__ == "__main__":
    main()
