"""JupyterHub for a class on one machine; README.md beside this file says how to use it.

    sudo .venv/bin/jupyterhub -f deploy/jupyterhub/jupyterhub_config.py

Students log in with their accounts of the machine. ``MLCORE_HUB_TRY=<password>`` runs the same hub without accounts and without root,
for a look or a load test on one's own machine: any name, that password, everybody in folders under ``MLCORE_HUB_HOMES``.
"""
import os
import pathlib
import resource
import sys

from jupyterhub.spawner import LocalProcessSpawner, SimpleLocalProcessSpawner

ROOT = pathlib.Path(__file__).resolve().parents[2]
STATE = pathlib.Path(os.environ.get("MLCORE_HUB_STATE", ROOT / "_build" / "hub"))
STATE.mkdir(parents=True, exist_ok=True, mode=0o700)
TRY = os.environ.get("MLCORE_HUB_TRY")
GIGABYTES = float(os.environ.get("MLCORE_HUB_MEMORY", "2"))           # for each process of a student: a server, a kernel
IDLE = int(os.environ.get("MLCORE_HUB_IDLE", "3600"))                 # seconds until an unused server is stopped


def limit_memory():
    """In the child, before the server starts: more memory than this is refused, and Python raises MemoryError."""
    most = int(GIGABYTES * 2**30)
    resource.setrlimit(resource.RLIMIT_DATA, (most, most))


class BookSpawner(SimpleLocalProcessSpawner if TRY else LocalProcessSpawner):
    """A local process per student, with a limit on its memory."""

    def make_preexec_fn(self, name):
        """What the spawner does in the child, and the limit."""
        inherited = super().make_preexec_fn(name)

        def prepare():
            inherited()
            limit_memory()

        return prepare


c = get_config()  # noqa: F821 - JupyterHub defines it
c.JupyterHub.bind_url = os.environ.get("MLCORE_HUB_ADDRESS", "http://127.0.0.1:8000/")     # beyond this machine only behind TLS: README.md
c.JupyterHub.hub_bind_url = os.environ.get("MLCORE_HUB_INNER", "http://127.0.0.1:8081/")
c.ConfigurableHTTPProxy.api_url = os.environ.get("MLCORE_HUB_PROXY", "http://127.0.0.1:8001/")
c.ConfigurableHTTPProxy.command = [str(pathlib.Path(sys.executable).parent / "configurable-http-proxy")]
c.JupyterHub.cookie_secret_file = str(STATE / "cookie_secret")
c.JupyterHub.db_url = f"sqlite:///{STATE / 'hub.sqlite'}"
c.JupyterHub.cleanup_servers = True

c.JupyterHub.spawner_class = BookSpawner
c.Spawner.cmd = [sys.executable, "-m", "mlcore.live.singleuser"]
c.Spawner.default_url = "/book/"
c.Spawner.start_timeout = 120
c.Spawner.http_timeout = 60
c.Spawner.env_keep.extend(["MLCORE_SITE", "MLCORE_BOOK"])
c.JupyterHub.active_server_limit = int(os.environ.get("MLCORE_HUB_STUDENTS", "40"))
c.JupyterHub.concurrent_spawn_limit = 12

if TRY:
    c.JupyterHub.authenticator_class = "dummy"
    c.DummyAuthenticator.password = TRY
    c.Authenticator.allow_all = True
    c.SimpleLocalProcessSpawner.home_dir_template = os.environ.get("MLCORE_HUB_HOMES", str(STATE / "homes")) + "/{username}"
    c.Spawner.args = ["--allow-root"]
else:
    c.JupyterHub.authenticator_class = "pam"
    c.LocalAuthenticator.allowed_groups = {os.environ.get("MLCORE_HUB_GROUP", "students")}
    c.Authenticator.admin_users = set(filter(None, os.environ.get("MLCORE_HUB_TEACHERS", "").split(",")))

c.JupyterHub.services = [{"name": "idle-culler",
                          "command": [sys.executable, "-m", "jupyterhub_idle_culler", f"--timeout={IDLE}", "--cull-every=120"]}]
c.JupyterHub.load_roles = [{"name": "idle-culler", "services": ["idle-culler"],
                            "scopes": ["list:users", "read:users:activity", "read:servers", "delete:servers"]}]
