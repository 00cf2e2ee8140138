"""Find a Chromium for the browser tests, or install one, and say which.

Looked for in this order: the program named by the variable CHROMIUM, a system Chromium or Chrome, the one
downloaded by Playwright; then Playwright's download is tried, and as root on Debian or Ubuntu the package `chromium`.
"""

import os
import pathlib
import shutil
import subprocess
import sys

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
PLACES = ("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome", "/Applications/Chromium.app/Contents/MacOS/Chromium",
          "C:/Program Files/Google/Chrome/Application/chrome.exe")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync"]


def playwright_browser():
    """Path of the Chromium that Playwright downloaded, or None."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = pathlib.Path(playwright.chromium.executable_path)
    return str(path) if path.exists() else None


def find():
    """Path of a browser that is already here, or None."""
    named = os.environ.get("CHROMIUM")
    if named:
        if not shutil.which(named):
            sys.exit(f"error: CHROMIUM={named} is not a program; correct it or unset it.")
        return named
    for name in (*NAMES, *PLACES):
        if shutil.which(name):
            return shutil.which(name)
    return playwright_browser()


def install():
    """Try the two ways to get a browser; return its path or None."""
    print("No Chromium or Chrome found; trying Playwright's download ...", flush=True)
    run = subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"], capture_output=True, text=True)
    if run.returncode == 0 and playwright_browser():
        return playwright_browser()
    if shutil.which("apt-get") and hasattr(os, "geteuid") and os.geteuid() == 0:
        print("  it did not work; installing Debian's package chromium ...", flush=True)
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        quiet = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", "chromium"]
        if subprocess.run(quiet, capture_output=True, env=environment).returncode:
            subprocess.run(["apt-get", "update", "-qq"], capture_output=True, env=environment)
            subprocess.run(quiet, capture_output=True, env=environment)
    return find()


def ensure():
    """Return the path of a browser, installing one if need be; print what was done. None if there is none."""
    path = find()
    if path:
        print(f"Browser: {path}", flush=True)
        return path
    path = install()
    if path:
        print(f"Browser: {path} (installed now)", flush=True)
    return path


if __name__ == "__main__":
    sys.exit(0 if ensure() else "error: no browser; install Chromium or Chrome, or set CHROMIUM to its program.")
