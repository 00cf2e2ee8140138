"""The server of one student under JupyterHub: ``python -m mlcore.live.singleuser``, the hub's ``Spawner.cmd``.

The book is at ``/user/<name>/book/``; the copies go to ``~/machine-learning-book``. Where the book lies, the environment may say:
``MLCORE_SITE`` (the built site) and ``MLCORE_BOOK`` (the chapters); by default both are those of this checkout.
"""
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = "machine-learning-book"
IDLE = 1200     # seconds after which a kernel that no page is connected to is stopped


def arguments(home, environment):
    """The options of the student's server."""
    site = environment.get("MLCORE_SITE", str(ROOT / "_build" / "html"))
    book = environment.get("MLCORE_BOOK", str(ROOT / "book"))
    return [f"--ServerApp.root_dir={home / FOLDER}", "--ServerApp.default_url=/book/",
            "--ServerApp.jpserver_extensions={'mlcore.live': True}",
            f"--BookApp.site={site}", f"--BookApp.originals={book}", "--KernelManager.transport_encryption=auto",
            f"--MappingKernelManager.cull_idle_timeout={IDLE}", "--MappingKernelManager.cull_interval=60"]


def main():
    """Make the folder of the copies, then become JupyterHub's single-user server."""
    home = pathlib.Path.home()
    (home / FOLDER).mkdir(parents=True, exist_ok=True)
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):        # a class shares the processors
        os.environ.setdefault(name, "1")
    sys.argv[1:] = [*arguments(home, os.environ), *sys.argv[1:]]
    from jupyterhub.singleuser import main as serve

    serve()


if __name__ == "__main__":
    main()
